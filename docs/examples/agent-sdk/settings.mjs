import { query } from "@anthropic-ai/claude-agent-sdk";

const options = {
  // Where `waypost init` and `waypost init --shared` register Waypost, and where a plugin is enabled.
  settingSources: ["user", "project", "local"],
  permissionMode: "bypassPermissions",
  allowDangerouslySkipPermissions: true,
};

for await (const message of query({ prompt: process.argv[2], options })) {
  if (message.type === "result") console.log(message.result);
}
