#!/usr/bin/env node
// Starts the program that npm installed for this platform. `toolgate install` writes the program's own path into a
// host's settings, so this file is only on the way of people, not of every tool call.
"use strict";

const { spawnSync } = require("node:child_process");
const { constants } = require("node:os");

// Hosts take exit code 2 of a hook as a refusal, and let a call pass at most others.
const BROKEN = process.argv[2] === "hook" ? 2 : 1;

function stop(what, help) {
  process.stderr.write(`toolgate: ${what}\nhelp: ${help}\n`);
  process.exit(BROKEN);
}

const platform = `${process.platform}-${process.arch}`;
let program;
try {
  program = require.resolve(`@toolgate/${platform}/bin/toolgate`);
} catch {
  const known = Object.keys(require("../package.json").optionalDependencies);
  if (known.includes(`@toolgate/${platform}`)) {
    stop(`the package @toolgate/${platform} is missing`, "install again without `--omit=optional` or `--no-optional`");
  }
  stop(`there is no package for ${platform}`, "build it: `cargo install --path crates/cli` in the source tree");
}

const ended = spawnSync(program, process.argv.slice(2), { stdio: "inherit" });
if (ended.error) {
  stop(`${program} cannot be started: ${ended.error.message}`, "install the package again");
}
if (ended.signal && BROKEN === 1) {
  process.exit(128 + constants.signals[ended.signal]);
}
process.exit(ended.status ?? BROKEN);
