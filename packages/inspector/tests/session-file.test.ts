// Tests the file of a session: it answers the page as a server does, it contains no secret, and no text ends its elements.

import { createHash } from 'node:crypto';
import { openSessionProjection } from '@tidemark/analytics';
import { createAgent, createMemoryStore } from '@tidemark/kit';
import type { Log, SessionId } from '@tidemark/log';
import { sessionId } from '@tidemark/log';
import { defaultCatalog, findModel } from '@tidemark/model';
import type { ScriptedAnswer } from '@tidemark/provider-scripted';
import { createScriptedProvider, scriptedEncoder } from '@tidemark/provider-scripted';
import { expect, test } from 'vitest';
import type { components } from '@tidemark/client';
import { addRecords, NO_CONVERSATION } from '../page/conversation.ts';
import { createFileFetch } from '../page/file/file-answers.ts';
import { openFile } from '../page/file/file-parts.ts';
import { blocksOf } from '../page/request-data.ts';
import {
  createRequestReader,
  listRequests,
  readBlockText,
  readCarryCosts,
  readCheckpoints,
  readRequest,
  readTimeline,
  readWhatIf,
  searchRequest,
  sessionFile,
} from '../src/index.ts';

const SECRET = 'hunter2-hunter2-hunter2';
const LONG = `A line that is long enough to be stored one time. </script><script>document.title='run'</script> `.repeat(
  3,
);

const says = (text: string): ScriptedAnswer => ({
  parts: [{ type: 'text', text }],
  usage: { fresh: 10, read: 900, writes: [{ ttl: '5m', tokens: 90 }], answer: 5 },
});

const looks = (input: object): ScriptedAnswer => ({
  parts: [{ type: 'call', call: 'c1', name: 'look', arguments: JSON.stringify(input) }],
  usage: { fresh: 5, read: 800, writes: [{ ttl: '5m', tokens: 40 }], answer: 9 },
  stop: 'calls',
});

/** Plays a session with a call, a checkpoint and a side call, and returns its log. */
async function playSession(): Promise<{ readonly log: Log; readonly session: SessionId }> {
  const log = createMemoryStore();
  const look = {
    name: 'look',
    description: 'Looks at something.',
    schema: { type: 'object' },
    effect: 'read',
    read: () => ({ title: 'look', run: async () => ({ text: `seen: ${LONG}` }) }),
  } as const;
  const answers = [
    looks({ path: LONG, $text: 3 }),
    says(`Answer with ${SECRET}.`),
    says('Title'),
    says('Second.'),
    says('Third.'),
  ];
  const agent = createAgent({
    model: 'claude-sonnet-5-5',
    provider: createScriptedProvider({ answers }),
    store: log,
    tools: [look],
    permissions: { mode: 'auto' },
  });
  const session = await agent.open(undefined, { title: `a <b>title</b> with ${SECRET}` });
  await session.prompt(`First ${LONG.repeat(60)}`);
  await session.side({ purpose: 'title', prompt: 'Name this conversation.', history: 'main' });
  await session.prompt('Second prompt.');
  expect(await session.compact({ tailTokens: 1 })).toMatchObject({ outcome: 'compacted' });
  await session.prompt('Third prompt.');
  await agent.close();
  return { log, session: sessionId(session.id) };
}

const mask = async (text: string): Promise<string> => text.replaceAll(SECRET, '[masked]');

async function writeFile(log: Log, sessions: readonly SessionId[]) {
  const reader = createRequestReader(log, (revision) =>
    revision === scriptedEncoder.revision ? scriptedEncoder : undefined,
  );
  const projection = await openSessionProjection({
    log,
    rowOf: (provider, model) => findModel(defaultCatalog(), model, provider),
    rules: '',
    path: undefined,
  });
  await projection.update();
  return { html: await sessionFile(sessions, { log, reader, projection, mask }), reader, projection };
}

/** Opens a file as the page does, and returns a function that asks it. */
async function openHtml(html: string) {
  const file = await openFile(
    (id) => new RegExp(`<script type="text/plain" id="${id}">(.*?)</script>`).exec(html)?.[1],
  );
  if (file === undefined) throw new Error('the page has no data');
  const answer = createFileFetch(file);
  return async (path: string, method = 'GET') => {
    const response = await answer(new Request(`file-data://session${path}`, { method }));
    return { status: response.status, body: JSON.parse(await response.text()) };
  };
}

