import type { AnswerPart, Position } from '@tidemark/log';
import { position } from '@tidemark/log';
import { expect, test } from 'vitest';
import type { TestEvent } from '../../tests/log-of.ts';
import { answer, call, created, fold, named, packed, prompt, request, returned } from '../../tests/log-of.ts';

test('a call with any name closes, even with a name such as `constructor` that every object has as a member', () => {
  const state = fold([created, prompt('go'), answer([call('constructor')]), returned('constructor')]);
  expect(state.history.batch).toBeUndefined();
  expect(packed(state)).toEqual(['user: go', 'assistant: call constructor', 'user: result constructor']);
});

test('a batch is packed in call order when the last of its calls closes', () => {
  const open = fold([created, prompt('go'), answer([call('a'), call('b')]), returned('b')]);
  expect(packed(open)).toEqual(['user: go']);
  expect(packed(fold([returned('a')], open))).toEqual([
    'user: go',
    'assistant: call a + call b',
    'user: result a',
    'user: result b',
  ]);
});

test('an epoch that repacks forgets the ids of dropped calls and keeps the ids of packed calls', () => {
  const compacted: TestEvent = [
    'history.compacted',
    {
      range: { from: position(0), to: position(4) },
      strategy: 'recorded',
      trigger: 't',
      checkpoint: 'c',
      limitations: [],
    },
  ];
  const used: readonly TestEvent[] = [
    answer([call('a')]),
    returned('a'),
    prompt('on'),
    answer([call('b')]),
    returned('b'),
  ];
  const state = fold([created, prompt('go'), ...used, compacted, opening(position(7))]);
  expect([...state.history.calls.keys()]).toEqual(['b']);
  const again = fold([answer([call('a'), call('b')]), returned('a'), returned('b')], state);
  expect(packed(again).at(-3)).toBe('assistant: call a + call b_9');
});

test('a repeated call id is replaced by an id that no other call has, in the same answer or a later one', () => {
  const first: readonly TestEvent[] = [created, prompt('go'), answer([call('a')]), returned('a')];
  const both = fold([...first, answer([call('a'), call('a_4')]), returned('a'), returned('a_4')]);
  expect(packed(both).slice(-3)).toEqual(['assistant: call a_4_ + call a_4', 'user: result a_4_', 'user: result a_4']);
  const later = fold([...first, answer([call('a')]), returned('a'), answer([call('a_4')]), returned('a_4')]);
  expect(packed(later).slice(-2)).toEqual(['assistant: call a_4_6', 'user: result a_4_6']);
});

test('reasoning after an omitted part of its answer is marked `displaced`', () => {
  const thought: AnswerPart = { type: 'reasoning', opaque: '{}', text: 'hm' };
  const state = fold([
    created,
    prompt('go'),
    answer([thought, { type: 'text', text: ' ' }, thought, { type: 'text', text: 'so' }]),
  ]);
  const parts = state.history.packed.buffer.at(-1)?.parts ?? [];
  expect(parts.map((part) => part.type === 'reasoning' && part.displaced === true)).toEqual([false, true, false]);
});

test('reasoning directly before a part that is omitted or renamed is marked `torn`, and later reasoning `displaced`', () => {
  const thought: AnswerPart = { type: 'reasoning', opaque: '{}', text: 'hm' };
  const used = [created, prompt('go'), answer([call('a')]), returned('a')];
  const parts = [thought, call('b'), thought, thought, call('a'), thought, { type: 'text', text: 'so' } as const];
  const state = fold([...used, answer(parts), returned('a'), returned('b')]);
  const firstParts = state.history.packed.buffer.at(-3)?.parts ?? [];
  expect(firstParts.flatMap((part) => (part.type === 'reasoning' ? [[part.torn, part.displaced]] : []))).toEqual([
    [undefined, undefined],
    [true, undefined],
    [true, undefined],
    [undefined, true],
  ]);
});

test('a compaction keeps a prompt recorded during an answer together with that answer, even if the prompt is in its range', () => {
  const flight: readonly TestEvent[] = [
    created,
    prompt('go'),
    request(1),
    prompt('and this'),
    answer([{ type: 'text', text: 'done' }]),
  ];
  const range = { from: position(0), to: position(3) };
  const compacted: TestEvent = [
    'history.compacted',
    { range, strategy: 'recorded', trigger: 't', checkpoint: 'c', limitations: [] },
  ];
  const state = fold([...flight, compacted, opening(position(5))]);
  expect(packed(state).slice(1)).toEqual(['assistant: done', 'user: and this']);
});

function opening(checkpoint: Position): TestEvent {
  const front = {
    contract: 'tm1',
    layers: [],
    tools: [],
    capabilities: named('row'),
    cacheKey: 'k',
    forecast: { rewrite: 0 },
  };
  return [
    'epoch.opened',
    { number: 1, cause: 'compaction', provider: 'anthropic', model: 'm', parameters: {}, checkpoint, ...front },
  ];
}

test('two continuations of one state are independent: a call id of one is new to the other (L2)', () => {
  const shared = fold([created, prompt('go')]);
  fold([answer([call('c1')]), returned('c1')], shared);
  const longer: readonly TestEvent[] = [prompt('more'), prompt('and more'), answer([call('c1')]), returned('c1')];
  expect(packed(fold(longer, shared))).toEqual(packed(fold([created, prompt('go'), ...longer])));
});
