// Tests the output for calls whose usage the server reports only in part, or does not report. No command prints a
// number that the server did not report (L7).

import { createServer } from 'node:http';

import { afterEach, describe, expect, onTestFinished, test } from 'vitest';

import { pretendRun } from '../../tests/pretend-run.ts';
import type { Stage } from '../../tests/scenario.ts';
import { openStage } from '../../tests/scenario.ts';

let stage: Stage | undefined;
afterEach(() => stage?.clear());

const NOTHING = undefined;
const TOTAL = { prompt_tokens: 4_321, completion_tokens: 12 };
const READ = { ...TOTAL, prompt_tokens_details: { cached_tokens: 321 } };

interface Served {
  url: string;
  /** True if the server refuses the next requests. */
  refuses: boolean;
}

async function serve(usage: object | undefined): Promise<string> {
  return (await serveUsage(usage)).url;
}

async function serveUsage(usage: object | undefined): Promise<Served> {
  const served: Served = { url: '', refuses: false };
  const server = createServer((request, response) => {
    request.resume();
    if (served.refuses) return void response.writeHead(400).end();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const say = (chunk: object): unknown =>
      response.write(`data: ${JSON.stringify({ id: 'c', model: 'm', ...chunk })}\n\n`);
    say({ choices: [{ index: 0, delta: { content: 'Noted.' }, finish_reason: 'stop' }] });
    if (usage !== undefined) say({ choices: [], usage });
    response.end('data: [DONE]\n\n');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => new Promise((closed) => void server.close(() => closed())));
  const address = server.address();
  return Object.assign(served, { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/v1` });
}

interface Printed {
  readonly summary: string;
  readonly cost: string;
  readonly cache: string;
  readonly show: string;
  readonly json: {
    readonly run: Readonly<Record<string, unknown>>;
    readonly cost: { readonly whole: Readonly<Record<string, unknown>> };
  };
}

/** Sends a prompt to a server that reports this usage. Returns the output of the commands for this call. */
async function printed(usage: object | undefined): Promise<Printed> {
  const { folder, home } = (stage = openStage());
  const url = await serve(usage);
  const tidemark = (...args: readonly string[]) =>
    pretendRun(args, { folder, environment: { PATH: process.env['PATH'], TIDEMARK_HOME: home } });
  const server = ['--provider', 'compatible', '--base-url', url, '--model', 'local', '--window', '32000'];
  const { err } = await tidemark('hello there', ...server);
  const [, session = ''] = /^session (\S+);/m.exec(err) ?? [];
  const json = {
    run: lastOf((await tidemark('hello there', ...server, '--json')).out),
    cost: JSON.parse((await tidemark('cost', session, '--json')).out),
  };
  const out = async (...args: readonly string[]): Promise<string> => (await tidemark(...args)).out;
  return {
    summary: err.split('\n').find((line) => line.startsWith('completed')) ?? '',
    cost: await out('cost', session),
    cache: await out('cache', session),
    show: await out('show', session),
    json,
  };
}

function lastOf(out: string): Readonly<Record<string, unknown>> {
  return JSON.parse(out.trimEnd().split('\n').at(-1) ?? '{}');
}

describe('a call without reported usage', () => {
  test('is listed as not counted at the end of a turn, with an estimate', async () => {
    const { summary, json } = await printed(NOTHING);
    expect(summary).toMatch(
      /tokens: unknown: 1 call not counted, estimated at about [\d,]+; the caching of the model is unknown; unknown price$/,
    );
    expect(json.run['tokens']).toMatchObject({ read: null, written: null, fresh: null, output: null, uncounted: 1 });
  });

  test('is not printed as $0 by `cost`, and is not part of any sum', async () => {
    const { cost, json } = await printed(NOTHING);
    expect(cost).toMatch(/^paid\s+unknown/m);
    expect(cost).not.toContain('$0');
    expect(cost).toMatch(/1 call without token counts, not in the sums; estimate: about [\d,]+ tokens/);
    expect(cost).toMatch(/^nothing paid again\s+1\s+\?\s+\?\s+\?/m);
    expect(json.cost.whole).toMatchObject({ cost: null, uncounted: 1, unanswered: 1 });
  });
});

describe('a call with reported totals', () => {
  test('is summed as input with unknown cache use', async () => {
    const { summary, cost, show, json } = await printed(TOTAL);
    expect(summary).toContain(
      'tokens: 4,321 input tokens without a report of what was cached, 12 out; the caching of the model',
    );
    expect(json.run['tokens']).toEqual({
      read: null,
      written: null,
      fresh: null,
      output: 12,
      untold: 4_321,
      caching: 'unknown',
    });
    expect(cost).toMatch(/^nothing paid again\s+1\s+4,321\s+12\s+\?/m);
    expect(cost).toContain('4,321 input tokens that the provider did not report as read, written or fresh');
    expect(show).toContain('4,321 input tokens in total');
    expect(show).toMatch(/the next request: about 4,333 .*of 24,000 tokens/);
  });

  test('has a hit rate if the server also reports the tokens read from the cache', async () => {
    const { summary, cache } = await printed(READ);
    expect(summary).toContain('tokens: 321 read, 4,000 input tokens without a report of what was cached, 12 out');
    expect(cache).toMatch(/hit rate\s+7\.4%\s+of 4,321 input tokens were read/);
    expect(cache).toMatch(/write share\s+–/);
  });
});

describe('`why` of a session', () => {
  interface Asked {
    readonly tidemark: (...args: readonly string[]) => Promise<{ readonly out: string; readonly err: string }>;
    readonly session: string;
    readonly served: Served;
  }

  async function twoPrompts(usage: object | undefined, refuses = false): Promise<Asked> {
    const { folder, home } = (stage = openStage());
    const served = await serveUsage(usage);
    served.refuses = refuses;
    const tidemark = (...args: readonly string[]) =>
      pretendRun(args, { folder, environment: { PATH: process.env['PATH'], TIDEMARK_HOME: home } });
    const server = ['--provider', 'compatible', '--base-url', served.url, '--model', 'local', '--window', '32000'];
    const { err } = await tidemark('hello there', ...server);
    const [, session = ''] = /^session (\S+);/m.exec(err) ?? [];
    await tidemark('and again please', '--session', session, ...server);
    return { tidemark, session, served };
  }

  test('reports how many requests have unknown cache reads', async () => {
    const { tidemark, session } = await twoPrompts(TOTAL);
    const { out } = await tidemark('why', session);
    expect(out).toContain(
      `each request of ${session} extends the previous one. ` +
        'The cache reads of 2 of 2 requests are unknown: 2 answers without a count',
    );
    expect(out).not.toContain('read all it could');
    const one = await tidemark('why', session, '1');
    expect(one.out).toContain('its cache reads are unknown, because the server does not report them');
    const json: unknown = JSON.parse((await tidemark('why', session, '--json')).out);
    expect(json).toMatchObject({ requests: 2, untold: { answered: 2, unanswered: 0 } });
  });

  test('counts refused requests as requests with unknown cache reads', async () => {
    const { tidemark, session } = await twoPrompts(READ, true);
    const { out } = await tidemark('why', session);
    expect(out).toContain('The cache reads of 2 of 2 requests are unknown: 2 requests without a complete answer');
    expect(out).not.toContain('read all it could');
  });

  test('reports nothing to explain if each answer has its cache reads', async () => {
    const { tidemark, session } = await twoPrompts({ ...TOTAL, prompt_tokens_details: { cached_tokens: 4_321 } });
    expect((await tidemark('why', session)).out).toContain('extends the previous one and read all cached tokens');
  });
});
