// Tests that a compaction cuts only at allowed places, over random histories, and that the fold makes exactly that cut.

import type { Span } from '@tidemark/model';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TestEvent } from '../../tests/log-of.ts';
import { answer, call, created, fold, note, prompt, request, returned, text } from '../../tests/log-of.ts';
import { slice } from '../base/append-only.ts';
import { remainingSpans } from '../fold/settle.ts';
import { boundaryOf } from './draft-compaction.ts';

const tellings = fc.array(
  fc.constantFrom<readonly TestEvent[]>(
    [prompt('p')],
    [note('n')],
    [note('u', true)],
    [request(1), prompt('while it answers'), answer([text('t')])],
    [answer([text('t')])],
    [answer([call('a'), call('b')]), returned('b'), prompt('in between'), returned('a')],
  ),
  { maxLength: 25 },
);

/** The fold makes repeated call ids unique, so random histories may repeat them. */
function tailOf(events: readonly (readonly TestEvent[])[]): readonly Span[] {
  return slice(fold([created, ...events.flat()]).history.packed);
}

const one = (): number => 1;

describe('a boundary', () => {
  test('never separates a call from its result, and the fold cuts exactly there', () => {
    fc.assert(
      fc.property(tellings, fc.nat(30), (events, tokens) => {
        const tail = tailOf(events);
        const found = boundaryOf(tail, tokens, one);
        if (found === undefined) return;
        const { first, to } = found;
        expect(first).toBeGreaterThan(0);
        expect(tail[first]?.group).not.toBe(tail[first - 1]?.group);
        expect(remainingSpans(tail, { to, keeps: [], shortens: undefined })).toEqual(tail.slice(first));
      }),
    );
  });

  test('keeps at most the given tokens, except for results that the model has not seen', () => {
    fc.assert(
      fc.property(tellings, fc.nat(30), (events, tokens) => {
        const tail = tailOf(events);
        const found = boundaryOf(tail, tokens, one);
        if (found === undefined) return;
        const kept = tail.slice(found.first);
        const unseen = kept.findLast(({ role }) => role === 'assistant');
        const spans = unseen === undefined ? kept : kept.slice(kept.indexOf(unseen));
        expect(kept.length <= Math.max(tokens, spans.length)).toBe(true);
      }),
    );
  });

  test('keeps the batch that waits for an answer, at any size', () => {
    const tail = tailOf([[prompt('one')], [answer([call('a'), call('b')]), returned('a'), returned('b')]]);
    expect(boundaryOf(tail, 0, () => 1_000)).toMatchObject({ first: 1 });
  });

  test('is `undefined` if nothing would be omitted', () => {
    const tail = tailOf([[prompt('one')], [answer([text('1')])]]);
    expect(boundaryOf(tail, 10, one)).toBeUndefined();
  });

  test('is after the range of the current checkpoint', () => {
    const tail = tailOf([[prompt('one')], [answer([text('1')])], [prompt('two')], [answer([text('2')])]]);
    expect(boundaryOf(tail, 2, one)).toMatchObject({ first: 2, to: 2 });
    expect(boundaryOf(tail, 2, one, 3)).toMatchObject({ first: 3, to: 3 });
  });
});