test('a file answers the requests, texts, searches and costs of a session as a server does', async () => {
  const { log, session } = await playSession();
  const { html, reader } = await writeFile(log, [session]);
  const ask = await openHtml(html);
  const requests = await reader(session);
  expect((await ask(`/sessions/${session}/requests`)).body).toEqual(listRequests(requests));
  const positions = requests.requests.map(({ position }) => position);
  expect(positions.length).toBeGreaterThanOrEqual(5);
  for (const [index, position] of positions.entries()) {
    const path = `/sessions/${session}/requests/${position}`;
    const known = positions[index - 1] ?? position;
    for (const other of [undefined, known]) {
      const expected = await readRequest(requests, position, other);
      const { body } = await ask(`${path}${other === undefined ? '' : `?known=${other}`}`);
      const { blocks: _expectedBlocks, ...head } = { ...expected };
      const { blocks: _blocks, ...fileHead } = body;
      expect(fileHead).toEqual(masked(head));
      expect(blocksOf(body)).toEqual(masked(expected === undefined ? [] : blocksOf(mutable(expected))));
    }
    expect((await ask(`${path}/costs`)).body).toEqual(await readCarryCosts(requests, position));
    expect((await ask(`${path}/search?text=LINE`)).body).toEqual(await searchRequest(requests, position, 'LINE'));
    const total: number = (await ask(path)).body.total;
    for (let block = 0; block < total; block += 1)
      for (const sent of [true, false]) {
        const expected = await readBlockText(requests, position, block, { from: 0, to: Infinity, sent });
        const { body } = await ask(`${path}/blocks/${block}?form=${sent ? 'sent' : 'text'}`);
        expect(body.text).toBe(await mask(expected?.text ?? ''));
      }
  }
  expect((await ask(`/sessions/${session}/requests/1`)).status).toBe(404);
});

/** Masks the secret in a value. */
function masked<Value>(value: Value): Value {
  const copy: Value = JSON.parse(JSON.stringify(value).replaceAll(SECRET, '[masked]'));
  return copy;
}

/** Returns a structure as JSON makes it. */
function mutable(value: object): components['schemas']['RequestStructure'] {
  return JSON.parse(JSON.stringify(value));
}

test('a file shows the conversation, the checkpoints, the timeline, the calls and the costs of its session', async () => {
  const { log, session } = await playSession();
  const { html, projection, reader } = await writeFile(log, [session]);
  const ask = await openHtml(html);
  const records = await Array.fromAsync(log.read(session));
  const page = (await ask(`/sessions/${session}/records?from=0&limit=1000`)).body;
  expect(page.next).toBe(records.length);
  const { entries, running } = addRecords(NO_CONVERSATION, page.records);
  expect({ entries, running }).toEqual({
    entries: masked(addRecords(NO_CONVERSATION, records).entries),
    running: false,
  });
  expect(entries.map(({ type }) => type)).toEqual([
    'prompt',
    'call',
    'answer',
    'prompt',
    'answer',
    'note',
    'prompt',
    'answer',
  ]);
  const middle = (await ask(`/sessions/${session}/records?from=3&limit=4`)).body;
  expect(middle.next).toBe(7);
  expect(middle.records.every(({ position }: { position: number }) => position >= 3 && position < 7)).toBe(true);
  const checkpoints = masked(await readCheckpoints(log, session));
  expect(checkpoints).toHaveLength(1);
  expect((await ask(`/sessions/${session}/checkpoints`)).body).toEqual({ checkpoints });
  expect((await ask(`/sessions/${session}/timeline`)).body).toEqual(await readTimeline(projection, session));
  const { calls } = await projection.calls(session, { from: 0, limit: 1_000 });
  const last = calls.at(-1);
  expect((await ask(`/sessions/${session}/calls?from=${last?.answer}&limit=1`)).body.calls).toEqual([last]);
  for (const by of ['cause', 'model', 'day'] as const)
    expect((await ask(`/analytics/cost?session=${session}&by=${by}&window=all`)).body).toMatchObject(
      await projection.cost({ session }, by),
    );
  expect((await ask(`/sessions/${session}/what-if`)).body).toEqual(await readWhatIf(await reader(session)));
  const listed = (await ask(`/analytics/sessions?session=${session}&limit=1`)).body.sessions;
  expect(listed).toMatchObject([{ session, title: 'a <b>title</b> with [masked]', running: false, questions: 0 }]);
});

test('no text of a session ends an element of the file, and only the script of the page runs', async () => {
  const { log, session } = await playSession();
  const { html } = await writeFile(log, [session]);
  const scripts = [...html.matchAll(/<script\b([^>]*)>/g)].map(([, attributes]) => attributes?.trim());
  expect(scripts).toEqual([
    'type="text/plain" id="tidemark-index"',
    ...['calls', 'requests', 'conversation', 'texts'].map((name) => `type="text/plain" id="tidemark-0-${name}"`),
    'type="module"',
  ]);
  expect(html).not.toContain("document.title='run'");
  const script = /<script type="module">(.*?)<\/script>/s.exec(html)?.[1] ?? '';
  const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? '';
  expect(policy).toMatch(/^default-src 'none'; /);
  expect(policy).toContain("connect-src 'none'");
  expect(policy).toContain(`script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`);
  expect(policy.indexOf('unsafe')).toBe(-1);
  expect(html.indexOf('http-equiv')).toBeLessThan(html.indexOf('<style'));
});

test('a file refuses changes, other sessions and unknown questions', async () => {
  const { log, session } = await playSession();
  const { html } = await writeFile(log, [session]);
  const ask = await openHtml(html);
  expect((await ask(`/sessions/${session}/prompt`, 'POST')).status).toBe(405);
  expect((await ask('/sessions/other/timeline')).body.error.message).toBe(
    'this file does not contain the session other',
  );
  expect((await ask(`/sessions/${session}/unknown`)).status).toBe(404);
  expect((await ask('/analytics/cost?by=model')).status).toBe(404);
});
