"""A pnpm workspace: two packages with tests of their own, and a script at the root that runs them all."""

import json

from harness.steps import bash, edit, read, say, write
from harness.task import Kind, commit, commit_by_heredoc, task


def package(name, **more):
    """A package.json with the script that agents call."""
    return json.dumps({"name": name, "version": "0.1.0", "private": True, "type": "module",
                       "scripts": {"test": "node --test"}, **more}, indent=2) + "\n"


def test_of(file, expression, value):
    """A test file in the words of node's own runner."""
    name = expression.partition("(")[0]
    return (f'import test from "node:test";\nimport assert from "node:assert";\nimport {{ {name} }} from "./{file}";\n\n'
            f'test("{name}", () => assert.equal({expression}, {value}));\n')


FILES = {
    ".gitignore": "node_modules/\n",
    "package.json": package("shapes", scripts={"test": "pnpm -r test"}),
    "pnpm-workspace.yaml": "packages:\n  - packages/*\n",
    "packages/area/package.json": package("area", exports="./area.js"),
    "packages/area/area.js": "export function square(side) {\n  return side * side;\n}\n",
    "packages/area/area.test.js": test_of("area.js", "square(3)", 9),
    "packages/report/package.json": package("report", dependencies={"area": "workspace:*"}),
    "packages/report/report.js":
        'import { square } from "area";\n\nexport function line(side) {\n  return `${side}: ${square(side)}`;\n}\n',
    "packages/report/report.test.js": test_of("report.js", "line(2)", '"2: 4"'),
}
CUBE = "\nexport function cube(side) {\n  return side ** 3;\n}\n"
CUBE_TEST = test_of("area.js", "cube(2)", 8)
END_OF_SQUARE = "  return side * side;\n}\n"


def gate_of(package):
    """The tests of one package, asked for after changes to it."""
    return f"""
[[gate]]
id = "{package}-tests"
before = ["stop", "commit"]
folder = "packages/{package}"
when = {{ paths = "packages/{package}/**" }}
proof = {{ ran = "pnpm test", fresh = "tree" }}
message = "Run the tests of {package} after your last change to it."
"""


GATES_OF_PACKAGES = f"[project]\n{gate_of('area')}{gate_of('report')}"


def set_up(t):
    """pnpm on the PATH, the lock file and the links between the packages."""
    t.put_on_path(t.tools / "bin")
    t.project.replace(FILES)
    t.project.run("pnpm", "install", "--offline", "--silent")


KIND = Kind("pnpm workspace", set_up, ("pnpm test:*", "pnpm -r test:*", "cd packages/area"), (
    task("looks at the tail", "Add cubes.",
         read("packages/area/area.js"),
         edit("packages/area/area.js", END_OF_SQUARE, END_OF_SQUARE + CUBE),
         bash("pnpm test 2>&1 | tail -15").works("pass 1"),
         say("Cubes are in.")),
    task("tests all packages, commits, stops", "Add cubes with a test, and commit.",
         read("packages/area/area.js"),
         edit("packages/area/area.js", END_OF_SQUARE, END_OF_SQUARE + CUBE),
         write("packages/area/cube.test.js", CUBE_TEST),
         bash("pnpm -r test").works("pass 2"),
         commit("Add cubes"),
         say("Committed.")),
    task("tests the package it changed", "Add a test for cubes, and cubes, to area.",
         write("packages/area/cube.test.js", CUBE_TEST),
         read("packages/area/area.js"),
         edit("packages/area/area.js", END_OF_SQUARE, END_OF_SQUARE + CUBE),
         bash("cd packages/area && pnpm test").works("pass 2"),
         say("Cubes are in."),
         config=GATES_OF_PACKAGES),
    task("keeps the output in a file", "Add cubes, and commit.",
         read("packages/area/area.js"),
         edit("packages/area/area.js", END_OF_SQUARE, END_OF_SQUARE + CUBE),
         bash("pnpm test > /tmp/test.log 2>&1; tail -15 /tmp/test.log").works("pass 1"),
         commit("Add cubes"),
         say("Committed."),
         needs_bypass=True),
    task("edits, tests, edits, tests, commits by heredoc", "Add cubes, then a test for them, and commit.",
         read("packages/area/area.js"),
         edit("packages/area/area.js", END_OF_SQUARE, END_OF_SQUARE + CUBE),
         bash('pnpm -r test 2>&1 | grep -E "pass|fail"').works("pass 1", "fail 0"),
         write("packages/area/cube.test.js", CUBE_TEST),
         bash('pnpm -r test 2>&1 | grep -E "pass|fail"').works("pass 2", "fail 0"),
         commit_by_heredoc("Add cubes"),
         say("Committed.")),
))
