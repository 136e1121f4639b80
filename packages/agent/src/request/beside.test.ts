import { slice } from '@tidemark/context';
import type { Event, Recorded } from '@tidemark/log';
import { callId } from '@tidemark/log';
import type { Encoder, Span } from '@tidemark/model';
import { scriptedEncoder } from '@tidemark/provider-scripted';
import { describe, expect, test } from 'vitest';
import type { Small } from '../../tests/small-session.ts';
import { ID, answer, begin, prepare, prompt, second } from '../../tests/small-session.ts';
import { explainSession } from '../audit/explain.ts';
import { verifySession } from '../audit/rebuild.ts';
import { NO_SECRETS } from '../ports/secrets.ts';
import { commit } from '../session/session.ts';
import { recordAnswer } from './answer.ts';
import type { Prepared } from './prepare.ts';
import type { Beside } from './request-record.ts';

const LONG = 'word '.repeat(8000);
const encoders = { encoders: () => scriptedEncoder };

function asks(
  words: string,
  history: Beside['history'] = 'main',
): { readonly beside: Beside; readonly purpose: string } {
  return {
    purpose: 'title',
    beside: { stream: `side/${words.length}`, extra: [{ type: 'text', text: words }], history },
  };
}

async function turn(small: Small, text: string, at = 0): Promise<Prepared> {
  await commit(small.session, [prompt(text, at)]);
  const prepared = await prepare(small, at);
  await answer(small, prepared, undefined, at);
  return prepared;
}

async function records({ log }: Small): Promise<readonly Recorded[]> {
  const all: Recorded[] = [];
  for await (const record of log.read(ID)) all.push(record);
  return all;
}

const textOf = ({ body }: Prepared): string => new TextDecoder().decode(body);

const called: Event = {
  kind: 'answer.received',
  at: second(1),
  data: {
    step: 0,
    stream: 'main',
    provider: 'scripted',
    model: 'm',
    parts: [{ type: 'call', call: callId('c1'), name: 'read', arguments: '{}' }],
    stop: 'calls',
    truncated: 'no',
    usage: {},
  },
};

