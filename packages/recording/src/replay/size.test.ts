import { newHash } from '@tidemark/agent';
import type { Sequence } from '@tidemark/context';
import { beginSequence, slice, tokensUpTo } from '@tidemark/context';
import type { SessionId } from '@tidemark/log';
import { position, sessionId } from '@tidemark/log';
import type { Block } from '@tidemark/model';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSizes } from './size.ts';

const session: SessionId = sessionId('recorded');
const PARAMETERS = { tools: 'p', system: 'p', messages: 'p' };
const USUAL: Omit<Block, 'tokens' | 'origin'> = {
  section: 'messages',
  role: 'user',
  group: 0,
  head: '{',
  tail: '}',
  markable: true,
  run: 'none',
  holds: 'text',
  mediaBytes: 0,
  opensTurn: false,
};

function block(place: number, tokens: number, over: Partial<Block> = {}): Block {
  return { ...USUAL, tokens, origin: { from: 'event', session, position: position(place) }, ...over };
}

function frontOf(tokens: number): Sequence {
  const front = block(0, tokens, {
    section: 'system',
    role: 'system',
    origin: { from: 'layer', layer: 'front', revision: 'r' },
  });
  return beginSequence(PARAMETERS, [front], newHash);
}

const sizesOf = (sequence: Sequence): readonly number[] => slice(sequence.blocks).map((one) => one.tokens);

describe('the block sizes of a recording', () => {
  it('of new blocks share the growth of the total in proportion to the estimates of these blocks', () => {
    const sized = createSizes(newHash).resize(1_600, false)(frontOf(1_000), [block(1, 10), block(2, 20)]);
    expect(sizesOf(sized)).toEqual([1_000, 200, 400]);
  });

  it('stay the same for blocks that were sent before', () => {
    const sizes = createSizes(newHash);
    const first = sizes.resize(1_600, false)(frontOf(1_000), [block(1, 10), block(2, 20)]);
    const second = sizes.resize(1_700, false)(first, [block(3, 1_000)]);
    expect(sizesOf(second)).toEqual([1_000, 200, 400, 100]);
  });

  it('stay the same when an epoch lowers the same blocks again', () => {
    const sizes = createSizes(newHash);
    sizes.resize(1_600, false)(frontOf(1_000), [block(1, 10), block(2, 20)]);
    const repacked = sizes.resize(1_450, false)(frontOf(1_000), [block(9, 7), block(2, 20)]);
    expect(sizesOf(repacked)).toEqual([1_000, 50, 400]);
  });

  it('are all scaled down if the total fell', () => {
    const sizes = createSizes(newHash);
    const first = sizes.resize(2_000, false)(frontOf(1_000), [block(1, 10)]);
    expect(sizesOf(sizes.resize(1_000, false)(first, []))).toEqual([500, 500]);
  });

  it('are all scaled up if the total rose without new blocks', () => {
    const sizes = createSizes(newHash);
    const first = sizes.resize(2_000, false)(frontOf(1_000), [block(1, 10)]);
    expect(sizesOf(sizes.resize(2_600, false)(first, []))).toEqual([1_300, 1_300]);
  });

  it('are estimates for new blocks if the total is unknown', () => {
    const sized = createSizes(newHash).resize(0, false)(frontOf(1_000), [block(1, 10), block(2, 20)]);
    expect(sizesOf(sized)).toEqual([1_000, 10, 20]);
  });

  it('can be copied, and a change of the copy does not change the original', () => {
    const sizes = createSizes(newHash);
    const first = sizes.resize(1_600, false)(frontOf(1_000), [block(1, 10)]);
    sizes.copy().resize(800, false)(first, []);
    expect(sizesOf(sizes.resize(1_700, false)(frontOf(1_000), [block(1, 10), block(2, 5)]))).toEqual([1_000, 600, 100]);
  });

  it('have the recorded total as their sum, for any recording', () => {
    const holds = fc.constantFrom<Block['holds'][]>('text', 'text', 'call', 'thinking');
    const made = fc.record({ tokens: fc.nat(500), holds, opensTurn: fc.boolean() });
    const call = fc.record({ total: fc.integer({ min: 1, max: 5_000 }), blocks: fc.array(made, { maxLength: 5 }) });
    fc.assert(
      fc.property(
        fc.array(call, { minLength: 1, maxLength: 12 }),
        fc.boolean(),
        fc.nat(2_000),
        (calls, strips, front) => {
          const sizes = createSizes(newHash);
          let sequence = frontOf(front + 1);
          let place = 1;
          for (const { total, blocks } of calls) {
            const fresh = blocks.map((one) =>
              block(place++, one.tokens, { holds: one.holds, opensTurn: one.opensTurn && one.holds === 'text' }),
            );
            sequence = sizes.resize(total, strips)(sequence, fresh);
            expect(tokensUpTo(sequence, sequence.blocks.length - 1, strips)).toBe(total);
          }
        },
      ),
    );
  });
});
