// Guide on embedding: each program that the page shows runs against the simulator, and the lines on the page are lines
// of the program's file.

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { verifySession } from '@tidemark/agent';
import { sessionId } from '@tidemark/log';
import type { Recorded } from '@tidemark/log';
import { anthropicEncoder } from '@tidemark/provider-anthropic';
import type { PlannedAnswer, ReceivedRequest } from '@tidemark/simulator';
import { createSimulator, parseScenario } from '@tidemark/simulator';
import { openNdjsonStore } from '@tidemark/store-ndjson';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readPage } from './documents.ts';
import { blocksIn } from './read-blocks.ts';
import type { Ended, Heard } from './run-snippet.ts';
import { SNIPPETS, runProgram, runSnippet } from './run-snippet.ts';
import { ROOT } from './run-tidemark.ts';

const PAGE = join('docs', 'guides', '03-embed.md');
const blocks = blocksIn(await readPage(ROOT, PAGE));

describe(PAGE, () => {
  const shown = blocks.flatMap((block) => {
    const [language, name] = block.language.split(' ');
    return name === undefined || language === undefined ? [] : [{ ...block, language, name }];
  });

  test('shows each program, and the scenario of the first one', () => {
    const names = new Set(shown.map(({ name }) => name));
    expect([...names].toSorted()).toEqual([
      'join-desk.ts',
      'moving-desk.ts',
      'order-desk.json',
      'order-desk.ts',
      'order-tools.ts',
      'served-desk.ts',
      'steered-desk.ts',
      'typed-desk.ts',
      'whole-desk.ts',
    ]);
    expect(blocks.filter(({ language }) => language === 'ts')).toEqual([]);
  });

  test.each(shown)('shows lines of $name unchanged, after line $line', async ({ name, lines }) => {
    const program = (await readFile(join(ROOT, SNIPPETS, name), 'utf8')).split('\n').map((line) => line.trim());
    expect(program.join('\n')).toContain(lines.map((line) => line.trim()).join('\n'));
  });

  test('shows the whole first program', async () => {
    const [first] = shown;
    expect(`${first?.lines.join('\n')}\n`).toBe(await readFile(join(ROOT, SNIPPETS, 'order-desk.ts'), 'utf8'));
  });
});

describe('the short program `order-desk.ts`', () => {
  const text = blocks.find(({ language }) => language === 'text');
  const done = { exit: 0, signal: null, out: `${text?.lines.join('\n')}\n`, err: '' };
  const listen = async (): Promise<string> => {
    const scenario = parseScenario(JSON.parse(await readFile(join(ROOT, SNIPPETS, 'order-desk.json'), 'utf8')));
    const listening = await createSimulator({ scenario }).listen();
    onTestFinished(() => listening.close());
    return listening.url;
  };

  test('looks up the order, refunds it and reports the refund', async () => {
    expect(await runSnippet('order-desk.ts', [], { folder: await aFolder(), url: await listen() })).toEqual(done);
  });

  test('does the same from a few bundled files, without installed packages', async () => {
    const stage = { folder: await aFolder(), url: await listen() };
    expect(await runSnippet('join-desk.ts', [], stage)).toMatchObject({ exit: 0, err: '' });
    expect((await readdir(join(stage.folder, 'built'))).length).toBeLessThan(30);
    expect(await runProgram(join(stage.folder, 'built', 'order-desk.mjs'), [], stage)).toEqual(done);
  });
});

const FIND: PlannedAnswer = {
  text: 'I look.',
  calls: [{ id: 'call_find', name: 'find_order', arguments: { order: 'A-17' } }],
};
const HALF: PlannedAnswer = {
  calls: [{ id: 'call_half', name: 'refund', arguments: { order: 'A-17', euros: 19.5 } }],
};

