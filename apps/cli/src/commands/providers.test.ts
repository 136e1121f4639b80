// Tests `tidemark run` with each provider. The provider is simulated inside the command, or by a server on a port.

import type { ListeningSimulator, ReceivedRequest, Simulator } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

import type { Choices, Ran } from '../../tests/pretend-run.ts';
import { pretendRun } from '../../tests/pretend-run.ts';
import type { Stage } from '../../tests/scenario.ts';
import { openStage } from '../../tests/scenario.ts';

let stage: Stage;
let simulator: Simulator;
let door: ListeningSimulator;
let sent: ReceivedRequest[];

beforeEach(async () => {
  stage = openStage();
  sent = [];
  simulator = createSimulator({
    onRequest: (request) => {
      sent.push(request);
      return undefined;
    },
  });
  door = await simulator.listen();
});

afterEach(async () => {
  await door.close();
  stage.clear();
});

const KEYS = { OPENAI_API_KEY: 'key-of-openai-22', OPENROUTER_API_KEY: 'key-of-router-333' };

function tidemark(args: readonly string[], { environment = {}, ...rest }: Choices = {}): Promise<Ran> {
  return pretendRun(args, {
    folder: stage.folder,
    environment: { PATH: process.env['PATH'], TIDEMARK_HOME: stage.home, ...environment },
    ...rest,
  });
}

function lastOf(ran: Ran): Readonly<Record<string, unknown>> {
  return JSON.parse(ran.out.trimEnd().split('\n').at(-1) ?? '{}');
}

function opened(ran: Ran): readonly (readonly [string, string])[] {
  const lines = ran.out.trimEnd().split('\n');
  const events = lines.map((line): { readonly record?: EpochRecord } => JSON.parse(line));
  return events.flatMap(({ record }) =>
    record?.kind === 'epoch.opened' ? [[record.data.provider, record.data.model] as const] : [],
  );
}

interface EpochRecord {
  readonly kind: string;
  readonly data: { readonly provider: string; readonly model: string };
}

describe('the simulator inside the command', () => {
  test.each([
    ['claude-haiku-4-5', 'anthropic', 'claude-haiku-4-5-20251001'],
    ['gpt-6.1-sol', 'openai', 'gpt-6.1-sol'],
    ['gpt-4o', 'openai', 'gpt-4o'],
    ['anthropic/claude-opus-5.5', 'openrouter', 'anthropic/claude-opus-5.5'],
  ])('simulates %s, and the session passes `verify`, `why` and `show`', async (model, provider, name) => {
    const ran = await tidemark(['hello there', '--json', '--provider', 'simulator', '--model', model]);
    expect(ran).toMatchObject({ exit: 0, err: '' });
    expect(opened(ran)).toEqual([[provider, name]]);
    const session = String(lastOf(ran)['session']);
    for (const command of ['verify', 'why', 'show'])
      expect(await tidemark([command, session])).toMatchObject({ exit: 0, err: '' });
  });

  test('continues a session with its model and provider, in the same epoch', async () => {
    const played = ['--json', '--provider', 'simulator'];
    const first = await tidemark(['one thing', ...played, '--model', 'gpt-5.6-sol']);
    const second = await tidemark(['another', '--continue', ...played]);
    expect([opened(first), opened(second)]).toEqual([[['openai', 'gpt-5.6-sol']], []]);
    expect(second.exit).toBe(0);
  });
});

