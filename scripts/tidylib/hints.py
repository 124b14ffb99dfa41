"""The app names no command and no tool: what to do next is data there, which the surfaces put into words.

A person at a terminal has commands; an agent has the tools of its client, and commands for the rest. Who is told is
known last, so what a step is called stands in crates/waypost-core/src/next_step/words alone.
"""

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from . import rust_source
from .repository import Problem, Repository
from .test_code import source_files, test_lines

APP = "crates/waypost-app/src/"
COMMANDS = PurePosixPath("crates/waypost/src/commands")
TOOLS = "crates/waypost-mcp/src/tools/"
# Texts that tell nobody what to do: names, marks, what is recorded, what is written into files of the user.
CONTENT = {
    f"{APP}enforce/run.rs": "waypost run",
    f"{APP}foreign/requirements/hooks.rs": r"session_start|session_end",
    f"{APP}harness/wire.rs": "verdict_record",
    f"{APP}sessions/resume.rs": "session_resume",
    f"{APP}sessions/start.rs": "session_start",
    f"{APP}setup/doctor/mcp.rs": "waypost doctor",
    f"{APP}setup/init/git_hooks.rs": "made by `waypost init --git-hooks`",
    f"{APP}setup/init/ref_hook.rs": "made by `waypost init`",
    f"{APP}setup/init/template.rs": "`waypost gate list` shows what is in force",
    f"{APP}setup/init/wrapper.rs": "made by `waypost init --shared`",
    f"{APP}tracks/protocol/end.rs": "session_end",
}
_TOOL = re.compile(r"const NAME: &'static str = \"(\w+)\"")
_GOES_ON = re.compile(r"\\\n\s*")


def check_hints(repository: Repository) -> Iterator[Problem]:
    commands, tools = _commands(repository), _tools(repository)
    if not commands or not tools:
        yield Problem(f"{COMMANDS}.rs", 1, f"found no commands in {COMMANDS} or no tools in {TOOLS}")
        return
    named = re.compile(rf"\bwaypost\s+(?:{_one_of(commands)})\b|\b(?:{_one_of(tools)})\b")
    for path in source_files(repository):
        if not path.startswith(APP) or not path.endswith(".rs"):
            continue
        tests, content = test_lines(repository, path), CONTENT.get(path)
        for number, literal in rust_source.strings(repository.text(path) or ""):
            text = _GOES_ON.sub("", literal)
            text = re.sub(content, "", text) if content else text
            if number not in tests and (found := named.search(text)):
                yield Problem(path, number, f"names {found.group()}: give a NextStep, and let the surfaces say it")


def _commands(repository: Repository) -> set[str]:
    files = (PurePosixPath(path) for path in repository.rust_files)
    return {path.stem.replace("_", "-") for path in files if path.parent == COMMANDS}


def _tools(repository: Repository) -> set[str]:
    files = (path for path in repository.rust_files if path.startswith(TOOLS))
    return {name for path in files for name in _TOOL.findall(repository.text(path) or "")}


def _one_of(names: set[str]) -> str:
    return "|".join(map(re.escape, sorted(names)))
