#!/usr/bin/env node
// Starts the program for this machine, which npm installed as a package of its own.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");

function program() {
  const name = `waypost-${process.platform}-${process.arch}`;
  try {
    return require.resolve(`${name}/bin/waypost`);
  } catch {
    const known = Object.keys(require("../package.json").optionalDependencies);
    const why = known.includes(name)
      ? `the package ${name} is missing. It is an optional dependency: install again without --omit=optional or --no-optional`
      : `there is no program for ${process.platform} on ${process.arch} (only ${known.join(", ")}). On Windows, use it inside WSL; elsewhere build it from source`;
    console.error(`waypost: ${why}.`);
    process.exit(1);
  }
}

const child = spawn(program(), process.argv.slice(2), { stdio: "inherit" });
// A terminal signals both by itself; whoever signals this one alone means the program.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("error", (error) => {
  console.error(`waypost: the program cannot be started: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
