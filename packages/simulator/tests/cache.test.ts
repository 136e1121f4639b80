// Tests for cache writes, reads and their cost: provider-facts §1.1 and §1.2, rule by rule.

import { describe, expect, it, test } from 'vitest';
import {
  assistant,
  call,
  counts,
  mark,
  picture,
  refusal,
  result,
  send,
  simulate,
  text,
  texts,
  tool,
  user,
} from './conversation.ts';
import type { Wire } from './conversation.ts';

function marked(count: number, ...at: readonly number[]): Wire {
  return { messages: [user(...texts(count).map((block, i) => (at.includes(i) ? mark(block) : block)))] };
}

describe('§1.1 a marker', () => {
  const document = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'words' } };
  test.each<[string, Wire]>([
    ['a tool', { tools: [mark(tool('look'))], messages: [user('hello')] }],
    ['a system text', { system: [mark(text('be brief'))] }],
    ['a text', { messages: [user(mark(text('hello')))] }],
    ['an image', { messages: [user(mark(picture()))] }],
    ['a document', { messages: [user(mark(document))] }],
    ['a tool_use', { messages: [user('go'), assistant(mark(call('a'))), user(result('a'))] }],
    ['a tool_result', { messages: [user('go'), assistant(call('a')), user(mark(result('a')))] }],
    ['a compaction', { messages: [assistant(mark({ type: 'compaction', content: 'before' })), user('go on')] }],
  ])('is accepted on %s and writes an entry', (_, fields) => {
    const { usage } = send(simulate(), fields, { sizes: () => 2000 });
    expect(usage.cache_creation_input_tokens).toBeGreaterThan(0);
  });

  it('has the lifetime 5m by default, and 1h if the request asks for it', () => {
    const short = send(simulate(), { messages: [user(mark(text('a')))] }, { sizes: () => 2000 }).usage.cache_creation;
    const long = send(simulate(), { messages: [user(mark(text('a'), '1h'))] }, { sizes: () => 2000 }).usage
      .cache_creation;
    expect(short).toEqual({ ephemeral_5m_input_tokens: 2000, ephemeral_1h_input_tokens: 0 });
    expect(long).toEqual({ ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 2000 });
  });

  it('is refused with any type but `ephemeral` and any lifetime but 5m and 1h', () => {
    const persistent = { ...text('a'), cache_control: { type: 'persistent' } };
    const day = { ...text('a'), cache_control: { type: 'ephemeral', ttl: '24h' } };
    expect(refusal(simulate(), { messages: [user(persistent)] }).message).toBe(
      "messages.0.content.0.cache_control.type: Input should be 'ephemeral'",
    );
    expect(refusal(simulate(), { messages: [user(day)] }).message).toBe(
      "messages.0.content.0.cache_control.ttl: Input should be '5m' or '1h'",
    );
  });

  it('is accepted four times over tools, system and messages together, and refused five times', () => {
    const four = {
      tools: [mark(tool('look'))],
      system: [mark(text('one'))],
      messages: [user(mark(text('a')), mark(text('b')))],
    };
    expect(send(simulate(), four).usage.cache_creation_input_tokens).toBe(4000);
    const five = { ...four, messages: [user(mark(text('a')), mark(text('b')), mark(text('c')))] };
    expect(refusal(simulate(), five)).toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      message: 'A maximum of 4 blocks with cache_control may be provided. Found 5.',
    });
  });
});

