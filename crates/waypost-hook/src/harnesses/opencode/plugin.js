// Waypost's plugin for OpenCode: tells Waypost of prompts, tools and stops, and does what it answers.
// Made by `waypost init`; `waypost init --remove` takes it out. What is changed here is lost when it is made again.
import { spawn, spawnSync } from "node:child_process"
import { isAbsolute, join } from "node:path"

const PROGRAM = "WAYPOST_PROGRAM"
const ARGS = ["WAYPOST_ARGS"]

/** So long may an answer take, in milliseconds. */
const LIMIT = 30_000
/** The same when OpenCode is about to end. */
const GOODBYE = 5_000
/** The tools that go on when Waypost cannot be asked: they change nothing. */
const READING = ["glob", "grep", "list", "lsp", "question", "read", "todoread", "todowrite", "webfetch", "websearch"]

/** What the program says. What it denies is in `deny`; what keeps it from answering is in `failed`. */
function understood(status, out, err) {
  if (status === 2) return { deny: err.trim() || "Waypost denies it, and does not say why." }
  if (status !== 0) return { failed: err.trim() || `it ended with status ${status}` }
  try {
    return out.trim() === "" ? {} : JSON.parse(out)
  } catch {
    return { failed: "its answer is not JSON" }
  }
}

function ask(program, event, limit = LIMIT) {
  return new Promise((resolve) => {
    let out = ""
    let err = ""
    const child = spawn(program, ARGS, { stdio: ["pipe", "pipe", "pipe"] })
    const timer = setTimeout(() => {
      child.kill("SIGKILL")
      resolve({ failed: "it took too long" })
    }, limit)
    child.on("error", (error) => {
      clearTimeout(timer)
      resolve({ failed: error.message })
    })
    child.on("close", (status) => {
      clearTimeout(timer)
      resolve(understood(status, out, err))
    })
    child.stdout.setEncoding("utf8").on("data", (text) => (out += text))
    child.stderr.setEncoding("utf8").on("data", (text) => (err += text))
    // Who ends early has not read everything, and says with its status why.
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(event))
  })
}

/** The same while everything else waits. */
function askNow(program, event) {
  const input = JSON.stringify(event)
  const { error, status, stdout, stderr } = spawnSync(program, ARGS, { input, encoding: "utf8", timeout: LIMIT })
  return error ? { failed: error.message } : understood(status, stdout, stderr)
}

