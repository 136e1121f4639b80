#!/usr/bin/env node
'use strict';
// Starts the command, in a clone from its source. Plain JavaScript that an old Node understands: where the running Node is too
// old, the project's own (the dev dependency `node`) takes over, with the same arguments, streams, signals and exit code.

const { spawn } = require('child_process');
const fs = require('fs');
const { enableCompileCache } = require('module');
const os = require('os');
const path = require('path');

const NEEDED = 24;
const SOURCE = '../src/main.ts';
/** What an installed package has in its place. */
const COMPILED = '../main.js';
/** Sent on to the Node that took over. */
const SIGNALS = ['SIGTERM', 'SIGHUP'];
/** Set for the Node that took over: it finds a pipe from here at this file descriptor. */
const HANDED_OVER = 'TIDEMARK_HANDED_OVER';
const PIPE = 3;

/** The Node that the project brings along, looked for from here upward. */
function ownNode() {
  for (let folder = __dirname; ; folder = path.dirname(folder)) {
    const candidate = path.join(folder, 'node_modules', 'node', 'bin', 'node');
    if (fs.existsSync(candidate)) return candidate;
    if (folder === path.dirname(folder)) return undefined;
  }
}

/**
 * Ctrl-C in a terminal reaches the other Node by itself, so a signal from here would be a second one. It is told through a
 * pipe instead, which can be compared with what it got. The pipe closes with this process, also when that is killed: the
 * other Node then ends as well.
 */
function handOver(node) {
  const child = spawn(node, [__filename].concat(process.argv.slice(2)), {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    env: Object.assign({}, process.env, { [HANDED_OVER]: '1' }),
  });
  const pipe = child.stdio[PIPE];
  if (pipe) pipe.on('error', () => undefined);
  const tell = () => pipe && pipe.write('I');
  const forward = (signal) => child.kill(signal);
  process.on('SIGINT', tell);
  for (const signal of SIGNALS) process.on(signal, forward);
  child.on('error', (error) => refuse(`the project's own Node could not be started: ${error.message}`));
  child.on('exit', (code, signal) => {
    process.removeListener('SIGINT', tell);
    for (const each of SIGNALS) process.removeListener(each, forward);
    if (signal) process.kill(process.pid, signal);
    else process.exitCode = code;
  });
}

/** The pipe from the shim, where this process was started by one. */
function pipeFromShim() {
  if (process.env[HANDED_OVER] === undefined) return undefined;
  delete process.env[HANDED_OVER];
  try {
    return fs.fstatSync(PIPE).isSocket() ? PIPE : undefined;
  } catch (error) {
    if (error.code !== 'EBADF') throw error;
    return undefined;
  }
}

function refuse(what) {
  process.stderr.write(
    `tidemark: ${what}\nnext: install Node ${NEEDED} or later, or run \`npm ci\` in the clone, which brings one along\n`,
  );
  process.exitCode = 2;
}

/**
 * What Node made of the sources is kept for the next start, in a folder of the user's alone: in the shared one of temporary
 * files somebody else could put other code in its place. A start without it is slower, and no more: a home that cannot be
 * written in is no reason to say anything.
 */
function keepCompiled() {
  const asked = process.env.XDG_CACHE_HOME || '';
  try {
    // A user of the system may have a home that is not there: it is not made for this.
    if (!path.isAbsolute(asked) && !fs.existsSync(os.homedir())) return;
    const caches = path.isAbsolute(asked) ? asked : path.join(os.homedir(), '.cache');
    const folder = path.join(caches, 'tidemark', 'compiled');
    makeFolder(folder);
    enableCompileCache(folder);
  } catch (error) {
    if (error.code === undefined) throw error;
  }
}

/** Not with `recursive`: that never returns below /proc. */
function makeFolder(folder) {
  if (fs.existsSync(folder)) return;
  if (!fs.existsSync(path.dirname(folder))) makeFolder(path.dirname(folder));
  fs.mkdirSync(folder, { mode: 0o700 });
}

function start() {
  keepCompiled();
  // `node:sqlite` announces itself as experimental at each start; the version in use is pinned and tested.
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (warning.name !== 'ExperimentalWarning') process.stderr.write(`${warning.name}: ${warning.message}\n`);
  });
  const pipe = pipeFromShim();
  const isClone = fs.existsSync(path.join(__dirname, SOURCE));
  void import(isClone ? SOURCE : COMPILED).then((program) => program.main(pipe));
}

if (parseInt(process.versions.node, 10) >= NEEDED) {
  start();
} else {
  const node = ownNode();
  if (node === undefined) refuse(`this needs Node ${NEEDED} or later, and it runs under ${process.version}`);
  else handOver(node);
}
