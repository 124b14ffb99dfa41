import asyncio
import json
import socket
import sys
from asyncio.subprocess import PIPE

from claude_agent_sdk import ClaudeAgentOptions, HookMatcher, ResultMessage, query

EVENTS = ["UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure",
          "Stop", "SubagentStart", "SubagentStop", "PreCompact"]


async def waypost(event, tool_use_id, context):
    # By a socket, unlike a pipe, Waypost knows that this program calls, and takes what it is told as observed.
    ours, theirs = socket.socketpair()
    with ours:
        with theirs:
            hook = await asyncio.create_subprocess_exec("waypost", "hook", "claude-code",
                                                        stdin=theirs, stdout=PIPE, stderr=PIPE)
        ours.setblocking(False)
        await asyncio.get_running_loop().sock_sendall(ours, json.dumps(event).encode())
        ours.shutdown(socket.SHUT_WR)
        answer, reason = await hook.communicate()
    if hook.returncode != 0:
        raise RuntimeError(reason.decode())
    return json.loads(answer or "{}")


# What cannot be answered is blocked, as with the hooks that `waypost init` registers.
OPTIONS = ClaudeAgentOptions(
    setting_sources=[],
    hooks={event: [HookMatcher(hooks=[waypost], on_failure="block", timeout=30)] for event in EVENTS},
    mcp_servers={"waypost": {"command": "waypost", "args": ["mcp"]}},
    permission_mode="bypassPermissions",
)


async def main(prompt):
    async for message in query(prompt=prompt, options=OPTIONS):
        if isinstance(message, ResultMessage):
            print(message.result)


asyncio.run(main(sys.argv[1]))