describe('the program `whole-desk.ts`', () => {
  const answers = [FIND, HALF, { text: 'Half of it is paid back.' }];

  test('continues after a kill without repeating an answered request or a finished tool call', async () => {
    const { url, folder, requests } = await aDesk(answers);
    const killed = await runSnippet('whole-desk.ts', [], { folder, url, hear: when(/\(y\/n\)/, kill) });
    expect(killed).toMatchObject({ signal: 'SIGKILL' });
    const ended = await goOn(folder, url, killed, when(/\(y\/n\)/, say('y\n')));
    expect(ended.out).toMatch(
      /Half of it is paid back\.\ncompleted, 3 steps, \$0\.0\d+ \nA lamp, half paid back, \$0\.0/,
    );
    expect(ended.err).toMatch(/refund 19\.5 euros of A-17\? \(y\/n\) paying A-17\n/);
    expect(requests).toHaveLength(4);
    const records = await recordsOf(folder, killed);
    expect(startsOf(records)).toEqual(['call_find', 'call_half']);
  });

  test('keeps a valid session when interrupted during a question, and continues it', async () => {
    const { url, folder } = await aDesk(answers);
    const interrupted = await runSnippet('whole-desk.ts', [], { folder, url, hear: when(/\(y\/n\)/, signal) });
    expect(interrupted.out).toMatch(/interrupted, 2 steps/);
    const ended = await goOn(folder, url, interrupted, () => undefined);
    expect(ended.out).toMatch(/completed, 1 steps/);
    expect(startsOf(await recordsOf(folder, interrupted))).toEqual(['call_find']);
  });

  async function goOn(folder: string, url: string, before: Ended, hear: (heard: Heard) => void): Promise<Ended> {
    const ended = await runSnippet('whole-desk.ts', [nameIn(before)], { folder, url, hear });
    expect(ended).toMatchObject({ exit: 0, signal: null });
    const store = openNdjsonStore({ home: join(folder, 'desk') });
    const verified = await verifySession(store, sessionId(nameIn(before)), { encoders: () => anthropicEncoder });
    expect(verified).toMatchObject({ differences: [], breaks: [], problems: [] });
    return ended;
  }
});

test('`steered-desk.ts` follows a prompt sent during the turn, and runs nothing that its mode denies', async () => {
  const { url, folder, requests } = await aDesk([
    FIND,
    HALF,
    { text: 'I paid half of it back.' },
    { calls: [{ id: 'call_rest', name: 'refund', arguments: { order: 'A-17', euros: 19.5 } }] },
    { text: 'I may not.' },
  ]);
  const ended = await runSnippet('steered-desk.ts', [], { folder, url });
  expect(ended).toEqual({ exit: 0, signal: null, out: 'I paid half of it back.\nI may not.\n', err: '' });
  expect(JSON.stringify(requests[1]?.body['messages'])).toContain('Pay half of it only.');
  expect(JSON.stringify(requests.at(-1)?.body['messages'])).toContain('read-only/write');
});

test('`typed-desk.ts` files a complaint by a rule, returns a value, and asks another question in a fork', async () => {
  const value = '{"order": "A-17", "fault": "broken", "euros": 39}';
  const call = { name: 'file_complaint', arguments: { order: 'A-17', text: 'It came broken.' } };
  const sent: string[] = [];
  const simulator = createSimulator({
    onRequest: (request) => {
      sent.push(JSON.stringify(request.body['messages']));
      if (sent.at(-1)?.includes('came late') === true) return { answer: { text: 'Nothing yet.' } };
      return { answer: answersIn(request) === 0 ? { calls: [call] } : { text: value } };
    },
  });
  const listening = await simulator.listen();
  onTestFinished(() => listening.close());
  const ended = await runSnippet('typed-desk.ts', [], { folder: await aFolder(), url: listening.url });
  expect(ended).toMatchObject({ exit: 0, signal: null, err: '' });
  expect(ended.out).toMatch(/^broken, 39\.00 euros\nNothing yet\.\nrefused \S+\n$/);
  expect(sent[1]).toContain('Saved complaints/A-17.txt.');
  expect(sent[2]).not.toContain('came broken');
});