describe('§1.1 the top-level marker', () => {
  const automatic = { cache_control: { type: 'ephemeral' } };

  it('is placed on the last block and moves forward in the next request', () => {
    const simulator = simulate();
    expect(counts(send(simulator, { ...automatic, messages: [user(...texts(3))] }, { at: 0 }))).toEqual([0, 3000, 0]);
    const longer = { ...automatic, messages: [user(...texts(3)), assistant('yes'), user('more')] };
    expect(counts(send(simulator, longer, { at: 10 }))).toEqual([3000, 2000, 0]);
  });

  it('adds no entry if the last block has a marker with the same lifetime, and is refused if that lifetime differs', () => {
    const same = { ...automatic, messages: [user(...texts(3), mark(text('last')))] };
    expect(counts(send(simulate(), same))).toEqual([0, 4000, 0]);
    const other = { ...automatic, messages: [user(...texts(3), mark(text('last'), '1h'))] };
    expect(refusal(simulate(), other).status).toBe(400);
  });

  it('takes one of the four slots', () => {
    const four = texts(4).map((block) => mark(block));
    expect(refusal(simulate(), { ...automatic, messages: [user(...four, 'last')] }).message).toBe(
      'A maximum of 4 blocks with cache_control may be provided. Found 5.',
    );
  });

  it('is placed on an earlier block if the last block may not have a marker', () => {
    const reminder = { role: 'system', content: 'soon', clear_at: 'next_user_message' };
    const fields = { ...automatic, messages: [user(...texts(3)), reminder] };
    const betas = ['mid-conversation-system-clear-at-2026-08-21'];
    expect(counts(send(simulate(), fields, { betas }))).toEqual([0, 3000, 1000]);
  });

  it('counts as the last marker, so 1h on it is refused after an explicit 5m marker', () => {
    const fields = { cache_control: { type: 'ephemeral', ttl: '1h' }, messages: [user(mark(text('a')), 'b')] };
    expect(refusal(simulate(), fields).message).toBe(
      "cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block.",
    );
  });
});

describe('§1.1 the prefix', () => {
  it("is tools, then system, then messages, in any order of the body's fields", () => {
    const simulator = simulate();
    const parts = { tools: [tool('look')], system: [text('brief')], messages: [user(mark(text('hello')))] };
    send(simulator, parts, { at: 0 });
    const { tools, system, messages } = parts;
    const body = JSON.stringify({ messages, system, tools, max_tokens: 100, model: 'test-model' });
    const second = simulator.messages({ body, at: 10, sizes: () => 1000 });
    expect(second).toMatchObject({ usage: { cache_read_input_tokens: 3000 } });
  });

  it('does not contain the markers, so they can move', () => {
    const simulator = simulate();
    send(simulator, marked(5, 4), { at: 0 });
    expect(counts(send(simulator, marked(6, 5), { at: 10 }))).toEqual([5000, 1000, 0]);
  });

  it('is the same for a string and a list with one text, and for one user message split into two', () => {
    const simulator = simulate();
    send(simulator, { messages: [user('a', mark(text('b')))] }, { at: 0 });
    const split = { messages: [{ role: 'user', content: 'a' }, user('b', mark(text('c')))] };
    expect(counts(send(simulator, split, { at: 10 }))).toEqual([2000, 1000, 0]);
  });
});

