// Tests prompts that wait for the end of a turn, and turns whose end the log cannot contain.

import { createMemoryStore, defineTool } from '@tidemark/kit';
import type { Log, LogWriter } from '@tidemark/log';
import { callId, LogError } from '@tidemark/log';
import type { ScriptedAnswer } from '@tidemark/provider-scripted';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { ServerEvent } from './test-server.ts';
import { openTestServer } from './test-server.ts';

const says = (text: string): ScriptedAnswer => ({ parts: [{ type: 'text', text }] });
const waits: ScriptedAnswer = { parts: [{ type: 'call', call: callId('c1'), name: 'wait', arguments: '{}' }] };

/** Returns a tool whose call ends when `open` is called. */
function gate() {
  const opened = Promise.withResolvers<void>();
  const began = Promise.withResolvers<void>();
  const tool = defineTool({
    name: 'wait',
    description: 'Waits.',
    effect: 'read',
    input: z.object({}),
    run: async (_input, { signal }) => {
      began.resolve();
      signal.addEventListener('abort', () => opened.resolve(), { once: true });
      await opened.promise;
      return 'waited';
    },
  });
  return { tool, began: began.promise, open: opened.resolve };
}

const turnEnds = (count: number) => {
  let seen = 0;
  return ({ event, data }: ServerEvent): boolean => {
    if (event === 'record' && data.kind === 'turn.ended') seen += 1;
    return seen === count;
  };
};

test('a draft is listed while the turn runs, and is sent when it has completed', async () => {
  const { tool, began, open } = gate();
  await using place = await openTestServer({ answers: [waits, says('One.'), says('Two.')], agent: { tools: [tool] } });
  const { session } = (await place.send('POST', '/sessions', {})).body;
  const path = `/sessions/${session}`;
  await place.send('POST', `${path}/prompt`, { text: 'First.' });
  await began;
  expect((await place.send('POST', `${path}/prompt`, { text: 'Refused.' })).status).toBe(409);
  const queued = await place.send('POST', `${path}/drafts`, { text: 'Second.' });
  expect(queued).toMatchObject({ status: 202, body: { session, draft: { text: 'Second.' } } });
  expect((await place.send('GET', path)).body.drafts).toEqual([queued.body.draft]);
  const [state] = (await place.until(session, ({ event }) => event === 'state')).slice(-1);
  expect(state?.data.drafts).toEqual([queued.body.draft]);
  expect((await place.send('POST', `${path}/drafts`, { text: ' ' })).status).toBe(400);
  open();
  await place.until(session, turnEnds(2));
  const { messages } = (await place.send('GET', `${path}/messages`)).body;
  expect(messages.map(({ text }: { readonly text: string }) => text)).toEqual([
    'First.',
    '',
    'One.',
    'Second.',
    'Two.',
  ]);
  expect((await place.send('GET', path)).body.drafts).toBeUndefined();
});

test('a removed prompt is not sent, and without a running turn a draft is refused', async () => {
  const { tool, began, open } = gate();
  await using place = await openTestServer({ answers: [waits, says('One.'), says('Two.')], agent: { tools: [tool] } });
  const { session } = (await place.send('POST', '/sessions', {})).body;
  const path = `/sessions/${session}`;
  await place.send('POST', `${path}/prompt`, { text: 'First.' });
  await began;
  const { draft } = (await place.send('POST', `${path}/drafts`, { text: 'Removed.' })).body;
  expect((await place.send('DELETE', `${path}/drafts/${draft.id}`)).status).toBe(200);
  expect(await place.send('DELETE', `${path}/drafts/${draft.id}`)).toMatchObject({
    status: 404,
    body: { error: { code: 'server/no-such-draft' } },
  });
  open();
  await place.until(session, turnEnds(1));
  await expect.poll(async () => (await place.send('GET', path)).body.running).toBe(false);
  expect((await place.send('POST', `${path}/drafts`, { text: 'Second.' })).status).toBe(409);
  const { prompts } = (await place.send('GET', `${path}/prompts`)).body;
  expect(prompts.map(({ words }: { readonly words: string }) => words)).toEqual(['First.']);
});

test('after an interrupt a waiting prompt stays, and is sent after the next complete turn', async () => {
  const { tool, began } = gate();
  const answers = [waits, says('Go on.'), says('Last.')];
  await using place = await openTestServer({ answers, agent: { tools: [tool] } });
  const { session } = (await place.send('POST', '/sessions', {})).body;
  const path = `/sessions/${session}`;
  await place.send('POST', `${path}/prompt`, { text: 'First.' });
  await began;
  const { draft } = (await place.send('POST', `${path}/drafts`, { text: 'Waiting.' })).body;
  await place.send('POST', `${path}/interrupt`);
  expect((await place.send('GET', path)).body).toMatchObject({ running: false, drafts: [draft] });
  await place.send('POST', `${path}/prompt`, { text: 'Second.' });
  await place.until(session, turnEnds(3));
  const { prompts } = (await place.send('GET', `${path}/prompts`)).body;
  expect(prompts.map(({ words }: { readonly words: string }) => words)).toEqual(['First.', 'Second.', 'Waiting.']);
});

/** Returns a store whose writes fail while `isFull` returns true. A writer whose write failed is not used again. */
function fullStore(isFull: () => boolean): Log {
  const log = createMemoryStore();
  const failing = (writer: LogWriter): LogWriter => {
    let latched = false;
    return {
      session: writer.session,
      get length() {
        return writer.length;
      },
      get chain() {
        return writer.chain;
      },
      fence: writer.fence,
      async append(events, expected) {
        if (latched) throw new LogError('log/latched', 'an earlier write failed', {});
        latched = isFull();
        if (latched) throw new LogError('log/write-failed', 'the disk is full', {});
        return writer.append(events, expected);
      },
      sync: () => writer.sync(),
      close: () => writer.close(),
    };
  };
  return {
    ...log,
    create: async (session, parent) => failing(await log.create(session, parent)),
    open: async (session) => failing(await log.open(session)),
  };
}

/** Returns the error of a lost turn in the data of an event. */
function errorIn({ type, error, failure }: ServerEvent['data']): unknown {
  return type === 'turn.lost' ? error : failure;
}

test('a turn that a full disk ends is shown to readers, and the session goes on when the disk has space again', async () => {
  const { tool, began, open } = gate();
  let full = false;
  await using place = await openTestServer({
    answers: [waits, says('Never recorded.'), says('Recovered.')],
    agent: { tools: [tool] },
    log: fullStore(() => full),
  });
  const { session } = (await place.send('POST', '/sessions', {})).body;
  const path = `/sessions/${session}`;
  const { body } = await place.send('POST', `${path}/prompt`, { text: 'First.' });
  await began;
  // The error ends the open session too. A reader that did not take the event before that gets the error in the state.
  const lost = place.until(session, ({ data }) => errorIn(data) !== undefined, body.position);
  await place.until(session, ({ event }) => event === 'state', body.position);
  full = true;
  open();
  expect(errorIn((await lost).at(-1)?.data)).toMatchObject({ code: 'log/write-failed', message: 'the disk is full' });
  expect((await place.send('GET', path)).body).toMatchObject({
    running: false,
    failure: { code: 'log/write-failed' },
    resumable: true,
  });
  expect((await place.send('POST', `${path}/resume`)).status).toBe(503);
  full = false;
  expect((await place.send('POST', `${path}/resume`)).status).toBe(202);
  await place.until(session, turnEnds(1));
  const after = (await place.send('GET', path)).body;
  expect(after).toMatchObject({ turn: { open: false, outcome: 'completed' } });
  expect(after.failure).toBeUndefined();
});
