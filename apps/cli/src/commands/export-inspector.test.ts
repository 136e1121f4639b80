// Tests `tidemark export --format inspector`: the file contains the session and, with `--tree`, its forks and subagents.
// It contains no secret, and nothing in it runs except the page.

import { gunzipSync } from 'node:zlib';
import type { Log } from '@tidemark/log';
import { callId, sessionId, timestamp } from '@tidemark/log';
import { createMemoryStore } from '@tidemark/store-memory';
import { openNdjsonStore } from '@tidemark/store-ndjson';
import { expect, onTestFinished, test } from 'vitest';

import { hostile, HOSTILE, ID, recorded, SECRET } from '../../tests/hostile-session.ts';
import { playSession } from '../../tests/played-session.ts';
import type { Ran } from '../../tests/pretend-run.ts';
import { pretendRun, pretendStore } from '../../tests/pretend-run.ts';
import { openStage } from '../../tests/scenario.ts';

function exported(store: Log, ...args: readonly string[]): Promise<Ran> {
  const environment = { MY_API_TOKEN: SECRET };
  return pretendRun(['export', ...args], { store: pretendStore(store), environment });
}

/** Returns the parts of the data by name, decompressed. */
function partsOf(html: string): ReadonlyMap<string, string> {
  const found = html.matchAll(/<script type="text\/plain" id="tidemark-([^"]*)">([^<]*)<\/script>/g);
  return new Map(
    [...found].map(([, name = '', content = '']) => [name, gunzipSync(Buffer.from(content, 'base64')).toString()]),
  );
}

test('the file contains the session, masks values that are secret now, and runs only the page', async () => {
  const { exit, out, err } = await exported(await recorded(hostile), ID, '--format', 'inspector');
  expect([exit, err]).toEqual([0, '']);
  expect(out.startsWith('<!doctype html>\n')).toBe(true);
  expect(out.trimEnd().endsWith('</html>')).toBe(true);
  expect(out).toContain(`content="default-src 'none'; script-src 'sha256-`);
  expect(out).not.toContain('alert(1)');
  expect(out.match(/<script type="module">/g)).toHaveLength(1);
  const parts = partsOf(out);
  expect([...parts.keys()]).toEqual(['index', '0-calls', '0-requests', '0-conversation', '0-texts']);
  expect(JSON.parse(parts.get('index') ?? '').sessions).toMatchObject([{ session: ID, title: HOSTILE }]);
  expect(parts.get('0-texts')).toContain(JSON.stringify(`look ${HOSTILE}`));
  expect([...parts.values()].filter((part) => part.includes(SECRET))).toEqual([]);
});

test('the file of a real session has each of its calls, and each request with its blocks', async () => {
  const store = createMemoryStore();
  const id = await playSession(store);
  const records = await Array.fromAsync(store.read(sessionId(id)));
  const positions = (kind: string): readonly number[] =>
    records.filter((record) => record.kind === kind).map(({ position }) => position);
  const parts = partsOf((await exported(store, id, '--format', 'inspector')).out);
  const calls: readonly { readonly answer: number }[] = JSON.parse(parts.get('0-calls') ?? '');
  const { requests, blocks } = JSON.parse(parts.get('0-requests') ?? '');
  expect(calls.map(({ answer }) => answer)).toEqual(positions('answer.received'));
  expect(requests.map(({ position }: { position: number }) => position)).toEqual(positions('request.prepared'));
  expect(requests.every(({ verified }: { verified: boolean }) => verified)).toBe(true);
  expect(blocks.sent.length).toBe(blocks.cost.length);
});

test('`--tree` adds the forks and subagents of the session, and not its ancestors', async () => {
  const stage = openStage();
  onTestFinished(stage.clear);
  const store = openNdjsonStore({ home: stage.home });
  for (const [id, parent] of [
    ['above', undefined],
    ['middle', 'above'],
    ['below', 'middle'],
    ['other', 'above'],
  ] as const) {
    const writer = await store.create(sessionId(id));
    const at = timestamp('2026-11-20T12:00:00.000Z');
    const startedBy = parent && { session: sessionId(parent), call: callId('c1'), depth: 1 };
    const data = { id: sessionId(id), root: sessionId(id), workspace: '/w', ...(startedBy && { startedBy }) };
    await writer.append([{ kind: 'session.created', at, data }], 0);
    await writer.close();
  }
  const { out, err } = await pretendRun(['export', 'middle', '--format', 'inspector', '--tree'], { store });
  expect(err).toBe('');
  const index = JSON.parse(partsOf(out).get('index') ?? '');
  expect(index.sessions.map(({ session }: { session: string }) => session)).toEqual(['middle', 'below']);
});

test('`--tree` is refused for other formats', async () => {
  const { exit, err } = await exported(await recorded(hostile), ID, '--format', 'html', '--tree');
  expect(exit).not.toBe(0);
  expect(err).toContain('`--tree` needs `--format inspector`');
});
