'use strict';
// Installs the packages of the lock file before a script of this project runs. It prints one line on stderr if it installs, and
// otherwise nothing. Plain JavaScript for Node 12 and later, because it runs before the project's own
// Node is installed. With `--installed` it only records that an
// install by hand has just finished.

const { spawnSync } = require('child_process');
const { createHash } = require('crypto');
const fs = require('fs');
const path = require('path');

const OLDEST_NPM = 7;
const STARTING_MS = 10 * 1000;
const STUCK_MS = 20 * 60 * 1000;

/** Returns the paths that this script uses, below the project's root. */
function placesOf(root) {
  const modules = path.join(root, 'node_modules');
  return {
    root,
    lockFile: path.join(root, 'package-lock.json'),
    manifest: path.join(root, 'package.json'),
    modules,
    stamp: path.join(modules, '.tidemark-installed'),
    ownNode: path.join(modules, 'node', 'bin', 'node'),
    turn: path.join(root, '.bootstrap-turn'),
  };
}

function readOrNothing(file) {
  try {
    return fs.readFileSync(file);
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Returns the digest of the file that node_modules is installed from: the lock file, or the manifest if there is no lock file. */
function digestOf(places) {
  const source = readOrNothing(places.lockFile) || readOrNothing(places.manifest);
  if (source === undefined)
    throw new Problem(`there is no package.json in ${places.root}`, 'run this inside a clone of the project');
  return createHash('sha256').update(source).digest('hex');
}

/** Returns the reason for an install, or `undefined` if none is needed. */
function whyBehind(places) {
  if (!fs.existsSync(places.modules)) return 'node_modules is absent';
  if (!fs.existsSync(places.ownNode)) return 'node_modules does not contain Node';
  const stamp = readOrNothing(places.stamp);
  if (stamp === undefined || String(stamp).trim() !== digestOf(places))
    return 'node_modules is older than the lock file';
  return undefined;
}

function writeStamp(places) {
  if (!fs.existsSync(places.modules)) return;
  fs.writeFileSync(places.stamp, `${digestOf(places)}\n`);
}

class Problem extends Error {
  constructor(what, next) {
    super(`${what}\nnext: ${next}`);
  }
}

/** Returns the Node and the script of the npm that started this script, or of the npm on the PATH. Never the Node in node_modules, because an install replaces it. */
function npmCommand() {
  const script = process.env.npm_execpath;
  if (!script || !/npm-cli\.[cm]?js$/.test(script)) return { command: 'npm', first: [] };
  return { command: process.env.npm_node_execpath || process.execPath, first: [script] };
}

function npm(places, args, stdio) {
  const { command, first } = npmCommand();
  return spawnSync(command, first.concat(args), { cwd: places.root, stdio, encoding: 'utf8' });
}

function refuseOldNpm(places) {
  const answer = npm(places, ['--version'], ['ignore', 'pipe', 'inherit']);
  if (answer.error)
    throw new Problem(
      `npm could not be started: ${answer.error.message}`,
      'install Node 24 with its npm, then run the command again',
    );
  const major = parseInt(answer.stdout, 10);
  if (major < OLDEST_NPM)
    throw new Problem(
      `npm ${answer.stdout.trim()} does not support workspaces`,
      `install npm ${OLDEST_NPM} or later (it comes with Node 16 and later), then run the command again`,
    );
}

function install(places, why) {
  refuseOldNpm(places);
  const verb = fs.existsSync(places.lockFile) ? 'ci' : 'install';
  process.stderr.write(`bootstrap: ${why}; running npm ${verb}, once\n`);
  // On stderr, so that stdout contains only the output of the script that runs next.
  const answer = npm(places, [verb, '--no-audit', '--no-fund', '--loglevel=error'], ['ignore', 2, 2]);
  if (answer.error || answer.status !== 0) {
    const how = answer.error ? answer.error.message : answer.signal || `exit code ${answer.status}`;
    throw new Problem(
      `npm ${verb} failed (${how}); its message is above`,
      `fix the cause (network, registry or disk space), then run the command again; \`npm ${verb}\` shows more`,
    );
  }
  writeStamp(places);
  if (!fs.existsSync(places.ownNode)) {
    throw new Problem(
      `npm ${verb} succeeded but did not install Node in ${path.relative(places.root, places.ownNode)}: install scripts are switched off`,
      'run the install script of the package `node`: npm rebuild node --ignore-scripts=false',
    );
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Checks that a lock is stale: its process has ended, never wrote its number, or has held the lock for longer than any install takes. */
function isLeftBehind(turn) {
  let age;
  try {
    age = Date.now() - fs.statSync(turn).mtimeMs;
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
  const pid = parseInt(readOrNothing(path.join(turn, 'pid')) || '', 10);
  if (!(pid > 0)) return age > STARTING_MS;
  return age > STUCK_MS || !isAlive(pid);
}

function removeTurn(turn) {
  for (const file of [path.join(turn, 'pid'), turn]) {
    try {
      if (file === turn) fs.rmdirSync(file);
      else fs.unlinkSync(file);
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
    }
  }
}

function tookTurn(turn) {
  try {
    fs.mkdirSync(turn);
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw new Problem(
      `cannot write in ${path.dirname(turn)}: ${error.message}`,
      'run the command as a user who may write there',
    );
  }
  fs.writeFileSync(path.join(turn, 'pid'), `${process.pid}\n`);
  return true;
}

/** Waits until no other bootstrap installs here, then takes the lock. */
function takeTurn(turn) {
  let reported = false;
  while (!tookTurn(turn)) {
    if (isLeftBehind(turn)) {
      removeTurn(turn);
      continue;
    }
    if (!reported) process.stderr.write('bootstrap: another command is installing; waiting for it\n');
    reported = true;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  }
}

function bootstrap(places) {
  if (whyBehind(places) === undefined) return;
  takeTurn(places.turn);
  try {
    const why = whyBehind(places);
    if (why !== undefined) install(places, why);
  } finally {
    removeTurn(places.turn);
  }
}

try {
  const places = placesOf(path.resolve(__dirname, '..'));
  if (process.argv.includes('--installed')) writeStamp(places);
  else bootstrap(places);
} catch (error) {
  if (!(error instanceof Problem)) throw error;
  process.stderr.write(`bootstrap: ${error.message}\n`);
  process.exitCode = 1;
}
