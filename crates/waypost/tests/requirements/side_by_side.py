#!/usr/bin/env python3
"""Plays the same days under the requirements framework's own hooks and under Waypost's, and compares what they decide.

    side_by_side.py FRAMEWORK WAYPOST DAYS.txt [--write] [--config FILE.yaml]... [--only WORD]

FRAMEWORK is a checkout of the requirements framework, WAYPOST a debug build. A day has files and steps; each side has a
repository and a home of its own, and goes on by its own decisions. What the framework decides stands behind `=>`, and
where Waypost is meant to decide otherwise, `; here DECISION (REASON)`, where the reason is a line of the list in
docs/requirements.md. With --write, the file is written again with what was decided. With --config, that file takes the
place of the days' own, for days that fit any.
"""

import argparse
import datetime
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

HOOKS = {
    ("PreToolUse", None): ["check-requirements.py"],
    ("PostToolUse", "Skill"): ["auto-satisfy-skills.py"],
    ("PostToolUse", "Bash"): ["clear-single-use.py"],
    ("PostToolUse", "ExitPlanMode"): ["handle-plan-exit.py"],
    ("SessionStart", None): ["handle-session-start.py"],
    ("SessionEnd", None): ["handle-session-end.py"],
    ("Stop", None): ["handle-stop.py"],
}
# Moves the clock of a program that is run by it.
LATER = (
    "import runpy, sys, time; then = time.time; time.time = lambda: then() + {offset}; "
    "sys.argv = {argv!r}; sys.path.insert(0, {folder!r}); runpy.run_path(sys.argv[0], run_name='__main__')"
)
STUBS = ["gh", "npm", "yarn", "docker", "kubectl", "helm", "prisma", "knex"]


class Side:
    """A home and a repository in which a day is played."""

    def __init__(self, base, day):
        self.base = pathlib.Path(base)
        self.home, self.project = self.base / "home", self.base / "project"
        self.home.mkdir()
        self.project.mkdir()
        self.offset, self.env, self.count = 0, {}, 0
        stubs = self.base / "bin"
        stubs.mkdir()
        for name in STUBS:
            (stubs / name).write_text("#!/bin/sh\nexit 0\n")
            (stubs / name).chmod(0o755)
        self.git("init", "-q", "-b", "main")
        self.put("src/lib.txt", "one\n")
        for path, text in day.get("files", {}).items():
            self.put(path, text)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "first")
        self.git("clone", "-q", "--bare", str(self.project), str(self.base / "remote.git"))
        self.git("remote", "add", "origin", str(self.base / "remote.git"))
        self.git("checkout", "-q", "-b", day.get("branch", "feature/auth"))
        self.set_up()

    def variables(self):
        own = {
            "HOME": str(self.home),
            "PATH": f"{self.base / 'bin'}:{os.environ['PATH']}",
            "TZ": "UTC",
            "TMPDIR": str(self.base),
            "GIT_CONFIG_NOSYSTEM": "1",
            "CLAUDE_PROJECT_DIR": str(self.project),
        }
        for who in ("AUTHOR", "COMMITTER"):
            own[f"GIT_{who}_NAME"], own[f"GIT_{who}_EMAIL"] = "Tester", "tester@example.com"
        return own | self.env

    def git(self, *args):
        command = ["git", "-c", "core.hooksPath=/dev/null", *args]
        subprocess.run(command, cwd=self.project, env=self.variables(), check=True, capture_output=True)

    def put(self, path, text):
        file = self.home / path[2:] if path.startswith("~/") else self.project / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def event(self, event, session, **fields):
        self.count += 1
        cwd = fields.pop("cwd", "")
        given = {"session_id": session, "cwd": str(self.project / cwd), "hook_event_name": event, **fields}
        return self.hook(event, given)

    def play(self, step):
        """Plays one step and says what was decided: allow, deny, hold, or nothing where nobody decides."""
        return getattr(self, "step_" + step[0])(*step[1:])

    def step_start(self, session, source="startup"):
        self.event("SessionStart", session, source=source)
        self.say(session)

    def step_say(self, session):
        self.say(session)

    def step_end(self, session, reason="prompt_input_exit"):
        self.event("SessionEnd", session, reason=reason)

    def step_edit(self, session, path, tool="Edit", **more):
        name = "notebook_path" if tool == "NotebookEdit" else "file_path"
        full = str(pathlib.Path(path.replace("~", str(self.home), 1)) if path.startswith("~") else self.project / path)
        given = {name: full, "old_string": "a", "new_string": "b", "content": "x\n", "new_source": "x"}
        decided = self.tool(session, tool, given, **more)
        if decided == "allow":
            file = pathlib.Path(full)
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("a") as out:
                out.write(f"{self.count}\n")
            self.after(session, tool, given, **more)
        return decided

    def step_tool(self, session, tool, given, more=None):
        decided = self.tool(session, tool, given, **(more or {}))
        if decided == "allow":
            self.after(session, tool, given, **(more or {}))
        return decided

    def step_skill(self, session, name, more=None):
        return self.step_tool(session, "Skill", {"skill": name}, more)

    def step_bash(self, session, line, more=None):
        more = more or {}
        decided = self.tool(session, "Bash", {"command": line}, **more)
        if decided == "allow":
            cwd = self.project / more.get("cwd", "")
            ran = subprocess.run(["bash", "-c", line], cwd=cwd, env=self.variables(), capture_output=True, text=True)
            self.after(session, "Bash", {"command": line}, failed=ran.returncode, **more)
        return decided

    def step_stop(self, session, active=False):
        said = self.event("Stop", session, stop_hook_active=active, background_tasks=[])
        return "hold" if said.get("decision") == "block" else "allow"

    def step_git(self, *args):
        self.git(*args)

    def step_put(self, path, text):
        self.put(path, text)

    def step_later(self, seconds):
        self.offset += seconds

    def step_env(self, name, value):
        self.env[name] = value

    def tool(self, session, tool, given, **more):
        use = {"tool_name": tool, "tool_input": given, "tool_use_id": f"t{self.count + 1}"}
        said = self.event("PreToolUse", session, **use, **more).get("hookSpecificOutput", {})
        return "deny" if said.get("permissionDecision") == "deny" else "allow"

    def after(self, session, tool, given, failed=0, **more):
        use = {"tool_name": tool, "tool_input": given, "tool_use_id": f"t{self.count}"}
        if failed:
            self.event("PostToolUseFailure", session, **use, error=f"Exit code {failed}", is_interrupt=False, **more)
        else:
            response = {"stdout": "", "stderr": "", "interrupted": False}
            self.event("PostToolUse", session, **use, tool_response=response, **more)


