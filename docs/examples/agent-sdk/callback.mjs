import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { query } from "@anthropic-ai/claude-agent-sdk";

const EVENTS = [
  "SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure",
  "Stop", "SubagentStart", "SubagentStop", "PreCompact", "SessionEnd",
];

async function waypost(event) {
  // What node calls a pipe is a socket: by it Waypost knows that this program calls.
  const hook = spawn("waypost", ["hook", "claude-code"]);
  const status = new Promise((resolve, reject) => hook.on("error", reject).on("close", resolve));
  hook.stdin.on("error", () => {}).end(JSON.stringify(event));
  const [answer, reason] = await Promise.all([text(hook.stdout), text(hook.stderr)]);
  if ((await status) !== 0) throw new Error(reason);
  return JSON.parse(answer || "{}");
}

// What cannot be answered is blocked, as with the hooks that `waypost init` registers.
const matcher = { hooks: [waypost], onFailure: "block", timeout: 30 };
const options = {
  settingSources: [],
  hooks: Object.fromEntries(EVENTS.map((event) => [event, [matcher]])),
  mcpServers: { waypost: { command: "waypost", args: ["mcp"] } },
  permissionMode: "bypassPermissions",
  allowDangerouslySkipPermissions: true,
};

for await (const message of query({ prompt: process.argv[2], options })) {
  if (message.type === "result") console.log(message.result);
}
