// `npm run runtimes`: packs the release, installs it and other runtimes (versions of Node, Bun, Deno) into a folder of
// their own, tries the release under each runtime, and prints a table. The folder is `TIDEMARK_RUNTIMES`, or one for
// temporary files.

import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Runtime, TriedPart, TriedRuntime } from '../tests/scenarios/runtimes.ts';
import {
  missingReason,
  programOf,
  RUNTIMES,
  runtimeFolder,
  runtimesFolder,
  TRIED_PARTS,
  tryRuntime,
} from '../tests/scenarios/runtimes.ts';
import { printTable } from './print-table.ts';

const RELEASE = fileURLToPath(new URL('release.ts', import.meta.url));

const folder = runtimesFolder();
const archives = packRelease();
const rows: (readonly string[])[] = [['runtime', 'version', ...TRIED_PARTS, 'stderr']];
let failed = false;
for (const runtime of RUNTIMES) rows.push(await rowOf(runtime));
printTable(rows);
if (failed) process.exitCode = 1;

/** Writes the release as archives, as they would be published. Returns their paths. */
function packRelease(): readonly string[] {
  const [release, packed] = [join(folder, 'release'), join(folder, 'packed')];
  for (const each of [release, packed]) rmSync(each, { recursive: true, force: true });
  mkdirSync(packed, { recursive: true, mode: 0o700 });
  requireRun(process.execPath, [RELEASE, release]);
  const modules = join(release, 'node_modules');
  const packages = globSync(['tidemark', '@tidemark/*'], { cwd: modules }).map((name) => join(modules, name));
  const problem = npm(['pack', '--pack-destination', packed, ...packages], packed);
  if (problem !== undefined) throw new Error(`npm pack failed: ${problem}`);
  return globSync('*.tgz', { cwd: packed }).map((name) => join(packed, name));
}

function requireRun(command: string, args: readonly string[]): void {
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

async function rowOf(runtime: Runtime): Promise<readonly string[]> {
  const missing = installRuntime(runtime) ?? missingReason(runtime, folder);
  // A runtime that cannot be installed is no failure of the release.
  const { title, version } = runtime;
  if (missing !== undefined) return [title, version, `not run: ${missing}`];
  const installed = join(folder, 'installed', `${runtime.package}-${runtime.version}`);
  process.stderr.write(`trying the release under ${title} ${version}\n`);
  const problem = installRelease(runtime, installed);
  failed ||= problem !== undefined;
  if (problem !== undefined) return [title, version, `the release was not installed: ${problem}`];
  return [title, version, ...cellsOf(await tryRuntime(programOf(runtime, folder), installed))];
}

function cellsOf({ failures, stderr }: TriedRuntime): readonly string[] {
  failed ||= stderr !== '' || Object.keys(failures).length > 0;
  const cell = (part: TriedPart): string => failures[part] ?? 'works';
  return [...TRIED_PARTS.map(cell), stderr === '' ? 'empty' : JSON.stringify(stderr.slice(0, 300))];
}

/** Installs a runtime if its pinned version is missing. Returns the reason if npm cannot install it. */
function installRuntime(runtime: Runtime): string | undefined {
  if (missingReason(runtime, folder) === undefined) return undefined;
  const place = runtimeFolder(runtime, folder);
  const named = `${runtime.package}@${runtime.version}`;
  process.stderr.write(`installing ${named} into ${place}\n`);
  makeProject(place, [runtime.package]);
  return npm(['install', '--no-save', named], place);
}

/**
 * Installs the release with npm. The npm runs under the tried Node, so it refuses a Node that `engines` excludes. Returns
 * the reason if the release cannot be installed.
 */
function installRelease(runtime: Runtime, installed: string): string | undefined {
  rmSync(installed, { recursive: true, force: true });
  makeProject(installed, []);
  const own = runtime.package === 'node' ? programOf(runtime, folder).program : process.execPath;
  return npm(['install', '--no-save', '--engine-strict', ...archives], installed, own);
}

/** Creates a folder with a manifest, because npm would otherwise install into the next folder above that has one. */
function makeProject(place: string, withScripts: readonly string[]): void {
  mkdirSync(place, { recursive: true, mode: 0o700 });
  const allowScripts = Object.fromEntries(withScripts.map((name) => [name, true]));
  const manifest = join(place, 'package.json');
  if (!existsSync(manifest)) writeFileSync(manifest, JSON.stringify({ private: true, allowScripts }));
}

/** Runs npm under a Node. Returns its last line about an error if it fails. */
function npm(args: readonly string[], cwd: string, own: string = process.execPath): string | undefined {
  const script = process.env['npm_execpath'];
  const [command, ...first] = script === undefined ? ['npm'] : [own, script];
  const flags = ['--no-audit', '--no-fund', '--loglevel=error'];
  const { status, stderr, error } = spawnSync(command ?? 'npm', [...first, ...args, ...flags], {
    cwd,
    encoding: 'utf8',
    // The scripts of packages, and an npm of the PATH, run under the same Node.
    env: { ...process.env, PATH: [dirname(own), process.env['PATH']].join(delimiter) },
  });
  if (status === 0) return undefined;
  return error?.message ?? stderr.trim().split('\n').slice(0, 3).join('; ');
}
