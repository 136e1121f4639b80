// Tests of which results are worth shortening, with the measured cases of issue 14.

import type { AnswerPart, CallId } from '@tidemark/log';
import { callId, position } from '@tidemark/log';
import { describe, expect, test } from 'vitest';
import type { TestEvent } from '../../tests/log-of.ts';
import { answer, created, fold, named, prompt, request, second, turn } from '../../tests/log-of.ts';
import {
  EARLY,
  HALF_FULL,
  LATER,
  NOTHING,
  USAGE,
  never,
  opened,
  plan,
  result,
  resultsOf,
  session,
  step,
  taken,
  textOf,
} from '../../tests/pruning-session.ts';
import type { Need } from '../epoch/needed-change.ts';
import type { State } from '../state/state.ts';

function reading(files: readonly string[], length: number): State {
  const steps = files.flatMap((path, index) => {
    const id = `c${index}`;
    const read: AnswerPart<CallId> = {
      type: 'call',
      call: callId(id),
      name: 'read',
      arguments: JSON.stringify({ path }),
    };
    const marker = { block: index, ttl: '5m', prefix: named(`prefix ${index}`) } as const;
    return [
      request(index + 1, [marker], index),
      answer([read], USAGE, index),
      result(id, `${index}: ${'word '.repeat(length / 5)}`),
    ];
  });
  return fold([created, turn, prompt('go'), opened(0), ...steps, ...step(files.length, [], USAGE)]);
}

test("a pruning recorded by an older version shows the beginning of a command's output and does not count for any tier", () => {
  const run: AnswerPart<CallId> = {
    type: 'call',
    call: callId('c'),
    name: 'bash',
    arguments: '{"command":"npm test"}',
  };
  const state = fold([
    created,
    prompt('go'),
    opened(0),
    request(1),
    answer([run], USAGE),
    result('c', `first${'x'.repeat(2_000)}last`),
  ]);
  const old = taken(state, { calls: ['c'], results: [{ position: position(5), kept: 500 }], freed: 9, cause: 'pays' });
  expect(textOf(resultsOf(old)[0])).toMatch(
    /^firstx{495}\n\[Shortened here: the first 500 of 2009 characters are shown/,
  );
  expect(old.prunings.map(({ tier, cause }) => [tier, cause])).toEqual([[undefined, 'pays']]);
});

describe('the measured cases of issue 14', () => {
  const anew: Need = { do: 'epoch', cause: 'tools' };
  const nine = Array.from({ length: 10 }, (_, index) => `src/${index}.ts`);

  test('on a 1M window after 9 steps (2% full), nothing is cut, not even in an epoch that opens anyway', () => {
    const state = reading(nine, 8_000);
    const gauge = { tier: 'calm', ratio: 0.02, bytes: 0 } as const;
    for (const need of [NOTHING, anew]) {
      expect(plan(state, { gauge, need })).toBeUndefined();
      expect(plan(fold(LATER, state), { gauge, need })).toBeUndefined();
    }
    expect(plan(fold(LATER, state), { need: anew })).toMatchObject({ calls: ['c0', 'c1', 'c2', 'c3'] });
  });

  test('below half of the window, only superseded results are cut', () => {
    const state = fold(LATER, reading([...nine.slice(0, 3), 'src/1.ts', ...nine.slice(3)], 8_000));
    const gauge = { tier: 'calm', ratio: 0.49, bytes: 0 } as const;
    expect(plan(state, { gauge, need: anew })).toMatchObject({ calls: ['c1'] });
    expect(plan(state, { gauge: { ...gauge, ratio: 0.5 }, need: anew })).toMatchObject({
      calls: ['c0', 'c1', 'c2', 'c3', 'c4'],
    });
    expect(plan(state, { gauge: { tier: 'unknown', bytes: 0 }, need: anew })).toMatchObject({ calls: ['c1'] });
    expect(plan(state, { gauge: { ...gauge, bytes: 5, bytesLimit: 9 }, need: anew })?.calls).toHaveLength(5);
  });

  test('a file that is about to be edited again is not cut because of an earlier edit', () => {
    const state = reading(nine, 8_000);
    const edit: AnswerPart<CallId> = {
      type: 'call',
      call: callId('e'),
      name: 'edit',
      arguments: '{"path":"src/0.ts","old":"a"}',
    };
    const edited = fold(
      [request(12), answer([edit], USAGE, 12), result('e', 'ok'), request(13), answer([], USAGE, 13)],
      state,
    );
    expect(plan(edited, { gauge: HALF_FULL, need: anew })).toBeUndefined();
  });

  test('a tier opens one pruning epoch per compaction, and a pruning in an epoch that opens anyway does not count', () => {
    const before = session(EARLY);
    const pruned = plan(before) ?? never();
    expect(pruned).toMatchObject({ cause: 'pays', tier: 'calm' });
    const more = [...step(17, [['x', result('x', 'word '.repeat(4_000))]], USAGE), ...LATER];
    const grown = (state: State): State =>
      fold(
        [
          ...more,
          ...Array.from({ length: 30 }, (_, index) =>
            step(18 + index, [[`y${index}`, result(`y${index}`, 'ok')]], USAGE),
          ).flat(),
        ],
        state,
      );
    const after = grown(taken(before, pruned));
    expect(plan(after, { at: second(70) })).toBeUndefined();
    expect(plan(after, { at: second(70), gauge: { ...HALF_FULL, tier: 'advisory' } })).toMatchObject({ calls: ['x'] });
    const along = grown(taken(before, { ...pruned, cause: 'together' }));
    expect(plan(along, { at: second(70) })).toMatchObject({ calls: ['x'], tier: 'calm' });
  });

  test("the end of a command's output is kept", () => {
    const run = (id: string, count: number): readonly TestEvent[] => {
      const part: AnswerPart<CallId> = {
        type: 'call',
        call: callId(id),
        name: 'bash',
        arguments: '{"command":"npm test"}',
      };
      return [request(count), answer([part], USAGE, count), result(id, `${'line '.repeat(2_000)}2 failed`)];
    };
    const others = Array.from({ length: 6 }, (_, index) =>
      step(index + 3, [[`d${index}`, result(`d${index}`, 'ok')]], USAGE),
    );
    const state = fold([
      created,
      prompt('go'),
      opened(0),
      ...run('a', 1),
      ...run('b', 2),
      ...others.flat(),
      ...step(9, [], USAGE),
    ]);
    const pruned = plan(state, { need: anew }) ?? never();
    expect(pruned.results).toEqual([{ position: expect.any(Number), kept: 500, from: 'end' }]);
    const text = textOf(resultsOf(taken(state, pruned))[0]);
    expect(text).toMatch(/^\[Shortened here: the last 500 of 10008 characters are shown\. .*\]\n.*line 2 failed$/s);
  });
});