test('`moving-desk.ts` sends its requests to two providers, and each receives the whole conversation', async () => {
  const answers = ['I would pay it back.', 'So would I.', 'I do.'];
  const requests: ReceivedRequest[] = [];
  const simulator = createSimulator({
    onRequest: (sent) => {
      const text = answers[requests.length] ?? 'no more';
      requests.push(sent);
      return { answer: { text } };
    },
  });
  const listening = await simulator.listen();
  onTestFinished(() => listening.close());
  const ended = await runSnippet('moving-desk.ts', [], { folder: await aFolder(), url: listening.url });
  expect(ended).toEqual({ exit: 0, signal: null, out: `${answers.join('\n')}\n`, err: '' });
  expect(simulator.calls.map(({ wire, endpoint }) => `${wire}/${endpoint}`)).toEqual([
    'anthropic/messages',
    'openai/responses',
    'anthropic/messages',
  ]);
  expect(JSON.stringify(requests[2]?.body)).toContain('So would I.');
});

test('`served-desk.ts` calls a tool of a real MCP server over stdio, in the default mode', async () => {
  const { url, folder, requests } = await aDesk([
    { calls: [{ id: 'call_read', name: 'files__read_text_file', arguments: { path: 'A-17.txt' } }] },
    { text: '39 euros.' },
  ]);
  const ended = await runSnippet('served-desk.ts', [], { folder, url, commands: join(ROOT, 'node_modules', '.bin') });
  expect(ended).toEqual({ exit: 0, signal: null, out: '39 euros.\n', err: '' });
  expect(JSON.stringify(requests[1]?.body['messages'])).toContain('A blue lamp. Paid: 39 euros.');
});

async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-desk-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

interface Desk {
  readonly url: string;
  readonly folder: string;
  readonly requests: readonly ReceivedRequest[];
}

/**
 * Starts a simulator and creates an empty folder. The simulator answers with the element of `answers` whose index is
 * the number of answers in the request. A request for a title gets a fixed title.
 */
async function aDesk(answers: readonly PlannedAnswer[]): Promise<Desk> {
  const requests: ReceivedRequest[] = [];
  const simulator = createSimulator({
    onRequest: (sent) => {
      requests.push(sent);
      const names = sent.lastUserText.startsWith('Name this conversation');
      return { answer: (names ? undefined : answers[answersIn(sent)]) ?? { text: 'A lamp, half paid back' } };
    },
  });
  const listening = await simulator.listen();
  onTestFinished(() => listening.close());
  return { url: listening.url, folder: await aFolder(), requests };
}

function answersIn({ body }: ReceivedRequest): number {
  const messages = Array.isArray(body['messages']) ? body['messages'] : [];
  return messages.filter((message: { readonly role?: unknown }) => message.role === 'assistant').length;
}

function when(words: RegExp, then: (heard: Heard) => void): (heard: Heard) => void {
  let done = false;
  return (heard) => {
    if (done || !words.test(heard.said)) return;
    done = true;
    then(heard);
  };
}

const kill = ({ child }: Heard): void => void child.kill('SIGKILL');
const signal = ({ child }: Heard): void => void child.kill('SIGINT');
const say =
  (words: string) =>
  ({ child }: Heard): void =>
    void child.stdin?.write(words);

function nameIn({ out }: Ended): string {
  return /^session (\S+)/.exec(out)?.[1] ?? '';
}

async function recordsOf(folder: string, ended: Ended): Promise<readonly Recorded[]> {
  const store = openNdjsonStore({ home: join(folder, 'desk') });
  const records: Recorded[] = [];
  for await (const record of store.read(sessionId(nameIn(ended)))) records.push(record);
  return records;
}

function startsOf(records: readonly Recorded[]): readonly string[] {
  return records.flatMap((record) => (record.kind === 'tool.started' ? [record.data.call] : []));
}
