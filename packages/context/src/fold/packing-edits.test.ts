import type { Digest, EpochOpened, ImagePart } from '@tidemark/log';
import { callId, position } from '@tidemark/log';
import { slice } from '../base/append-only.ts';
import { describe, expect, test } from 'vitest';
import type { TestEvent } from '../../tests/log-of.ts';
import { answer, call, created, fold, named, packed, prompt, returned, text } from '../../tests/log-of.ts';
import { neededEpoch } from '../epoch/epoch.ts';
import type { State } from '../state/state.ts';

const SHOT: ImagePart<Digest> = { type: 'image', artifact: named('shot'), mediaType: 'image/png', bytes: 9 };

function rejected(at: number, part: number, stub = 'left out'): TestEvent {
  return ['block.quarantined', { origin: { position: position(at), part }, reason: 'too large', stub }];
}

function opened(
  number: number,
  quarantines?: readonly number[],
): Extract<TestEvent, readonly ['epoch.opened', ...unknown[]]> {
  const data: EpochOpened = {
    number,
    cause: number === 0 ? 'initial' : 'quarantine',
    provider: 'anthropic',
    model: 'm',
    parameters: {},
    capabilities: named('row'),
    contract: 'tm1',
    layers: [],
    tools: [],
    ...(quarantines === undefined ? {} : { quarantines: quarantines.map((one) => position(one)) }),
    cacheKey: 'tm1',
    forecast: { rewrite: 0 },
  };
  return ['epoch.opened', data];
}

const shown: TestEvent = ['prompt.given', { parts: [{ type: 'text', text: 'look' }, SHOT], presenter: 'test' }];

function cause(state: State): string | undefined {
  return neededEpoch(state, {
    provider: 'anthropic',
    model: 'm',
    parameters: {},
    capabilities: named('row'),
    texts: { contract: 'tm1', layers: [], tools: [] },
  });
}

describe('a rejected block', () => {
  test('stays until an epoch names its record, and is a stub from then on', () => {
    const before = fold([created, shown, opened(0), rejected(1, 1)]);
    expect([packed(before), cause(before)]).toEqual([['user: look + image'], 'quarantine']);
    const after = fold([opened(1, [3])], before);
    expect([packed(after), cause(after)]).toEqual([['user: look + left out'], undefined]);
    const later = fold([prompt('more'), opened(2, [3])], after);
    expect(packed(later)).toEqual(['user: look + left out', 'user: more']);
    expect([after.epoch?.edited, later.epoch?.edited]).toEqual([4, 4]);
  });

  test('stays in the earlier state when an epoch replaces it in a newer state', () => {
    const before = fold([created, shown, opened(0), rejected(1, 1)]);
    fold([opened(1, [3]), prompt('one')], before);
    expect(packed(fold([prompt('two')], before))).toEqual(['user: look + image', 'user: two']);
  });

  test('in a result is replaced alone: the result stays and closes its call', () => {
    const seen: TestEvent = [
      'tool.returned',
      { call: callId('c1'), parts: [{ type: 'text', text: 'a screen' }, SHOT] },
    ];
    const state = fold([created, prompt('go'), answer([call('c1')]), seen, opened(0), rejected(3, 1), opened(1, [5])]);
    const [result] = slice(state.history.packed, 2)[0]?.parts ?? [];
    expect(result).toMatchObject({ type: 'result', content: [{ text: 'a screen' }, { text: 'left out' }] });
  });

  test('changes nothing if its place does not exist in the result', () => {
    const seen: TestEvent = ['tool.returned', { call: callId('c1'), parts: [{ type: 'text', text: 'a screen' }] }];
    const before = fold([created, prompt('go'), answer([call('c1')]), seen, opened(0)]);
    for (const place of [1, 7, -1]) {
      const after = fold([rejected(3, place), opened(1, [5])], before);
      expect(packed(after)).toEqual(packed(before));
    }
  });

  test('needs no stub if its result was already shortened without it', () => {
    const long: TestEvent = [
      'tool.returned',
      { call: callId('c1'), parts: [{ type: 'text', text: 'a screen' }, SHOT, SHOT] },
    ];
    const pruned: TestEvent = [
      'history.pruned',
      { calls: ['c1'], results: [{ position: position(3), kept: 8 }], freed: 1, cause: 'pays' },
    ];
    const [kind, data] = opened(1);
    const taken = { ...data, prunings: [position(5)] };
    const before = fold([created, prompt('go'), answer([call('c1')]), long, opened(0), pruned, [kind, taken]]);
    const after = fold([rejected(3, 2), [kind, { ...taken, number: 2, quarantines: [position(7)] }]], before);
    expect(packed(after)).toEqual(packed(before));
  });

  test('that is a call is replaced together with its result, whose stub comes after the other results', () => {
    const state = fold([
      created,
      prompt('go'),
      answer([text('I look'), call('c1'), call('c2')]),
      returned('c1'),
      returned('c2'),
      prompt('next'),
      opened(0),
      rejected(2, 1),
      opened(1, [7]),
    ]);
    expect(packed(state)).toEqual([
      'user: go',
      'assistant: I look + left out + call c2',
      'user: result c2',
      'user: left out',
      'user: next',
    ]);
  });

  test('that is reasoning also removes all older reasoning, but no newer reasoning', () => {
    const thought = (opaque: string): Parameters<typeof answer>[0][number] => ({
      type: 'reasoning',
      opaque,
      text: 'hm',
    });
    const state = fold([
      created,
      prompt('go'),
      answer([thought('a'), text('one')]),
      prompt('go on'),
      answer([thought('b'), text('two')]),
      prompt('go on'),
      answer([thought('c'), text('three')]),
      opened(0),
      rejected(4, 0, ''),
      opened(1, [8]),
    ]);
    const sealed = slice(state.history.packed).flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === 'reasoning' ? [part.opaque] : [])),
    );
    expect(sealed).toEqual([undefined, undefined, 'c']);
  });

  test('changes nothing if it is not packed, and an epoch that names a record of another kind is reported', () => {
    const state = fold([created, shown, opened(0), rejected(7, 0), rejected(1, 9), opened(1, [3, 4, 2])]);
    expect(packed(state)).toEqual(['user: look + image']);
    expect(state.problems.buffer.map(({ code }) => code)).toEqual(['unknown-epoch-record']);
  });
});
