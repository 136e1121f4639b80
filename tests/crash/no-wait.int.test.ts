// No endless wait: replaces a file that a session reads by something that is not a regular file, or that has no end.
// This covers files of the session's home between two processes, and files of its workspace during a turn. The next
// process completes its turn or ends with a typed error. When the original file is back, the session continues with
// everything acknowledged. By default one kind of replacement is tried for each file, and `npm run torture` tries all.

import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { THIS_MACHINE } from '@tidemark/agent';
import { createAgent } from '@tidemark/kit';
import { sessionId } from '@tidemark/log';
import type { Recorded } from '@tidemark/log';
import { createSimulator } from '@tidemark/simulator';
import { openNdjsonStore } from '@tidemark/store-ndjson';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WIRES } from './provider-wires.ts';
import { PATIENCE, WHOLE, tally } from './tally.ts';

type Put = (path: string) => unknown;

const KINDS: readonly (readonly [kind: string, put: Put])[] = [
  ['a pipe', (path) => execFileSync('mkfifo', [path])],
  ['a device without end', (path) => symlink('/dev/zero', path)],
  ['a folder', (path) => mkdir(path)],
  ['a loop of links', (path) => symlink(path, path)],
  ['a file of 20 GB', async (path) => (await writeFile(path, ''), truncate(path, 20 * 1024 ** 3))],
];
/** Paths relative to the home. `SESSION` is replaced by the session's folder, and `ARTIFACT` by its first artifact. */
const HOME_PLACES = ['SESSION/log.ndjson', 'SESSION/snapshot', 'SESSION/lease.db', 'ARTIFACT', 'shared/warm-fronts'];
const WORKSPACE_PLACES = [
  '.gitignore',
  '.ignore',
  'notes.txt',
  'AGENTS.md',
  '.tidemark/MEMORY.md',
  '.git/HEAD',
  '.npmrc',
];

const CALLS = [
  { id: 'call_1', name: 'read', arguments: { path: 'notes.txt' } },
  { id: 'call_2', name: 'read', arguments: { path: 'AGENTS.md' } },
  { id: 'call_3', name: 'grep', arguments: { pattern: 'needle' } },
  { id: 'call_4', name: 'find', arguments: {} },
  { id: 'call_5', name: 'ls', arguments: {} },
  { id: 'call_6', name: 'edit', arguments: { path: 'notes.txt', old_text: 'a', new_text: 'b' } },
  { id: 'call_7', name: 'write', arguments: { path: 'AGENTS.md', content: 'x' } },
];

const counted = { tried: 0, completed: 0, refused: 0 };
const wire = WIRES.find(({ sockets }) => !sockets);
let root: string;
let url: string;
let close: () => Promise<void>;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'tidemark-no-wait-'));
  const simulator = createSimulator({
    onRequest: ({ toolResults, lastUserText }) => ({
      answer:
        toolResults.length === 0 && lastUserText.includes('Look')
          ? { text: 'I look.', calls: CALLS }
          : { text: 'Done.' },
    }),
  });
  const listening = await simulator.listen();
  url = listening.url;
  close = () => listening.close();
});

afterAll(async () => {
  await close();
  await rm(root, { recursive: true, force: true });
  tally('no wait without end', {
    places: HOME_PLACES.length + WORKSPACE_PLACES.length,
    kinds: KINDS.length,
    cases: counted.tried,
    'completed their turn': counted.completed,
    'ended with a typed error': counted.refused,
    'waits without end': 0,
  });
});

interface Stage {
  readonly home: string;
  readonly workspace: string;
  session?: string;
}

async function newStage(): Promise<Stage> {
  return { home: await mkdtemp(join(root, 'home-')), workspace: await mkdtemp(join(root, 'work-')) };
}

/**
 * Acts as one process: creates an agent, opens the session, sends one prompt and closes the agent. Returns the outcome
 * of the turn, or the code of the error that was thrown.
 */
