#!/usr/bin/env node
'use strict';
// Starts the command. In a clone, the command runs from its source files. This file is plain JavaScript, so old
// versions of Node can run it. If the running Node is too old, the project's own Node (the dev dependency `node`) runs
// the command. It gets the same arguments and streams. Its signals and its exit code are passed on.

const { spawn } = require('child_process');
const fs = require('fs');
const { enableCompileCache } = require('module');
const os = require('os');
const path = require('path');

/** Oldest major version of Node that can run the sources of a clone. */
const SOURCE_NEEDS = 24;
/** Oldest version of Node 22 that can run an installed package. Node 23 is not supported. */
const OLDEST_22 = [22, 18];
const SOURCE = '../src/main.ts';
/** Path of the compiled program in an installed package. */
const COMPILED = '../main.js';
/** Signals that this process passes on to the project's own Node. */
const SIGNALS = ['SIGTERM', 'SIGHUP'];
/** Environment variable for the project's own Node. Its value is the file descriptor of a pipe from this process. */
const HANDED_OVER = 'TIDEMARK_HANDED_OVER';
const PIPE = 3;

/** Returns the path of the project's own Node. Searches this folder and the folders above it. */
function ownNode() {
  for (let folder = __dirname; ; folder = path.dirname(folder)) {
    const candidate = path.join(folder, 'node_modules', 'node', 'bin', 'node');
    if (fs.existsSync(candidate)) return candidate;
    if (folder === path.dirname(folder)) return undefined;
  }
}

/**
 * In a terminal, Ctrl-C reaches the other Node directly, so a signal from here would be a second one. The signal is
 * therefore written to a pipe. The other Node compares the pipe with the signals that it received. The pipe closes when
 * this process ends or is killed, and the other Node then ends too.
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

/** Listens to the pipe of the shim, if a shim started this process. */
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
    `tidemark: ${what}\nnext: install Node ${SOURCE_NEEDS} or later, or run \`npm ci\` in the clone, which brings one along\n`,
  );
  process.exitCode = 2;
}

/**
 * Stores the code that Node compiled from the sources, so the next start is faster. The code is stored in a folder of
 * the user. In the shared folder for temporary files, another user could replace the code. A start without the stored
 * code is only slower. Therefore no error is reported if the home cannot be written to.
 */
function keepCompiled() {
  const asked = process.env.XDG_CACHE_HOME || '';
  // Deno has no compile cache.
  if (enableCompileCache === undefined) return;
  try {
    // A system user may have a home folder that does not exist. The cache does not create it.
    if (!path.isAbsolute(asked) && !fs.existsSync(os.homedir())) return;
    const caches = path.isAbsolute(asked) ? asked : path.join(os.homedir(), '.cache');
    const folder = path.join(caches, 'tidemark', 'compiled');
    makeFolder(folder);
    enableCompileCache(folder);
  } catch (error) {
    if (error.code === undefined) throw error;
  }
}

/**
 * Creates a folder and the folders above it. Does not use the option `recursive`, because `mkdir` with this option
 * hangs below /proc.
 */
function makeFolder(folder) {
  if (fs.existsSync(folder)) return;
  if (!fs.existsSync(path.dirname(folder))) makeFolder(path.dirname(folder));
  fs.mkdirSync(folder, { mode: 0o700 });
}

/** Returns true if the running Node can run the program. An installed package also runs under Node 22, from 22.18. */
function isNewEnough(isClone) {
  const [major, minor] = process.versions.node.split('.').map(Number);
  return major >= SOURCE_NEEDS || (!isClone && major === OLDEST_22[0] && minor >= OLDEST_22[1]);
}

function start(isClone) {
  keepCompiled();
  const pipe = pipeFromShim();
  void import(isClone ? SOURCE : COMPILED).then((program) => program.main(pipe));
}

const isClone = fs.existsSync(path.join(__dirname, SOURCE));
if (isNewEnough(isClone)) {
  start(isClone);
} else {
  const node = ownNode();
  const older = isClone ? '' : `, or Node ${OLDEST_22.join('.')} or a later Node 22`;
  if (node === undefined)
    refuse(`this needs Node ${SOURCE_NEEDS} or later${older}, and it runs under ${process.version}`);
  else handOver(node);
}
