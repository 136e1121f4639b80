import { callId, position, sessionId } from '@tidemark/log';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TestEvent } from '../../tests/log-of.ts';
import {
  answer,
  call,
  created,
  fold,
  logOf,
  named,
  note,
  packed,
  prompt,
  request,
  returned,
  SESSION,
  text,
} from '../../tests/log-of.ts';
import { emptyState } from '../state/state.ts';
import { evolve } from './evolve.ts';
import { INTERRUPTED } from '../base/render.ts';

describe('settled order', () => {
  test('packs results in call order, even if they arrived in another order', () => {
    const state = fold([
      created,
      prompt('go'),
      answer([text('I look.'), call('c1'), call('c2')]),
      returned('c2'),
      returned('c1'),
    ]);
    expect(packed(state)).toEqual([
      'user: go',
      'assistant: I look. + call c1 + call c2',
      'user: result c1',
      'user: result c2',
    ]);
  });

  test('packs a prompt given during a batch after the results of that batch', () => {
    const state = fold([created, prompt('go'), answer([call('c1')]), prompt('and keep the rounding'), returned('c1')]);
    expect(packed(state)).toEqual(['user: go', 'assistant: call c1', 'user: result c1', 'user: and keep the rounding']);
  });

  test('packs no part of an answer whose calls are open', () => {
    expect(packed(fold([created, prompt('go'), answer([call('c1')]), prompt('more')]))).toEqual(['user: go']);
  });

  test('holds a prompt given while a request is in flight until the answer', () => {
    const sent: readonly TestEvent[] = [created, prompt('go'), request(1), prompt('wait')];
    expect(packed(fold(sent))).toEqual(['user: go']);
    expect(packed(fold([...sent, answer([text('done')])]))).toEqual(['user: go', 'assistant: done', 'user: wait']);
  });

  test('packs a note before the next prompt, and an urgent note at once', () => {
    expect(packed(fold([created, note('workspace')]))).toEqual([]);
    expect(packed(fold([created, note('workspace'), prompt('go')])).map((span) => span.slice(0, 14))).toEqual([
      'user: <context',
      'user: go',
    ]);
    expect(packed(fold([created, note('mode', true)]))).toHaveLength(1);
  });

  test('makes an urgent note wait for the results of an open batch', () => {
    const state = fold([created, prompt('go'), answer([call('c1')]), note('mode', true), returned('c1')]);
    expect(packed(state).map((span) => span.slice(0, 15))).toEqual([
      'user: go',
      'assistant: call',
      'user: result c1',
      'user: <context ',
    ]);
  });
});

describe('closing', () => {
  test('ignores and reports a second closing event of a call', () => {
    const state = fold([created, prompt('go'), answer([call('c1')]), returned('c1'), returned('c1')]);
    expect(packed(state)).toHaveLength(3);
    expect(state.problems.buffer.map((problem) => problem.code)).toEqual(['second-closing']);
  });

  test('ignores and reports a result without a call', () => {
    const state = fold([created, prompt('go'), returned('c9')]);
    expect(state.problems.buffer.map((problem) => problem.code)).toEqual(['orphan-closing']);
  });

  test('packs an abandoned call as an error result (claude-code#3639)', () => {
    const state = fold([
      created,
      prompt('go'),
      answer([call('c1')]),
      ['tool.abandoned', { call: callId('c1'), reason: 'interrupted' }],
    ]);
    expect(packed(state)).toEqual(['user: go', 'assistant: call c1', 'user: error result c1']);
  });

  test('omits a call whose arguments were cut, and its result', () => {
    const cut: TestEvent = ['tool.abandoned', { call: callId('c2'), reason: 'cut' }];
    const state = fold([created, prompt('go'), answer([call('c1'), call('c2')]), returned('c1'), cut]);
    expect(packed(state)).toEqual(['user: go', 'assistant: call c1', 'user: result c1']);
  });

  test('renames a call id that a later answer repeats', () => {
    const state = fold([
      created,
      prompt('go'),
      answer([call('c1')]),
      returned('c1'),
      answer([call('c1')]),
      returned('c1'),
    ]);
    expect(packed(state).slice(3)).toEqual(['assistant: call c1_4', 'user: result c1_4']);
  });
});

test('the fold packs no blank text, and no message that has only blank text', () => {
  const state = fold([created, prompt('  '), prompt('go'), answer([text('\n\n')]), answer([text(' '), text('done')])]);
  expect(packed(state)).toEqual(['user: go', 'assistant: done']);
});

describe('an interrupted answer', () => {
  const cutBy = (by: 'user' | 'transport' | 'limit'): TestEvent => [
    'answer.interrupted',
    {
      step: 0,
      stream: 'main',
      by,
      ...(by === 'limit' && { limit: 'time' }),
      provider: 'anthropic',
      model: 'm',
      parts: [text('half'), call('c1')],
    },
  ];

  test('is packed as its text and a closing line if the user interrupted it', () => {
    expect(packed(fold([created, prompt('go'), cutBy('user'), prompt('again')]))).toEqual([
      'user: go',
      `assistant: half + ${INTERRUPTED}`,
      'user: again',
    ]);
  });

  test('is packed with another closing line if the time limit of the turn cut it', () => {
    expect(packed(fold([created, prompt('go'), cutBy('limit')]))).toEqual([
      'user: go',
      'assistant: half + [This answer was cut off here, because the time limit of the turn was reached.]',
    ]);
  });

  test('is not packed if the transport cut it', () => {
    expect(packed(fold([created, prompt('go'), cutBy('transport')]))).toEqual(['user: go']);
  });
});

