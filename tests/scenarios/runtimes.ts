// Tries a release under other runtimes: versions of Node, Bun and Deno. `npm run runtimes` and `runtimes.int.test.ts` use
// this file. The versions are pinned here.

import { spawn } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { AnswerPlan, ReceivedRequest } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';

/** A program that runs JavaScript, with the arguments that precede the path of a script. */
export interface RuntimeProgram {
  readonly program: string;
  readonly arguments: readonly string[];
}

/** A runtime on npm. */
export interface Runtime {
  readonly title: string;
  /** Name on npm. */
  readonly package: string;
  readonly version: string;
  /** Path of the program in `node_modules`. */
  readonly program: string;
  readonly arguments: readonly string[];
}

function node(version: string): Runtime {
  return { title: 'Node', package: 'node', version, program: 'node/bin/node', arguments: [] };
}

/** Runtimes that are tried. The first is the oldest that `engines` of the release allows. */
export const RUNTIMES: readonly Runtime[] = [
  node('22.18.0'),
  node('22.23.3'),
  node('24.21.0'),
  node('26.10.0'),
  { title: 'Bun', package: 'bun', version: '1.4.5', program: 'bun/bin/bun.exe', arguments: [] },
  { title: 'Deno', package: 'deno', version: '2.9.6', program: 'deno/deno', arguments: ['run', '--allow-all'] },
];

/** Folder in which the runtimes are installed: `TIDEMARK_RUNTIMES`, or a folder of this user for temporary files. */
export function runtimesFolder(): string {
  return process.env['TIDEMARK_RUNTIMES'] ?? join(tmpdir(), `tidemark-runtimes-${userInfo().uid}`);
}

/** Returns the folder of one runtime. Its `node_modules` contains the runtime. */
export function runtimeFolder({ package: name, version }: Runtime, folder: string): string {
  return join(folder, 'runtimes', `${name}-${version}`);
}

/**
 * Returns the reason why a runtime cannot run, or `undefined` if its pinned version is installed. A folder of another
 * user is not used, because its programs would be run.
 */
export function missingReason(runtime: Runtime, folder: string): string | undefined {
  if (existsSync(folder) && process.getuid !== undefined && statSync(folder).uid !== process.getuid()) {
    return `${folder} belongs to another user (set TIDEMARK_RUNTIMES to another folder)`;
  }
  const modules = join(runtimeFolder(runtime, folder), 'node_modules');
  const manifest = join(modules, runtime.package, 'package.json');
  if (!existsSync(manifest))
    return `${runtime.title} ${runtime.version} is not installed in ${folder} (npm run runtimes installs it)`;
  const { version }: { readonly version: string } = JSON.parse(readFileSync(manifest, 'utf8'));
  if (version !== runtime.version) return `${runtime.package} ${version} is installed, not ${runtime.version}`;
  return existsSync(join(modules, runtime.program))
    ? undefined
    : `${runtime.title} ${runtime.version} is installed without its program`;
}

/** Returns the program of an installed runtime. */
export function programOf(runtime: Runtime, folder: string): RuntimeProgram {
  const program = join(runtimeFolder(runtime, folder), 'node_modules', runtime.program);
  return { program, arguments: runtime.arguments };
}

/** Parts of a release that are tried: `--version`, the demo, a turn with `bash`, and the library with two stores. */
export const TRIED_PARTS = ['command', 'demo', 'bash', 'memory', 'disk'] as const;

/** Name of a part of a release that is tried. */
export type TriedPart = (typeof TRIED_PARTS)[number];

/** Result of a release under one runtime. */
export interface TriedRuntime {
  /** Reason for each part that failed. Empty if every part works. */
  readonly failures: { readonly [part in TriedPart]?: string };
  /** All text that the programs wrote to stderr. */
  readonly stderr: string;
}

/** Longest time of one program, in milliseconds. */
const LONGEST_MS = 180_000;

/**
 * Runs the command and a program of a user under a runtime. `release` is a folder with a release in its `node_modules`;
 * the program is written next to it. Nothing leaves the machine.
 */
export async function tryRuntime(runtime: RuntimeProgram, release: string): Promise<TriedRuntime> {
  const place = mkdtempSync(join(tmpdir(), 'tidemark-runtime-'));
  const command = join(release, 'node_modules/tidemark/bin/tidemark.cjs');
  const runs: Run = (script, ...args) => runProgram(runtime, place, [script, ...args]);
  try {
    const parts = [
      tryVersion(await runs(command, '--version')),
      tryDemo(await runs(command, 'demo')),
      await tryBash(command, place, runs),
      await tryLibrary(release, place, runs),
    ];
    return {
      failures: Object.assign({}, ...parts.map(({ failures }) => failures)),
      stderr: parts.map(({ stderr }) => stderr).join(''),
    };
  } finally {
    rmSync(place, { recursive: true, force: true, maxRetries: 5 });
  }
}

type Run = (script: string, ...args: readonly string[]) => Promise<Ran>;

interface Ran {
  readonly output: string;
  readonly stderr: string;
  /** Exit code, name of a signal, or the reason why the program did not start. */
  readonly end: number | string;
}