class Framework(Side):
    def __init__(self, base, day, origin):
        self.hooks = pathlib.Path(origin) / "hooks"
        super().__init__(base, day)

    def set_up(self):
        pass

    def say(self, session):
        pass

    def run(self, program, args=(), stdin=""):
        path = str(self.hooks / program)
        code = LATER.format(offset=self.offset, argv=[path, *args], folder=str(self.hooks))
        command = [sys.executable, "-c", code]
        return subprocess.run(
            command, cwd=self.project, env=self.variables(), input=stdin, capture_output=True, text=True
        )

    def hook(self, event, given):
        tool = given.get("tool_name") if event == "PostToolUse" else None
        said = {}
        for program in HOOKS.get((event, tool), []):
            out = self.run(program, stdin=json.dumps(given)).stdout.strip()
            if out.startswith("{"):
                said = json.JSONDecoder().raw_decode(out)[0]
        return said

    def step_satisfy(self, session, name):
        done = self.run("requirements-cli.py", ["satisfy", name, "--session", session.replace("-", "")[:8]])
        assert done.returncode == 0, done.stderr + done.stdout

    def step_clear(self, session, name):
        done = self.run("requirements-cli.py", ["clear", name, "--session", session.replace("-", "")[:8]])
        assert done.returncode == 0, done.stderr + done.stdout

    def step_pause(self, session):
        done = self.run("requirements-cli.py", ["pause", "--session", session.replace("-", "")[:8]])
        assert done.returncode == 0, done.stderr + done.stdout

    def step_resume(self, session):
        done = self.run("requirements-cli.py", ["resume", "--session", session.replace("-", "")[:8]])
        assert done.returncode == 0, done.stderr + done.stdout


