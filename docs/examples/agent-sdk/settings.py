import asyncio
import sys

from claude_agent_sdk import ClaudeAgentOptions, ResultMessage, query

OPTIONS = ClaudeAgentOptions(
    # Where `waypost init` and `waypost init --shared` register Waypost, and where a plugin is enabled.
    setting_sources=["user", "project", "local"],
    permission_mode="bypassPermissions",
)


async def main(prompt):
    async for message in query(prompt=prompt, options=OPTIONS):
        if isinstance(message, ResultMessage):
            print(message.result)


asyncio.run(main(sys.argv[1]))