describe('a side call', () => {
  test('reads what the main stream wrote and adds its own words after it', async () => {
    const small = await begin();
    const main = await turn(small, LONG);
    const side = await prepare(small, 60, {}, asks('Name this.'));
    expect(side.record.data).toMatchObject({
      stream: 'side/10',
      step: 0,
      purpose: 'title',
      relation: 'inherits',
      extra: [{ type: 'text', text: 'Name this.' }],
      forecast: { read: main.outlook.forecast.write },
    });
    expect(side.outlook.loss).toBeUndefined();
    const said = slice(side.sequence.blocks, main.sequence.blocks.length);
    expect(slice(side.sequence.blocks, 0, main.sequence.blocks.length)).toEqual(slice(main.sequence.blocks));
    expect(said.map(({ head, origin }) => [head.includes('Name this.'), origin])).toEqual([
      [false, expect.anything()],
      [true, { from: 'event', session: ID, position: side.record.position }],
    ]);
  });

  test('keeps the cache entries of the main stream alive and also writes the last answer, so that the main stream can read both later', async () => {
    const small = await begin();
    const main = await turn(small, LONG);
    const side = await prepare(small, 240, {}, asks('Name this.'));
    await answer(small, side, undefined, 240);
    await commit(small.session, [prompt('go on', 480)]);
    const next = await prepare(small, 480);
    expect(next.outlook).toMatchObject({ loss: undefined, gone: undefined });
    expect(next.outlook.forecast.read).toBeGreaterThan(main.outlook.forecast.write);
    const [answered, words] = slice(side.sequence.blocks, main.sequence.blocks.length);
    expect(next.record.data.markers.map(({ block }) => block)).toContain(main.sequence.blocks.length);
    expect([answered?.role, words?.role]).toEqual(['assistant', 'user']);
  });

  test('contains the history up to the last settled point while calls are open, and leaves the calls open', async () => {
    const small = await begin();
    await commit(small.session, [prompt('go')]);
    await prepare(small);
    await commit(small.session, [called]);
    const { history } = small.session.state;
    const side = await prepare(small, 2, {}, asks('How is it going?'));
    expect(side.sequence.counts.messages).toBe(2);
    expect(small.session.state.history).toBe(history);
    await answer(small, side, undefined, 3);
    expect(small.session.state.history).toBe(history);
    expect(small.session.state.steps).toBe(1);
  });

  test('uses the open epoch even if other settings are wanted, and is recorded under the model of that epoch', async () => {
    const small = await begin();
    await turn(small, LONG);
    const change = { model: 'claude-opus-5-5', tools: [] };
    const side = await prepare(small, 30, change, asks('Name this.'));
    expect(side.opened).toBeUndefined();
    expect(side.capabilities.model).toContain('sonnet-4-5');
    await commit(small.session, [prompt('another model', 40)]);
    await answer(small, await prepare(small, 40, change), undefined, 41);
    await answer(small, side, undefined, 42);
    const answers = (await records(small)).filter((record) => record.kind === 'answer.received');
    expect(answers.map(({ data }) => [data.stream, data.model])).toEqual([
      ['main', 'claude-sonnet-4-5'],
      ['main', 'claude-opus-5-5'],
      ['side/10', 'claude-sonnet-4-5'],
    ]);
  });

  test('opens the first epoch if no epoch is open, and the main stream continues in that epoch', async () => {
    const small = await begin();
    const side = await prepare(small, 0, {}, asks('Hello?', 'none'));
    expect(side.opened?.data).toMatchObject({ number: 0, cause: 'initial' });
    expect(side.record.data.relation).toBe('opens');
    await answer(small, side);
    const main = await turn(small, LONG, 5);
    expect(main.opened).toBeUndefined();
    expect(await verifySession(small.log, ID, encoders)).toMatchObject({ requests: 2, differences: [], breaks: [] });
  });

  test('without history contains only the front and its own words', async () => {
    const small = await begin();
    const main = await turn(small, LONG);
    const side = await prepare(small, 5, {}, asks('Hello?', 'none'));
    expect(side.record.data).toMatchObject({ history: 'none', counts: { messages: 1 } });
    expect(slice(side.sequence.blocks, 0, -1)).toEqual(slice(main.sequence.blocks, 0, main.sequence.front));
    expect(textOf(side)).not.toContain('word word');
  });

  test('converts no span of the history to blocks a second time, and the main stream does not convert a span again either', async () => {
    const small = await begin();
    const lowered: Span[] = [];
    const encoder: Encoder = {
      ...scriptedEncoder,
      lowerSpan: (span, lowering) => {
        lowered.push(span);
        return scriptedEncoder.lowerSpan(span, lowering);
      },
    };
    await commit(small.session, [prompt('one')]);
    await answer(small, await prepare(small, 0, {}, { encoder }));
    await prepare(small, 1, {}, { ...asks('Name this.'), encoder });
    await prepare(small, 2, {}, { ...asks('Hello?', 'none'), encoder });
    await commit(small.session, [prompt('two', 3)]);
    await prepare(small, 3, {}, { encoder });
    const said = lowered.map(({ parts: [part] }) => (part?.type === 'text' ? part.text : part?.type));
    expect(said).toEqual(['one', 'done', 'Name this.', 'Hello?', 'two']);
  });

  test('sends its words exactly as they are recorded: masked (L1, L2)', async () => {
    const small = await begin();
    const mask = async (text: string): Promise<string> => text.replaceAll('hunter2', '[secret]');
    const secrets: typeof NO_SECRETS = {
      ...NO_SECRETS,
      mask,
      maskEvent: async (event) =>
        event.kind === 'prompt.given'
          ? { ...event, data: { ...event.data, parts: [{ type: 'text', text: await mask('hunter2?') }] } }
          : event,
    };
    const guarded: Small = { ...small, session: { ...small.session, secrets } };
    const side = await prepare(guarded, 0, {}, asks('hunter2?', 'none'));
    expect(textOf(side)).toContain('[secret]?');
    expect(textOf(side)).not.toContain('hunter2');
    expect(side.record.data.extra).toEqual([{ type: 'text', text: '[secret]?' }]);
  });

  test('is refused if its words are blank or if its provider is not the one of the open epoch', async () => {
    const small = await begin();
    await turn(small, LONG);
    const before = await records(small);
    await expect(prepare(small, 1, {}, asks(' \n'))).rejects.toMatchObject({ code: 'agent/nothing-to-send' });
    await expect(prepare(small, 1, { provider: 'other' }, asks('Hello?'))).rejects.toMatchObject({
      code: 'agent/other-provider',
      sort: 'refused',
    });
    expect(await records(small)).toEqual(before);
  });

  test('is rebuilt byte for byte, alone or as an extension of the previous request, and causes no break', async () => {
    const small = await begin();
    for (let step = 0; step < 3; step += 1) {
      await turn(small, `prompt ${step} ${LONG}`, step * 60);
      await answer(
        small,
        await prepare(small, step * 60 + 5, {}, asks('a'.repeat(step + 1))),
        undefined,
        step * 60 + 6,
      );
      await prepare(small, step * 60 + 9, {}, asks('b'.repeat(step + 11), 'none'));
    }
    for (const full of [false, true])
      expect(await verifySession(small.log, ID, { ...encoders, full })).toMatchObject({
        requests: 9,
        differences: [],
        breaks: [],
      });
  });

  test('is explained by its own miss, under its own stream name, and does not count as a step', async () => {
    const small = await begin();
    await turn(small, LONG);
    const side = await prepare(small, 20, {}, asks('Name this.'));
    const usage = { fresh: 0, read: 0, writes: [{ ttl: '5m', tokens: 9_000 }], answer: 1 } as const;
    await answer(small, side, usage, 20);
    const found = await explainSession(small.log, ID, () => scriptedEncoder);
    expect(found).toMatchObject({
      requests: 2,
      explained: [{ stream: 'side/10', purpose: 'title', miss: { cause: 'evicted' } }],
    });
    const { explained } = await explainSession(small.log, ID, () => scriptedEncoder, 0);
    expect(explained.map(({ stream }) => stream)).toEqual(['main']);
  });
});