export const Waypost = async ({ client, directory }) => {
  const program = isAbsolute(PROGRAM) ? PROGRAM : join(import.meta.dirname, "..", "..", PROGRAM)
  /** Sessions, and for those of subagents, the sessions that started them. */
  const parents = new Map()
  /** Sessions that this process saw begin, and those that Waypost was told of. */
  const fresh = new Set()
  const begun = new Set()
  /** What an agent is told with the next prompt or result of a tool, and what with the result of one call. */
  const untold = new Map()
  const later = new Map()
  /** Calls that were denied. */
  const denied = new Set()
  /** Follow-ups of Waypost's own, by session, until they arrive as prompts. */
  const sent = new Map()
  /** Sessions that go on because a stop was held, and those whose stop was asked about in this turn. */
  const held = new Set()
  const asked = new Set()
  /** Sessions whose turn the user ended. */
  const aborted = new Set()
  /** Messages that shorten a conversation. */
  const summaries = new Set()
  /** The last that was said in a session, and the agent and model of its last prompt. */
  const said = new Map()
  const settings = new Map()
  let servers
  let ended = false

  const parentOf = async (session) => {
    if (!parents.has(session)) {
      const found = await client.session.get({ path: { id: session } }).catch(() => undefined)
      parents.set(session, found?.data?.parentID)
    }
    return parents.get(session)
  }

  /** What every event says: a subagent's session counts for the one that it works for. */
  const known = (name, session) => {
    let root = session
    while (parents.get(root)) root = parents.get(root)
    const subagent = root === session ? {} : { agent_id: session, agent_type: settings.get(session)?.agent ?? "" }
    return { hook_event_name: name, session_id: root, cwd: directory, ...subagent }
  }

  const about = async (name, session) => {
    for (let parent = await parentOf(session); parent; parent = await parentOf(parent));
    return known(name, session)
  }

  /** Servers' tools are called as everywhere else: `mcp__SERVER__TOOL`. */
  const nameOf = async (tool) => {
    servers ??= client.config.get().then(
      (found) => Object.keys(found.data?.mcp ?? {}),
      () => [],
    )
    const prefix = (server) => server.replace(/[^a-zA-Z0-9_-]/g, "_") + "_"
    const fitting = (await servers).filter((server) => tool.startsWith(prefix(server)))
    const server = fitting.sort((a, b) => b.length - a.length)[0]
    return server === undefined ? tool : `mcp__${server}__${tool.slice(prefix(server).length)}`
  }

  const show = (text) =>
    client.tui.showToast({ body: { title: "Waypost", message: text, variant: "warning" } }).catch(() => {})

  /** Notes what the agent is to be told, and shows what the user is to be told. */
  const take = (answer, session) => {
    if (answer.failed) show(`Waypost could not be asked: ${answer.failed}. Next: run \`waypost doctor\`.`)
    if (answer.user) show(answer.user)
    if (answer.agent) untold.set(session, [untold.get(session), answer.agent].filter(Boolean).join("\n\n"))
  }

  const taken = (map, key) => {
    const text = map.get(key)
    map.delete(key)
    return text
  }

  const begin = async (session) => {
    if (begun.has(session)) return
    begun.add(session)
    const event = await about("session.created", session)
    if (event.agent_id) event.hook_event_name = "subagent.created"
    else event.source = fresh.has(session) ? "startup" : "resume"
    take(await ask(program, event), session)
  }

  const prompted = async (input, output) => {
    const session = input.sessionID
    const { agent, model } = output.message
    settings.set(session, { agent, model })
    const text = output.parts.filter((part) => part.type === "text").map((part) => part.text).join("\n")
    const isOwn = sent.get(session) === text
    sent.delete(session)
    for (const set of [aborted, asked]) set.delete(session)
    await begin(session)
    const event = known("chat.message", session)
    if (!isOwn && !event.agent_id) {
      held.delete(session)
      take(await ask(program, { ...event, prompt: text }), session)
    }
    const told = taken(untold, session)
    const like = output.parts.find((part) => part.type === "text")
    if (told && like) output.parts.push({ ...like, id: `${like.id}w`, text: told, synthetic: true })
    else if (told) untold.set(session, told)
  }

  const before = async (input, output) => {
    const { tool, sessionID: session, callID } = input
    await begin(session)
    const call = { tool_name: await nameOf(tool), tool_use_id: callID, tool_input: output.args }
    const answer = await ask(program, { ...known("tool.execute.before", session), ...call })
    if (answer.deny || (answer.failed && !READING.includes(tool))) denied.add(callID)
    if (answer.deny) throw new Error(answer.deny)
    if (denied.has(callID)) {
      throw new Error(
        `Waypost cannot be asked (${answer.failed}), so this is denied: ${program}\n` +
          "Next: ask the user to run `waypost doctor`, or `waypost init --remove` where Waypost is gone.",
      )
    }
    if (answer.agent) later.set(callID, answer.agent)
    take({ ...answer, agent: undefined }, session)
  }

  const after = async (input, output) => {
    const { tool, sessionID: session, callID, args } = input
    const text = typeof output.output === "string" ? output.output : undefined
    const { exit, truncated } = output.metadata ?? {}
    const response = { output: text, exit, truncated, isError: output.isError }
    const call = { tool_name: await nameOf(tool), tool_use_id: callID, tool_input: args, tool_response: response }
    take(await ask(program, { ...known("tool.execute.after", session), ...call }), session)
    const told = [taken(later, callID), taken(untold, session)].filter(Boolean).join("\n\n")
    if (told && text !== undefined) output.output = `${text}\n\n${told}`
    else if (told && Array.isArray(output.content)) output.content.push({ type: "text", text: told })
    else if (told) untold.set(session, told)
  }

  /** A tool that threw: its call has no end but this. */
  const failed = async ({ callID, sessionID: session, state, tool }) => {
    later.delete(callID)
    if (denied.delete(callID) || !begun.has(session)) return
    const call = { tool_name: await nameOf(tool), tool_use_id: callID, tool_input: state.input, error: state.error }
    take(await ask(program, { ...known("tool.execute.failed", session), ...call }), session)
  }

  /** What it says of a stop, and the follow-up that holds it. */
  const stop = (session, answer) => {
    take(answer, session)
    if (!answer.deny) return
    held.add(session)
    sent.set(session, answer.deny)
    const body = { ...settings.get(session), parts: [{ type: "text", text: answer.deny, synthetic: true }] }
    client.session.promptAsync({ path: { id: session }, body }).catch(() => sent.delete(session))
  }

  const stopping = (session) => {
    const event = known("session.idle", session)
    if (event.agent_id) event.hook_event_name = "subagent.idle"
    return { ...event, stop_hook_active: held.has(session), last_assistant_message: said.get(session) }
  }

  /**
   * The agent has nothing more to do. While this waits for the answer, so does OpenCode: a follow-up that is sent at once
   * joins the turn that is about to end. One that is sent when it is over is lost where OpenCode runs a single prompt.
   */
  const finished = ({ messageID, reason, sessionID: session }) => {
    if (reason === "tool-calls" || summaries.has(messageID) || !begun.has(session) || ended) return
    asked.add(session)
    stop(session, askNow(program, stopping(session)))
  }

  const idle = async (session) => {
    const isKnown = begun.has(session) && !asked.delete(session) && !aborted.has(session)
    if (isKnown && !ended) stop(session, await ask(program, stopping(session)))
  }

  const compacted = async (session) => {
    const event = await about("session.created", session)
    if (begun.has(session) && !event.agent_id) take(await ask(program, { ...event, source: "compact" }), session)
  }

  const happened = ({ type, properties }) => {
    const { error, info, part, sessionID } = properties ?? {}
    if (type === "session.created") {
      parents.set(info.id, info.parentID)
      fresh.add(info.id)
    } else if (type === "session.error" && error?.name === "MessageAbortedError") {
      aborted.add(sessionID)
    } else if (type === "message.updated" && (info.summary === true || info.mode === "compaction")) {
      summaries.add(info.id)
    } else if (type === "message.part.updated" && part.type === "step-finish") {
      finished(part)
    } else if (type === "message.part.updated" && part.type === "tool" && part.state?.status === "error") {
      return failed(part)
    } else if (type === "session.compacted") {
      return compacted(sessionID)
    } else if (type === "session.idle") {
      return idle(sessionID)
    }
  }

  /** What goes wrong here must not end the user's turn. */
  const quietly = (act) => (input, output) =>
    Promise.resolve()
      .then(() => act(input, output))
      .catch((error) => take({ failed: String(error) }, input.sessionID))

  return {
    // Nothing may be awaited before what happened is looked at.
    event: async ({ event }) => happened(event),
    "chat.message": quietly(prompted),
    "tool.execute.before": before,
    "tool.execute.after": quietly(after),
    "experimental.text.complete": quietly((input, output) => said.set(input.sessionID, output.text)),
    "experimental.session.compacting": quietly(async (input, output) => {
      const event = await about("experimental.session.compacting", input.sessionID)
      const answer = event.agent_id ? {} : await ask(program, { ...event, trigger: "auto" })
      if (answer.agent) output.context.push(answer.agent)
    }),
    "shell.env": quietly(async (input, output) => {
      if (input.sessionID) output.env.WAYPOST_OPENCODE_SESSION = (await about("", input.sessionID)).session_id
    }),
    dispose: async () => {
      ended = true
      const roots = [...begun].filter((session) => !parents.get(session))
      const goodbyes = roots.map((session) => ({ ...known("dispose", session), reason: "other" }))
      await Promise.all(goodbyes.map((event) => ask(program, event, GOODBYE)))
    },
  }
}