describe('a provider on a port', () => {
  test('is chosen by the model and kept by the session', async () => {
    const environment = KEYS;
    const first = await tidemark(['hi there', '--json', '--model', 'gpt-6.1-sol', '--base-url', `${door.url}/v1`], {
      environment,
    });
    const second = await tidemark(['again', '--json', '--continue', '--base-url', `${door.url}/v1`], { environment });
    expect([first.exit, second.exit]).toEqual([0, 0]);
    expect([opened(first), opened(second)]).toEqual([[['openai', 'gpt-6.1-sol']], []]);
    expect(simulator.calls.map(({ endpoint }) => endpoint)).toEqual(['responses', 'responses']);
  });

  test('is chosen by --provider if two providers list the model', async () => {
    const args = ['--model', 'claude-sonnet-5-5', '--provider', 'openrouter', '--base-url', `${door.url}/api/v1`];
    const ran = await tidemark(['hi there', '--json', ...args], { environment: KEYS });
    expect(opened(ran)).toEqual([['openrouter', 'anthropic/claude-sonnet-5.5']]);
    expect(simulator.calls.map(({ wire }) => wire)).toEqual(['openrouter']);
  });

  test('is reached over a WebSocket with --transport auto, and over HTTP if the option is not repeated', async () => {
    const environment = KEYS;
    const at = ['--json', '--base-url', `${door.url}/v1`];
    const first = await tidemark(['hi there', '--model', 'gpt-6.1-sol', '--transport', 'auto', ...at], { environment });
    const second = await tidemark(['again', '--continue', ...at], { environment });
    const session = String(lastOf(first)['session']);
    const ways = [first, second].map((ran) => /"transport":\{"kind":"(\w+)"/.exec(ran.out)?.[1]);
    expect([first.exit, second.exit]).toEqual([0, 0]);
    expect(ways).toEqual(['websocket', undefined]);
    await expect.poll(() => door.webSockets()).toBe(0);
    expect((await tidemark(['show', session])).out).toContain('over a WebSocket');
    expect((await tidemark(['show', session, '0'])).out).toContain('sent over a WebSocket\n');
    const shown = JSON.parse((await tidemark(['show', session, '0', '--json'])).out);
    expect(shown).toMatchObject({ transport: { kind: 'websocket', continuation: false }, continuation: null });
  });

  test('continues from its previous answer over a WebSocket, and `show` reports this for each request', async () => {
    stage.write('note.txt', 'the word is swordfish\n');
    simulator.next({ answer: { calls: [{ name: 'read', arguments: { path: 'note.txt' } }] } });
    simulator.next({ answer: { text: 'swordfish' } });
    const args = ['--model', 'gpt-6.1-sol', '--transport', 'auto', '--base-url', `${door.url}/v1`];
    const ran = await tidemark(['find the word', '--json', ...args], { environment: KEYS });
    const { out } = await tidemark(['show', String(lastOf(ran)['session']), '1']);
    expect(out).toMatch(/\ncould continue from resp_\w+ at block \d+: [\d,]+ bytes, digest [0-9a-f]{12}…\n/);
    expect(out).toContain('\nsent over a WebSocket, continuing the previous answer\n');
  });

  test('whose caching is unknown is reported with unknown caching, and an unreported bucket is not printed as 0', async () => {
    const args = [
      '--provider',
      'compatible',
      '--model',
      'gpt-4o',
      '--window',
      '128000',
      '--base-url',
      `${door.url}/v1`,
    ];
    const ran = await tidemark(['hi there', ...args]);
    expect(ran.err).toContain('; the caching of the model is unknown; unknown price');
    expect(ran.err).not.toContain(' 0 read');
    const [, session = ''] = /session (\S+);/.exec(ran.err) ?? [];
    expect((await tidemark(['show', session])).out).toContain('; the caching of gpt-4o is unknown\n');
    expect((await tidemark(['show', session, '0'])).out).toContain('the caching of the provider is unknown');
  });

  test('can be any compatible server: its window is given once, its address each time', async () => {
    const at = ['--base-url', `${door.url}/v1`];
    const said = ['--provider', 'compatible', '--model', 'gpt-4o', '--window', '128000'];
    const first = await tidemark(['hi there', '--json', ...said, ...at]);
    const second = await tidemark(['again', '--json', '--continue', ...at]);
    expect([first.exit, second.exit]).toEqual([0, 0]);
    expect([opened(first), opened(second)]).toEqual([[['compatible', 'gpt-4o']], []]);
    expect(simulator.calls.map(({ endpoint }) => endpoint)).toEqual(['chat/completions', 'chat/completions']);
  });

  test('is asked for the cache lifetime that --ttl names', async () => {
    const environment = { ANTHROPIC_API_KEY: 'key-of-anthropic-1' };
    await tidemark(['hi there', '--ttl', '1h', '--base-url', door.url], { environment });
    await tidemark(['hi there', '--ttl', '5m', '--base-url', door.url], { environment });
    const [long, short] = sent.map(({ body }) => JSON.stringify(body));
    expect([long, short].map((body) => body?.includes('"ttl":"1h"'))).toEqual([true, false]);
    expect(short).toContain('"cache_control"');
  });
});

describe('an incomplete or invalid choice of provider', () => {
  test.each([
    [['--model', 'gpt-6.1-sol'], 3, 'OPENAI_API_KEY is not set'],
    [['--model', 'anthropic/claude-sonnet-5.5'], 3, 'OPENROUTER_API_KEY is not set'],
    [['--provider', 'openai'], 2, 'add `--model` and the name of a model, such as gpt-6-astra'],
    [['--provider', 'compatible', '--model', 'llama3.3', '--window', '8000'], 2, '--base-url http'],
    [['--provider', 'compatible', '--model', 'llama3.3', '--base-url', 'http://127.0.0.1:1/v1'], 2, '--window 32768'],
    [['--model', 'somebody/some-model'], 2, '--window 32768'],
    [['--provider', 'google'], 2, 'expected one of anthropic, openai, openrouter, compatible, deepseek, groq,'],
    [['--ttl', '2h'], 2, 'expected one of auto, 5m, 1h'],
    [['--model', 'gpt-6.1-sol', '--transport', 'carrier-pigeon'], 2, 'expected one of http, auto'],
    [['--transport', 'auto'], 2, 'Anthropic always uses HTTP'],
    [['--transport', 'auto', '--provider', 'simulator'], 2, 'remove `--transport`'],
    [['--window', 'wide'], 2, 'whole number above 0'],
  ])('%j is refused before anything is sent', async (args, exit, words) => {
    expect(await tidemark(['hi there', ...args])).toMatchObject({ exit, out: '', err: expect.stringContaining(words) });
  });
});

describe('a simulator that the environment names', () => {
  test('replaces every provider and gets no key of the user, and a notice says so', async () => {
    const environment = { ...KEYS, TIDEMARK_SIMULATOR_URL: `${door.url}/` };
    const ran = await tidemark(['hello there', '--model', 'gpt-6.1-sol'], { environment });
    expect(ran.exit, ran.err).toBe(0);
    expect(ran.err).toContain(`notice: the simulator at ${door.url} answers (TIDEMARK_SIMULATOR_URL)`);
    expect(sent).toHaveLength(1);
    expect(JSON.stringify(sent)).not.toContain(KEYS.OPENAI_API_KEY);
  });

  test('comes after an address of the command line', async () => {
    const environment = { ...KEYS, TIDEMARK_SIMULATOR_URL: 'http://127.0.0.1:9' };
    const ran = await tidemark(['hello there', '--model', 'gpt-6.1-sol', '--base-url', `${door.url}/v1`], {
      environment,
    });
    expect(ran).toMatchObject({ exit: 0, err: expect.not.stringContaining('TIDEMARK_SIMULATOR_URL') });
  });

  test.each(['https://simulator.example', 'http://10.0.0.7:8787', 'http://127.0.0.1:1/path', 'somewhere'])(
    'is refused if it is %s',
    async (url) => {
      const ran = await tidemark(['hello there'], { environment: { TIDEMARK_SIMULATOR_URL: url } });
      expect(ran.exit).toBe(2);
      expect(ran.err).toMatch(/TIDEMARK_SIMULATOR_URL is not the address of a simulator on this machine.*\nnext: /);
    },
  );
});