describe('§1.1 writes and reads', () => {
  it('each marker writes one entry and no entry before it, so two requests that only share a beginning cause no hit', () => {
    const simulator = simulate();
    send(simulator, marked(10, 9), { at: 0 });
    const fork = { messages: [user(...texts(8), 'other', mark(text('end')))] };
    expect(counts(send(simulator, fork, { at: 10 }))).toEqual([0, 10_000, 0]);
  });

  it('a second marker causes no additional cost', () => {
    expect(counts(send(simulate(), marked(10, 3, 9)))).toEqual([0, 10_000, 0]);
    expect(counts(send(simulate(), marked(10, 3)))).toEqual([0, 4000, 6000]);
  });

  it('the search covers 20 positions back from the marker: an entry at 15 is not found from a marker at 35', () => {
    const simulator = simulate();
    send(simulator, marked(16, 15), { at: 0 });
    expect(counts(send(simulator, marked(36, 35), { at: 10 }))).toEqual([0, 36_000, 0]);
  });

  it('the search covers 20 positions back from the marker: an entry at 15 is found from a marker at 34', () => {
    const simulator = simulate();
    send(simulator, marked(16, 15), { at: 0 });
    expect(counts(send(simulator, marked(35, 34), { at: 10 }))).toEqual([16_000, 19_000, 0]);
  });

  it('the search continues at the next earlier marker if the search from the last marker found nothing', () => {
    const simulator = simulate();
    send(simulator, marked(16, 15), { at: 0 });
    expect(counts(send(simulator, marked(60, 15, 59), { at: 10 }))).toEqual([16_000, 44_000, 0]);
    const other = simulate();
    send(other, marked(16, 15), { at: 0 });
    expect(counts(send(other, marked(60, 34, 59), { at: 10 }))).toEqual([16_000, 44_000, 0]);
  });

  it('consecutive calls count as one position, and so do consecutive results, except with `collapseRuns: false`', () => {
    const ids = Array.from({ length: 15 }, (_, i) => `call_${i}`);
    const before = { messages: [user(...texts(3), mark(text('go')))] };
    const after = {
      messages: [
        user(...texts(3), 'go'),
        assistant(...ids.map((id) => call(id))),
        user(...ids.map((id) => result(id)), mark(text('on'))),
      ],
    };
    const collapsed = simulate();
    send(collapsed, before, { at: 0 });
    expect(counts(send(collapsed, after, { at: 10 }))).toEqual([4000, 31_000, 0]);
    const plain = simulate({ collapseRuns: false });
    send(plain, before, { at: 0 });
    expect(counts(send(plain, after, { at: 10 }))).toEqual([0, 35_000, 0]);
  });

  it('an entry in the middle of consecutive results is found', () => {
    const simulator = simulate();
    const ids = ['a', 'b', 'c'];
    const calls = assistant(...ids.map((id) => call(id)));
    const first = { messages: [user('go'), calls, user(result('a'), mark(result('b')), result('c'))] };
    send(simulator, first, { at: 0 });
    const second = { messages: [user('go'), calls, user(result('a'), result('b'), mark(result('c')))] };
    expect(counts(send(simulator, second, { at: 10 }))).toEqual([6000, 1000, 0]);
  });

  it('an entry is readable once the first answer has begun, so parallel calls all write it', () => {
    const simulator = simulate({ firstByteMs: 500 });
    expect(counts(send(simulator, marked(5, 4), { at: 0 }))).toEqual([0, 5000, 0]);
    expect(counts(send(simulator, marked(5, 4), { at: 0 }))).toEqual([0, 5000, 0]);
    expect(counts(send(simulator, marked(5, 4), { at: 499 }))).toEqual([0, 5000, 0]);
    expect(counts(send(simulator, marked(5, 4), { at: 500 }))).toEqual([5000, 0, 0]);
  });

  it('a refused call writes nothing', () => {
    const simulator = simulate();
    simulator.fail({ kind: 'overloaded' });
    expect(refusal(simulator, marked(5, 4), { at: 0 }).status).toBe(529);
    expect(counts(send(simulator, marked(5, 4), { at: 10 }))).toEqual([0, 5000, 0]);
  });
});

