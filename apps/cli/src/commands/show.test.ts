// Tests `tidemark show`, `why` and `verify` on a session with side calls.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import {
  commit,
  createSession,
  keepCapabilities,
  newHash,
  prepareRequest,
  recordAnswer,
  type CallOptions,
  type PromptStreams,
  type Session,
} from '@tidemark/agent';
import { composeFront } from '@tidemark/context';
import { sessionId, timestamp } from '@tidemark/log';
import { defaultCatalog, findModel } from '@tidemark/model';
import { anthropicEncoder } from '@tidemark/provider-anthropic';
import { openNdjsonStore } from '@tidemark/store-ndjson';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { pretendRun } from '../../tests/pretend-run.ts';

const ID = sessionId('s1');
const home = mkdtempSync(join(tmpdir(), 'tidemark-show-'));
const store = openNdjsonStore({ home });
const at = timestamp('2026-11-20T12:00:00.000Z');
afterAll(() => rmSync(home, { recursive: true, force: true }));

beforeAll(async () => {
  const session = await createSession(store, ID);
  const promptStreams: PromptStreams = { main: undefined };
  await commit(session, [
    { kind: 'session.created', at, data: { id: ID, root: ID, workspace: '/w' } },
    { kind: 'prompt.given', at, data: { parts: [{ type: 'text', text: 'word '.repeat(8_000) }], presenter: 'test' } },
  ]);
  const call = async (beside?: CallOptions['beside']): Promise<void> => ask(session, promptStreams, beside);
  const extra = [{ type: 'text', text: 'Name this.' }] as const;
  await call({ stream: 'side/title-1', extra, history: 'none' });
  await call();
  await call({ stream: 'side/title-2', extra, history: 'main' });
  await session.writer.close();
});

async function ask(session: Session, promptStreams: PromptStreams, beside: CallOptions['beside']): Promise<void> {
  const capabilities = findModel(defaultCatalog(), 'claude-sonnet-4-5', 'anthropic');
  if (capabilities === undefined) throw new Error('the catalog has no such model');
  const prepared = await prepareRequest(session, promptStreams, {
    at,
    wanted: {
      provider: 'anthropic',
      model: capabilities.model,
      parameters: {},
      capabilities: await keepCapabilities(store.artifacts, capabilities),
      texts: composeFront({ tools: [] }, newHash),
    },
    capabilities,
    encoder: anthropicEncoder,
    outputLimit: 1_000,
    ...(beside === undefined ? {} : { beside, purpose: 'title' }),
  });
  const usage = { fresh: 3, read: 0, writes: [{ ttl: '5m', tokens: 8_000 }], answer: 5 } as const;
  const parts = [{ type: 'text', text: 'done' }] as const;
  await recordAnswer(session, prepared, { parts, stop: 'end', truncated: 'no', usage }, at);
}

test('`show` prints how full the next request is', async () => {
  const { out } = await pretendRun(['show', 's1'], { store });
  expect(out).toMatch(/^the next request: about 8,0\d\d.* of 200,000 tokens \(4%\), calm; 0\.0 of 32\.0 MB$/m);
  const { out: json } = await pretendRun(['show', 's1', '--json'], { store });
  expect(JSON.parse(json).gauge).toMatchObject({ limit: 200_000, tier: 'calm', hard: 170_000, bytesLimit: 32_000_000 });
});

test('`show` lists a side call on its own line and does not count it as a step', async () => {
  const { out } = await pretendRun(['show', 's1'], { store });
  expect(out).toContain('1 step, 2 side calls');
  const { out: json } = await pretendRun(['show', 's1', '--json'], { store });
  expect(JSON.parse(json).steps).toMatchObject([
    { step: null, stream: 'side/title-1', purpose: 'title' },
    { step: 0, stream: 'main', purpose: null },
    { step: null, stream: 'side/title-2', purpose: 'title' },
  ]);
});

test('`show` prints the request of a step after a side call, and the request of a side call by its stream', async () => {
  const { out: step } = await pretendRun(['show', 's1', '0'], { store });
  expect(step).toContain('the first request');
  const { out: side } = await pretendRun(['show', 's1', 'side/title-2'], { store });
  expect(side).toContain('a side call: title');
  expect(side).toContain('Name this.');
});

test('`why` explains the miss of a side call by its purpose, and `verify` checks all three requests', async () => {
  const { out } = await pretendRun(['why', 's1'], { store });
  expect(out).toContain('title (side/title-2) at');
  const { exit, out: verified } = await pretendRun(['verify', 's1', '--json'], { store });
  expect(exit).toBe(0);
  expect(JSON.parse(verified)).toMatchObject({ ok: true, requests: 3, differences: [], breaks: [] });
});
