// `npm run clients`: installs the coding agents of other makers into a separate folder, runs each for one turn with a
// tool against the simulator, and prints a table. The folder is `TIDEMARK_CLIENTS`, or one for temporary files.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Client, ClientTurn } from '../tests/scenarios/clients.ts';
import { CLIENTS, clientsFolder, missingReason, runClient } from '../tests/scenarios/clients.ts';
import { printTable } from './print-table.ts';

const folder = clientsFolder();

const rows: (readonly string[])[] = [['client', 'version', 'calls', 'tools run', 'cache hit rate', 'refusals']];
let failed = false;
for (const client of CLIENTS) rows.push(await tryClient(client));
printTable(rows);
if (failed) process.exitCode = 1;

async function tryClient(client: Client): Promise<readonly string[]> {
  const missing = install(client) ?? missingReason(client, folder);
  if (missing !== undefined) return [client.title, client.version, `not run: ${missing}`];
  process.stderr.write(`running ${client.title} ${client.version}\n`);
  return [client.title, client.version, ...report(await runClient(client, folder))];
}

function report({ calls, toolsRun, hitRate, refusals, failure }: ClientTurn): readonly string[] {
  failed ||= failure !== undefined || refusals.length > 0 || toolsRun === 0;
  const numbers = [String(calls.length), String(toolsRun), `${(hitRate * 100).toFixed(1)} %`];
  return [
    ...numbers,
    refusals.length === 0 ? 'none' : refusals.join('; '),
    ...(failure === undefined ? [] : [failure]),
  ];
}

/** Installs a client if its pinned version is missing. Returns the reason if npm cannot install it. */
function install(client: Client): string | undefined {
  if (missingReason(client, folder) === undefined) return undefined;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const manifest = join(folder, 'package.json');
  // npm would otherwise install into the next folder above that has a manifest.
  if (!existsSync(manifest)) writeFileSync(manifest, '{ "private": true }\n');
  const npm = process.env['npm_execpath'];
  const [command, ...first] = npm === undefined ? ['npm'] : [process.execPath, npm];
  const flags = ['--no-audit', '--no-fund', '--no-save', '--prefix', folder];
  const named = CLIENTS.map((each) => `${each.package}@${each.version}`);
  process.stderr.write(`installing ${[...new Set(named)].join(' ')} into ${folder}\n`);
  const { status, stderr, error } = spawnSync(command ?? 'npm', [...first, 'install', ...flags, ...new Set(named)], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (status === 0) return undefined;
  return `npm install failed: ${error?.message ?? stderr.trim().split('\n').at(-1)}`;
}