class Waypost(Side):
    def __init__(self, base, day, binary):
        self.binary, self.began = binary, time.time()
        super().__init__(base, day)

    def variables(self):
        now = datetime.datetime.fromtimestamp(self.began + self.offset, datetime.timezone.utc)
        return super().variables() | {
            "WAYPOST_TEST_TIME": now.strftime("%Y-%m-%dT%H:%M:%S.000Z"),
            "WAYPOST_TEST_LIMITS": "1000",
        }

    def set_up(self):
        self.put("waypost.toml", "[project]\n")
        done = subprocess.run(
            [self.binary, "init", "--harness", "claude-code", "--preset", "minimal", "--no-git-hooks"],
            cwd=self.project, env=self.variables(), capture_output=True, text=True,
        )
        assert done.returncode == 0, done.stderr + done.stdout
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "waypost")

    def hook(self, event, given):
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        child = subprocess.Popen(
            [self.binary, "hook", "claude-code"], cwd=self.project, env=self.variables(),
            stdin=theirs.fileno(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        theirs.close()
        ours.sendall(json.dumps(given).encode())
        ours.shutdown(socket.SHUT_WR)
        out, self.err = child.communicate()
        ours.close()
        self.last = out.strip()
        return json.loads(self.last) if self.last.startswith("{") else {}

    def say(self, session):
        self.event("UserPromptSubmit", session, prompt="go on")

    def person(self, *args):
        """Somebody at a terminal of their own, below nothing that calls hooks."""
        line = " ".join(f"'{word}'" for word in [self.binary, *args])
        orphan = 'exec 3<&0; ( read x <&3; setsid --wait script -qec "$1" /dev/null; echo "ended:$?" ) &'
        child = subprocess.Popen(
            ["sh", "-c", orphan, "sh", line], cwd=self.project, env=self.variables(),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        child.wait()
        child.stdin.close()
        said = child.stdout.read()
        child.stdout.close()
        if "ended:0" not in said:
            print("   waypost", *args, ":", said.strip())

    def step_satisfy(self, session, name):
        self.person("gate", "satisfy", name, "--conversation", session)

    def step_clear(self, session, name):
        self.person("gate", "clear", name, "--conversation", session)

    def step_pause(self, session):
        self.person("gate", "pause")

    def step_resume(self, session):
        self.person("gate", "unpause")


class Step:
    """A line such as `edit one | src/lib.txt => deny; here allow (REASON)`."""

    def __init__(self, line):
        line, _, decided = line.partition(" => ")
        first, *rest = line.split(" | ")
        self.words = [*first.split(), *rest]
        self.there, _, here = decided.partition("; here ")
        self.here, _, reason = here.partition(" (")
        self.reason = reason.rstrip(")")
        self.line = line

    def args(self):
        verb, *rest = self.words
        if verb in ("tool", "skill", "bash"):
            rest = [json.loads(word) if word.startswith("{") else word for word in rest]
        if verb == "later":
            rest = [int(rest[0])]
        if verb == "stop":
            rest = [rest[0], "again" in rest]
        if verb == "put":
            rest[1] = rest[1].replace("\\n", "\n")
        return [verb, *rest]

    def written(self, there, here):
        if there is None:
            return self.line
        differs = "" if here == there else f"; here {here} ({self.reason or 'UNEXPLAINED'})"
        return f"{self.line} => {there}{differs}"


def days_in(text):
    """The days of a file: name, files, branch, steps."""
    days = []
    for part in text.split("\n#### ")[1:]:
        name, _, rest = part.partition("\n")
        day = {"name": name, "files": {}, "steps": []}
        for section in ("\n" + rest).split("\n== ")[1:]:
            head, _, body = section.partition("\n")
            if head == "steps":
                lines = [line for line in body.split("\n") if line.strip() and not line.startswith("#")]
                day["steps"] = [Step(line) for line in lines]
            elif head.startswith("branch "):
                day["branch"] = head.removeprefix("branch ")
            else:
                day["files"][head] = body + "\n"
        days.append(day)
    return days


def play(day, options):
    """Plays a day on both sides and gives what each decided."""
    base = pathlib.Path(tempfile.mkdtemp())
    decided = []
    try:
        (base / "a").mkdir()
        (base / "b").mkdir()
        theirs = Framework(base / "a", day, options.framework)
        ours = Waypost(base / "b", day, str(pathlib.Path(options.waypost).resolve()))
        for number, step in enumerate(day["steps"]):
            there, here = theirs.play(step.args()), ours.play(step.args())
            decided.append((there, here))
            if there != here and not (step.reason and step.here == here):
                print(f"{day['name']}, step {number + 1}: {step.line}: there {there}, here {here}")
                if options.show:
                    print("   ", ours.last, ours.err)
    finally:
        shutil.rmtree(base, ignore_errors=True)
    return decided


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("framework")
    parser.add_argument("waypost")
    parser.add_argument("days")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--config", action="append", default=[])
    parser.add_argument("--only")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    file = pathlib.Path(options.days)
    text = file.read_text()
    days = [day for day in days_in(text) if not options.only or options.only in day["name"]]
    for path in options.config:
        content = {".claude/requirements.yaml": pathlib.Path(path).read_text()}
        days += [day | {"name": f"{pathlib.Path(path).name}: {day['name']}", "files": content} for day in days_in(text)]
    if options.config:
        days = [day for day in days if ": " in day["name"]]
    count = differ = explained = 0
    lines = {}
    for day in days:
        for step, (there, here) in zip(day["steps"], play(day, options)):
            count += there is not None
            differ += there != here
            explained += there != here and bool(step.reason)
            lines[id(step)] = step.written(there, here)
            if options.write:
                before = step.line if there is None else None
                step.after = before or lines[id(step)]
    print(f"{count} decisions in {len(days)} days; {differ} differ, {explained} of them for a reason that is listed")
    if options.write:
        file.write_text(rewritten(text, days))


def rewritten(text, days):
    """The same file with what was decided now."""
    out, known = [], {day["name"]: iter(day["steps"]) for day in days}
    steps = None
    for line in text.split("\n"):
        if line.startswith("#### "):
            steps, name = None, line.removeprefix("#### ")
        if line.startswith("== "):
            steps = known.get(name) if line == "== steps" else None
        elif steps and line.strip() and not line.startswith("#"):
            line = next(steps).after
        out.append(line)
    return "\n".join(out)


if __name__ == "__main__":
    main()
