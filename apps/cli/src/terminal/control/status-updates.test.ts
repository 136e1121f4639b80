// Tests the facts of the status line against a session with scripted answers.

import type { AgentSession } from '@tidemark/kit';
import { createAgent, createMemoryStore } from '@tidemark/kit';
import { createScriptedProvider } from '@tidemark/provider-scripted';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

import type { Observable } from '../state/observable.ts';
import { createObservable } from '../state/observable.ts';
import { foldStatus, foldStatusRecord, NO_FACTS } from '../state/status-facts.ts';
import type { TerminalState } from '../state/terminal-state.ts';
import { EMPTY_CONVERSATION } from '../state/conversation.ts';
import { createStatusUpdates } from './status-updates.ts';

const FIRST: TerminalState = {
  conversation: EMPTY_CONVERSATION,
  generation: 0,
  running: false,
  stopping: false,
  mode: 'ask',
  queued: [],
  panel: undefined,
  status: NO_FACTS,
  readOnly: false,
};

const MODEL = 'claude-opus-5-5';
const usage = (read: number, written: number) => ({
  fresh: 0,
  read,
  writes: [{ ttl: '5m' as const, tokens: written }],
  answer: 20,
});

async function opened() {
  const store = createMemoryStore();
  const provider = createScriptedProvider({
    answers: [
      { parts: [{ type: 'text', text: 'One.' }], usage: usage(0, 9_000) },
      { parts: [{ type: 'text', text: 'Two.' }], usage: usage(9_000, 1_000) },
    ],
  });
  const agent = createAgent({ model: MODEL, provider, store, modelOptions: { parameters: { effort: 'high' } } });
  onTestFinished(() => agent.close());
  const session = await agent.open();
  const folder = await mkdtemp(join(tmpdir(), 'status-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, '.git'));
  await writeFile(join(folder, '.git', 'HEAD'), 'ref: refs/heads/feature/one\n');
  const state = createObservable(FIRST);
  const refresh = createStatusUpdates({
    state,
    session: () => session,
    workspace: () => folder,
    forecast: () => session.forecast(),
  });
  void hear(session, state);
  return { store, session, folder, state, refresh };
}

async function hear(session: AgentSession, state: Observable<TerminalState>): Promise<void> {
  for await (const event of session.events())
    state.set({ ...state.get(), status: foldStatus(state.get().status, event) });
}

test('the status has the model, the effort, the branch, the cost, the hit rate and the forecast after a turn', async () => {
  const { session, folder, state, refresh, store } = await opened();
  await refresh();
  expect(state.get().status).toMatchObject({
    model: MODEL,
    effort: 'high',
    branch: 'feature/one',
    next: { model: MODEL },
  });
  const running = (now: boolean): void => state.set({ ...state.get(), running: now });
  for (const words of ['one', 'two']) {
    running(true);
    await session.prompt(words);
    expect(state.get().status.next).toBeUndefined();
    running(false);
    await refresh();
  }
  const { status } = state.get();
  expect(status.hitRate).toBe(0.9);
  expect(status.next?.tokens.read).toBeGreaterThan(9_000);
  await writeFile(join(folder, '.git', 'HEAD'), '0123456789abcdef0123456789abcdef01234567\n');
  await refresh();
  expect(state.get().status.branch).toBe('0123456');
  // A terminal that opens the session later folds the same facts from the log.
  let later = NO_FACTS;
  for await (const record of store.read(session.id)) later = foldStatusRecord(later, record);
  const { branch: _branch, next: _next, gauge: _gauge, warmUntil: _warm, changes: _changes, ...lasting } = status;
  expect(later).toEqual({ ...lasting, changes: 0 });
  expect(Number(later.cost)).toBeGreaterThan(0);
});

test('a change of the reasoning leads to a new forecast without a turn', async () => {
  const { session, state, refresh } = await opened();
  await session.prompt('one');
  await refresh();
  const changed = Promise.withResolvers<void>();
  state.subscribe(() => {
    if (state.get().status.next?.parameters['effort'] === 'low') changed.resolve();
  });
  session.setReasoning({ effort: 'low' });
  await changed.promise;
  expect(state.get().status.effort).toBe('low');
});

test('a closed session has an unknown forecast', async () => {
  const { session, state, refresh } = await opened();
  await refresh();
  expect(state.get().status.next).toBeDefined();
  await session.close();
  await refresh();
  expect(state.get().status.next).toBeUndefined();
});