async function live(stage: Stage, words: string): Promise<string> {
  const { home, workspace } = stage;
  if (wire === undefined) throw new Error('there is a wire over HTTP');
  const agent = createAgent({
    model: wire.model,
    provider: wire.provider(url, 600_000),
    store: openNdjsonStore({ home }),
    workspace,
    maxOutputTokens: 1_000,
    permissions: { mode: 'auto' },
    host: { clock: THIS_MACHINE },
  });
  try {
    const session = await agent.open(stage.session);
    stage.session = session.id;
    const { outcome } = await session.prompt(words);
    return outcome;
  } catch (error) {
    if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
    throw error;
  } finally {
    await agent.close();
  }
}

async function recordsIn({ home, session = '' }: Stage): Promise<readonly Recorded[]> {
  const records: Recorded[] = [];
  for await (const record of openNdjsonStore({ home }).read(sessionId(session))) records.push(record);
  return records;
}

async function firstArtifact(home: string): Promise<string> {
  const names = await readdir(join(home, 'artifacts'), { recursive: true, withFileTypes: true });
  const found = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return found.toSorted()[0] ?? join(home, 'artifacts', 'none');
}

interface Case {
  readonly place: string;
  readonly kind: string;
  readonly put: Put;
}

function casesOf(places: readonly string[]): readonly Case[] {
  const all = places.map((place) => KINDS.map(([kind, put]): Case => ({ place, kind, put })));
  return WHOLE ? all.flat() : all.flatMap((each, index) => each[index % each.length] ?? []);
}

/** Replaces the file at a path by the result of `put`. Returns a function that restores the original file. */
async function strike(path: string, put: Put): Promise<() => Promise<void>> {
  const kept = `${path}.kept`;
  await mkdir(dirname(path), { recursive: true });
  const wasThere = await rename(path, kept).then(
    () => true,
    () => false,
  );
  await put(path);
  return async () => {
    await rm(path, { recursive: true, force: true });
    if (wasThere) await rename(kept, path);
  };
}

const TYPED = /^(log|artifact|workspace|file|agent|kit)\//;

describe.skipIf(process.platform !== 'linux')(
  'a session (tested on Linux only, because other systems lack some of these kinds of file)',
  () => {
    it.each(casesOf(HOME_PLACES).map((one) => [one.place, one.kind, one] as const))(
      'whose %s is %s completes its turn or ends with a typed error, and continues after the file is restored',
      PATIENCE,
      async (_place, _kind, { place, put }) => {
        counted.tried += 1;
        const stage = await newStage();
        const { home } = stage;
        expect(await live(stage, 'Look.')).toBe('completed');
        const before = await recordsIn(stage);
        const path =
          place === 'ARTIFACT'
            ? await firstArtifact(home)
            : join(home, place.replace('SESSION', `sessions/${stage.session}`));
        const restore = await strike(path, put);
        const ended = await live(stage, 'Look again.');
        if (ended === 'completed') counted.completed += 1;
        else counted.refused += 1;
        if (ended !== 'completed') expect(ended).toMatch(TYPED);
        await restore();
        expect(await live(stage, 'Are you there?')).toBe('completed');
        expect((await recordsIn(stage)).slice(0, before.length)).toEqual(before);
      },
    );

    it.each(casesOf(WORKSPACE_PLACES).map((one) => [one.place, one.kind, one] as const))(
      'in whose workspace %s is %s completes a turn that calls the file tools',
      PATIENCE,
      async (_place, _kind, { place, put }) => {
        counted.tried += 1;
        const stage = await newStage();
        const { workspace } = stage;
        await writeFile(join(workspace, 'a.txt'), 'a needle\n');
        await strike(join(workspace, place), put);
        expect(await live(stage, 'Look.')).toBe('completed');
        const closed = (await recordsIn(stage)).filter(
          ({ kind }) => kind === 'tool.returned' || kind === 'tool.failed',
        );
        expect(closed.length).toBeGreaterThanOrEqual(CALLS.length - 2);
        counted.completed += 1;
      },
    );
  },
);