describe('§1.1 the lifetime', () => {
  const minute = 60_000;

  it.each([
    ['5m' as const, 5 * minute],
    ['1h' as const, 60 * minute],
  ])(
    'of an entry ends %s after the start of the request that wrote the entry, even if the answer began later',
    (ttl, life) => {
      const fields = { messages: [user(text('a'), mark(text('b'), ttl))] };
      const alive = simulate({ firstByteMs: minute });
      send(alive, fields, { at: 0 });
      expect(counts(send(alive, fields, { at: life - 1 }))).toEqual([2000, 0, 0]);
      const gone = simulate({ firstByteMs: minute });
      send(gone, fields, { at: 0 });
      expect(counts(send(gone, fields, { at: life }))).toEqual([0, 2000, 0]);
    },
  );

  it('restarts with each hit, and a hit writes no tokens', () => {
    const simulator = simulate();
    send(simulator, marked(5, 4), { at: 0 });
    for (const at of [4, 8, 12, 16]) {
      expect(counts(send(simulator, marked(5, 4), { at: at * minute }))).toEqual([5000, 0, 0]);
    }
  });

  it('restarts also for an older entry that a request without a marker on the same block reads', () => {
    const simulator = simulate();
    send(simulator, marked(5, 4), { at: 0 });
    send(simulator, marked(6, 5), { at: 4 * minute });
    const fork = { messages: [user(...texts(5), mark(text('fork')))] };
    expect(counts(send(simulator, fork, { at: 8 * minute }))).toEqual([5000, 1000, 0]);
  });

  it('restarts also for marked entries before the hit', () => {
    const simulator = simulate();
    const front = { system: [mark(text('front')), text('x')] };
    const long = { ...front, messages: [user(mark(text('a')))] };
    for (const at of [0, 4, 8]) send(simulator, long, { at: at * minute, sizes: () => 2000 });
    const other = { ...front, messages: [user(mark(text('b')))] };
    expect(counts(send(simulator, other, { at: 12 * minute, sizes: () => 2000 }))).toEqual([2000, 4000, 0]);
  });

  it('must not be longer on a later marker than on an earlier one', () => {
    const fields = { system: [mark(text('front'))], messages: [user(mark(text('a'), '1h'))] };
    expect(refusal(simulate(), fields).message).toBe(
      "messages.0.content.0.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block.",
    );
    expect(send(simulate(), { system: [mark(text('front'), '1h')], messages: [user(mark(text('a')))] }).status).toBe(
      200,
    );
  });

  /**
   * The request has ten blocks of 1,000 tokens. The tokens up to the hit are read. The tokens from there to the `1h`
   * marker are written for 1h, and those up to the `5m` marker are written for 5m. The remaining tokens are fresh.
   */
  it.each([
    ['no hit', undefined, [2, 6], [0, 3000, 4000, 3000]],
    ['a hit before both markers', 1, [4, 6], [2000, 3000, 2000, 3000]],
    ['a hit at the marker for 1h', 4, [4, 6], [5000, 0, 2000, 3000]],
    ['a hit after the marker for 1h', 5, [2, 6], [6000, 0, 1000, 3000]],
    ['a hit at the last marker', 6, [2, 6], [7000, 0, 0, 3000]],
  ] as const)(
    'of each marker decides for which lifetime the tokens before the marker are billed: %s',
    (_, hit, [long, short], [read, written1h, written5m, fresh]) => {
      const simulator = simulate();
      if (hit !== undefined) send(simulator, marked(hit + 1, hit), { at: 0 });
      const blocks = texts(10).map((block, i) => (i === long ? mark(block, '1h') : i === short ? mark(block) : block));
      const { usage } = send(simulator, { messages: [user(...blocks)] }, { at: 10 });
      expect(usage).toMatchObject({
        cache_read_input_tokens: read,
        cache_creation_input_tokens: written1h + written5m,
        cache_creation: { ephemeral_5m_input_tokens: written5m, ephemeral_1h_input_tokens: written1h },
        input_tokens: fresh,
      });
    },
  );

  it.each([
    ['works' as const, 3000],
    ['fails' as const, 0],
  ])(
    'of a one-hour write after a hit on a 5m entry is one hour only if promotion works (promotion %s)',
    (promotion, read) => {
      const simulator = simulate({ promotion });
      send(simulator, { messages: [user(...texts(1), mark(text('b')))] }, { at: 0 });
      const promote = { messages: [user(...texts(1), 'b', mark(text('c'), '1h'))] };
      expect(counts(send(simulator, promote, { at: minute }))).toEqual([2000, 1000, 0]);
      expect(send(simulator, promote, { at: 30 * minute }).usage.cache_read_input_tokens).toBe(read);
    },
  );
});

