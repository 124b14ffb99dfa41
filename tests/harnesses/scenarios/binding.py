"""What binds an agent is not written by it, whatever client it works in."""

from clients.copilot import CopilotCli
from clients.opencode import OpenCode
from harness.registry import scenario
from harness.steps import bash, edit, read, say, write

SILENT = '{"disableAllHooks": true}\n'
CODE = "export const Other = async () => ({})\n"


@scenario(copilot=CopilotCli)
def the_hooks_of_copilot_are_not_silenced_by_its_agent(t, client):
    t.initialise(client)
    files = (".github/copilot/settings.json", ".github/copilot/settings.local.json", ".claude/settings.json",
             ".claude/settings.local.json")
    with t.start(client) as agent:
        agent.turn("Loosen it.",
                   *[step.denied("Waypost") for file in files
                     for step in (write(file, SILENT), bash(f"mkdir -p $(dirname {file}); echo '{SILENT.strip()}' > {file}"))],
                   bash("rm .github/hooks/waypost.json").denied("Waypost"),
                   write(".github/hooks/waypost.json", "{}\n").denied("Waypost"),
                   write(".github/hooks/another.json", "{}\n").denied("Waypost"),
                   bash("echo {} > .github/hooks/another.json").denied("Waypost"),
                   say("I cannot."))


@scenario(opencode=OpenCode)
def the_plugin_is_not_changed_by_an_agent_of_opencode(t, client):
    t.initialise(client)
    plugin = ".opencode/plugin/waypost.js"
    with t.start(client) as agent:
        agent.turn("Loosen it.",
                   read(plugin).works("Waypost"),
                   edit(plugin, "export const Waypost", "const Waypost").denied("Waypost"),
                   write(plugin, CODE).denied("Waypost"),
                   bash(f"rm {plugin}").denied("Waypost"),
                   write(".opencode/plugins/other.js", CODE).denied("Waypost"),
                   bash(f"mkdir -p .opencode/tools && echo '{CODE.strip()}' > .opencode/tools/other.ts").denied("Waypost"),
                   bash("opencode --pure run 'Do it.'").denied("Waypost"),
                   say("I cannot."))