describe('an epoch', () => {
  const compacted: TestEvent = [
    'history.compacted',
    {
      range: { from: position(0), to: position(2) },
      strategy: 'recorded',
      trigger: 'manual',
      checkpoint: 'all before',
      limitations: [],
    },
  ];
  const opened = (checkpoint?: number): TestEvent => [
    'epoch.opened',
    {
      number: 1,
      cause: 'compaction',
      provider: 'anthropic',
      model: 'm',
      parameters: {},
      capabilities: named('row'),
      contract: 'tm1',
      layers: [],
      tools: [],
      cacheKey: 'k',
      forecast: { rewrite: 0 },
      ...(checkpoint === undefined ? {} : { checkpoint: position(checkpoint) }),
    },
  ];
  const before: readonly TestEvent[] = [
    created,
    prompt('one'),
    answer([text('1')]),
    prompt('two'),
    answer([text('2')]),
    compacted,
  ];

  test('is the only event that changes packing: a compaction has no effect until an epoch names it', () => {
    expect(packed(fold(before))).toHaveLength(4);
    const state = fold([...before, opened(5)]);
    expect(packed(state)).toEqual(['user: <checkpoint>\nall before\n</checkpoint>', 'user: two', 'assistant: 2']);
  });

  test('that keeps the current checkpoint repacks nothing', () => {
    const state = fold([...before, opened(5)]);
    const again = fold([opened(5)], state);
    expect(again.history.packed.buffer).toBe(state.history.packed.buffer);
  });

  test('that names a record other than a compaction as its checkpoint is reported, and packs as before', () => {
    const state = fold([...before, opened(3)]);
    expect(packed(state)).toHaveLength(4);
    expect(state.problems.buffer.map((problem) => problem.code)).toEqual(['unknown-epoch-record']);
  });
});

test('the spans packed for a request are the beginning of all later packings (L3), for records in any order', () => {
  const anyEvent = fc.constantFrom<TestEvent>(
    prompt('p'),
    note('n'),
    note('u', true),
    answer([text('t'), call('a'), call('b')]),
    answer([text('t')]),
    returned('a'),
    returned('b'),
    request(1),
    ['turn.ended', { outcome: 'completed' }],
  );
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 40 }), (list) => {
      let state = fold([created]);
      let earlier = packed(state);
      for (const record of logOf(list, 1)) {
        state = evolve(state, record);
        const now = packed(state);
        expect(now.slice(0, earlier.length)).toEqual(earlier);
        earlier = now;
      }
    }),
  );
});

test('an older state is not changed by a newer one', () => {
  const old = fold([created, prompt('one')]);
  const seen = packed(old);
  fold([prompt('two')], old);
  fold([prompt('three')], old);
  expect(packed(old)).toEqual(seen);
  expect(packed(fold([prompt('four')], old))).toEqual(['user: one', 'user: four']);
});

test('an event of unknown kind is noted in `unknown`, and the fold continues', () => {
  const unknown = { kind: 'unknown', name: 'x.happened', data: null } as const;
  const [record] = logOf([prompt('go')]);
  if (record === undefined) throw new Error('no record');
  const state = evolve(emptyState(), {
    ...unknown,
    at: record.at,
    v: 1,
    position: position(0),
    fence: 1,
    chain: record.chain,
  });
  expect(state.unknown).toEqual({ name: 'x.happened', position: 0 });
});

/** Returns the epoch that takes up the checkpoint at a position. */
function takingUp(checkpoint: number): TestEvent {
  return [
    'epoch.opened',
    {
      number: 1,
      cause: 'compaction',
      provider: 'anthropic',
      model: 'm',
      parameters: {},
      capabilities: named('row'),
      contract: 'tm1',
      layers: [],
      tools: [],
      checkpoint: position(checkpoint),
      cacheKey: 'k',
      forecast: { rewrite: 0 },
    },
  ];
}

const COMPACTED = { strategy: 'recorded', trigger: 'manual', checkpoint: 'so far', limitations: [] } as const;

test('a fork that takes up a checkpoint of its parent names the parent as its origin (L4)', () => {
  const data = { ...COMPACTED, range: { from: position(0), to: position(1) } };
  const forked: TestEvent = ['session.created', { id: sessionId('s2'), root: SESSION, workspace: '/w' }];
  const state = fold([created, prompt('one'), ['history.compacted', data], forked, takingUp(2)]);
  expect(state.history.packed.buffer[0]?.origin).toEqual({ from: 'event', session: SESSION, position: 2 });
});

test('a compaction replaces nothing that comes after its own record, so the next request ends with the prompt (L8)', () => {
  const data = { ...COMPACTED, range: { from: position(0), to: position(9) }, keeps: [position(3)] };
  const compacted: TestEvent = ['history.compacted', data];
  const state = fold([created, prompt('one'), compacted, answer([text('so')]), prompt('two'), takingUp(2)]);
  expect(packed(state).slice(1)).toEqual(['assistant: so', 'user: two']);
});