describe('§1.1 pre-warming', () => {
  const fields = { max_tokens: 0, messages: [user(mark(text('a')))] };

  it('writes the cache and returns an empty answer, and the next call reads the entry', () => {
    const simulator = simulate();
    const warm = send(simulator, fields, { at: 0, sizes: () => 2000 });
    expect(warm.message).toMatchObject({ content: [], stop_reason: 'max_tokens' });
    expect(warm.usage).toMatchObject({ output_tokens: 0, cache_creation_input_tokens: 2000 });
    const real = send(simulator, { ...fields, max_tokens: 10 }, { at: 10, sizes: () => 2000 });
    expect(counts(real)).toEqual([2000, 0, 0]);
  });

  it('uses up no step of a scenario', () => {
    const simulator = simulate({ scenario: { steps: [{ answer: { text: 'one' } }] } });
    send(simulator, fields);
    expect(simulator.stepsLeft).toBe(1);
  });

  it.each<[string, Wire]>([
    ['stream', { stream: true }],
    ['thinking', { thinking: { type: 'enabled', budget_tokens: 2000 } }],
    ['output_config.format', { output_config: { format: { type: 'json_schema', schema: {} } } }],
    ['tool_choice', { tools: [tool('look')], tool_choice: { type: 'any' } }],
    ['tool_choice', { tools: [tool('look')], tool_choice: { type: 'tool', name: 'look' } }],
  ])('is refused with %s', (word, extra) => {
    const { status, message } = refusal(simulate(), { ...fields, ...extra });
    expect([status, message.includes(word)]).toEqual([400, true]);
  });

  it('is refused on a model that does not support it', () => {
    expect(refusal(simulate(), { ...fields, model: 'no-prewarm' }).message).toBe(
      'max_tokens: Input should be greater than or equal to 1',
    );
  });
});

describe('§1.1 isolation', () => {
  it('an entry is not readable from another account or for another model', () => {
    const simulator = simulate();
    const fields = marked(5, 4);
    send(simulator, fields, { at: 0, account: 'one' });
    expect(counts(send(simulator, fields, { at: 10, account: 'two' }))).toEqual([0, 5000, 0]);
    expect(counts(send(simulator, { ...fields, model: 'other-model' }, { at: 20, account: 'one' }))).toEqual([
      0, 5000, 0,
    ]);
    expect(counts(send(simulator, fields, { at: 30, account: 'one' }))).toEqual([5000, 0, 0]);
  });

  it('an eviction removes all entries', () => {
    const simulator = simulate();
    send(simulator, marked(5, 4), { at: 0 });
    simulator.fail({ kind: 'evicted' });
    expect(counts(send(simulator, marked(5, 4), { at: 10 }))).toEqual([0, 5000, 0]);
    simulator.evict();
    expect(counts(send(simulator, marked(5, 4), { at: 20 }))).toEqual([0, 5000, 0]);
  });
});

describe('§1.2 the floor', () => {
  it('a prefix below the floor is not cached and causes no error: the request reads and writes 0 tokens', () => {
    const simulator = simulate();
    const fields = { messages: [user(mark(text('a')))] };
    expect(counts(send(simulator, fields, { at: 0, sizes: () => 1023 }))).toEqual([0, 0, 1023]);
    expect(counts(send(simulator, fields, { at: 10, sizes: () => 1023 }))).toEqual([0, 0, 1023]);
    expect(counts(send(simulator, fields, { at: 20, sizes: () => 1024 }))).toEqual([0, 1024, 0]);
  });

  it('a marker above the floor writes an entry even if an earlier marker is below the floor', () => {
    const fields = { system: [mark(text('s'), '1h')], messages: [user(mark(text('a')))] };
    const { usage } = send(simulate(), fields, { sizes: () => 600 });
    expect(usage).toMatchObject({
      input_tokens: 0,
      cache_creation: { ephemeral_5m_input_tokens: 1200, ephemeral_1h_input_tokens: 0 },
    });
  });
});