function runProgram(runtime: RuntimeProgram, place: string, args: readonly string[]): Promise<Ran> {
  const [home, workspace] = [join(place, 'home'), join(place, 'workspace')];
  for (const folder of [home, workspace]) mkdirSync(folder, { recursive: true });
  const child = spawn(runtime.program, [...runtime.arguments, ...args], {
    cwd: workspace,
    env: {
      // The demo and its tools run `node`, which is the Node of this process for Bun and Deno.
      PATH: `${dirname(runtime.program)}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
      HOME: home,
      LANG: 'C.UTF-8',
      TERM: 'dumb',
      ANTHROPIC_API_KEY: 'no-real-key',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LONGEST_MS,
    killSignal: 'SIGKILL',
  });
  let [output, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  child.stderr.on('data', (chunk) => (stderr += String(chunk)));
  return new Promise((resolve) => {
    child.on('error', ({ message }) => resolve({ output, stderr, end: message }));
    child.on('close', (code, signal) => resolve({ output, stderr, end: code ?? signal ?? 'no exit code' }));
  });
}

/** Returns the failures of a program that has ended. `problem` is a reason apart from its end. */
function partOf(part: TriedPart, { end, output, stderr }: Ran, problem: string | undefined): TriedRuntime {
  const last = lastLine(stderr) ?? lastLine(output) ?? 'no output';
  const failure = end === 0 ? problem : `ended with ${end}: ${last}`;
  return { failures: failure === undefined ? {} : { [part]: failure }, stderr };
}

function lastLine(text: string): string | undefined {
  return text.trim().split('\n').at(-1)?.slice(0, 300) || undefined;
}

function tryVersion(ran: Ran): TriedRuntime {
  const isVersion = /^\d+\.\d+\.\d+\n$/.test(ran.output);
  return partOf('command', ran, isVersion ? undefined : `printed ${JSON.stringify(ran.output)}`);
}

function tryDemo(ran: Ran): TriedRuntime {
  const isWhole = ran.output.includes('all bytes identical');
  return partOf('demo', ran, isWhole ? undefined : 'did not verify its requests');
}

/** Calls of `bash`, and the text that each result must contain, in the order of the calls. */
const BASH_CALLS: readonly { readonly input: { readonly [name: string]: unknown }; readonly expected: RegExp }[] = [
  {
    input: { command: 'echo out; echo err > /dev/stderr; exit 7' },
    expected: /out\nerr\n[^]*exit(?:ed with)?(?: code)? 7/,
  },
  { input: { command: 'seq 1 200000' }, expected: /\n199999\n200000\n/ },
  { input: { command: 'sleep 300 & echo begun; sleep 300', timeout_s: 1 }, expected: /begun\n[^]*timed out after 1 s/ },
  { input: { command: 'sleep 300 & echo left' }, expected: /left\n[^]*sleep 300/ },
];

const DONE = 'The commands have ended.';

/** Runs the command for one turn whose answers call `bash`. The settings are a file in TypeScript. */
async function tryBash(command: string, place: string, runs: Run): Promise<TriedRuntime> {
  const results: string[] = [];
  const answer = ({ toolResults }: ReceivedRequest): AnswerPlan => {
    results.push(...toolResults.map(({ text }) => text));
    const call = BASH_CALLS[results.length];
    return { answer: call === undefined ? { text: DONE } : { calls: [{ name: 'bash', arguments: call.input }] } };
  };
  const settings = join(place, 'tidemark.config.ts');
  writeFileSync(settings, "const mode: string = 'auto';\nexport default { mode };\n");
  const listening = await createSimulator({ onRequest: answer }).listen();
  try {
    const flags = ['--json', '--config', settings, '--allow-unsandboxed', '--base-url', listening.url];
    const ran = await runs(command, 'run', 'Run the commands.', ...flags);
    const wrong = BASH_CALLS.findIndex(({ expected }, index) => !expected.test(results[index] ?? ''));
    const problem =
      wrong === -1 ? undefined : `call ${wrong + 1} returned ${JSON.stringify(results[wrong]?.slice(-300))}`;
    return partOf('bash', ran, problem ?? (ran.output.includes(DONE) ? undefined : 'did not print the last answer'));
  } finally {
    await listening.close();
  }
}

const PROGRAM = fileURLToPath(new URL('runtime-program.ts', import.meta.url));

/** Each line that the program of a user prints, by the name of its store. */
const PRINTED = (store: string): string =>
  JSON.stringify({
    store,
    outcome: 'completed',
    text: 'It weighs {"article":"lamp","grams":512}.',
    refusal: 'log/locked',
    messages: 3,
  });

async function tryLibrary(release: string, place: string, runs: Run): Promise<TriedRuntime> {
  const program = join(release, 'runtime-program.mjs');
  copyFileSync(PROGRAM, program);
  const answer = ({ toolResults: [result] }: ReceivedRequest): AnswerPlan =>
    result === undefined
      ? { answer: { calls: [{ name: 'weigh', arguments: { article: 'lamp' } }] } }
      : { answer: { text: `It weighs ${result.text}.` } };
  const listening = await createSimulator({ onRequest: answer }).listen();
  try {
    const ran = await runs(program, listening.url, join(place, 'sessions'));
    const problem = (store: string): string | undefined =>
      ran.output.includes(PRINTED(store)) ? undefined : `printed ${lastLine(ran.output) ?? 'nothing'}`;
    const [memory, disk] = [partOf('memory', ran, problem('memory')), partOf('disk', ran, problem('disk'))];
    return { failures: { ...memory.failures, ...disk.failures }, stderr: ran.stderr };
  } finally {
    await listening.close();
    rmSync(program);
  }
}