test('a call that `admit` refuses leaves the log unchanged, on any stream', async () => {
  const small = await begin();
  await commit(small.session, [prompt(LONG)]);
  const before = await records(small);
  const costs: (string | undefined)[] = [];
  const admit: NonNullable<Parameters<typeof prepare>[3]>['admit'] = ({ outlook }) => {
    costs.push(outlook.forecast.cost);
    throw new Error('too dear');
  };
  await expect(prepare(small, 0, {}, { admit })).rejects.toThrow('too dear');
  await expect(prepare(small, 0, {}, { ...asks('Name this.'), admit })).rejects.toThrow('too dear');
  expect(costs.map((cost) => Number(cost) > 0)).toEqual([true, true]);
  expect(await records(small)).toEqual(before);
  expect((await prepare(small)).record.data.relation).toBe('opens');
});

test('an answer of a side call without usage adds no side stream to the state, and only renews the last use of the entries that the call may have read (L7)', async () => {
  const small = await begin();
  await turn(small, LONG);
  const side = await prepare(small, 20, {}, asks('Name this.'));
  await recordAnswer(
    small.session,
    side,
    { parts: [{ type: 'text', text: 'A name' }], stop: 'end', truncated: 'no', usage: {} },
    second(21),
  );
  const { streams, cache } = small.session.state;
  expect(Object.keys(streams)).toEqual(['main']);
  expect(cache.entries.filter(({ at }) => at === second(20)).length).toBeGreaterThan(0);
});
