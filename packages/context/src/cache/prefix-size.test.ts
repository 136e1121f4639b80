// Tests that the scale learnt from usage applies to words only. Images are counted by their pixels and are not scaled.

import type { Block } from '@tidemark/model';
import { expect, test } from 'vitest';
import { named, newHash, row, second } from '../../tests/log-of.ts';
import { sizeByBlock } from './prefix-size.ts';
import { learnRatio, guessRatio } from '../state/scales.ts';
import { beginSequence, extendSequence } from './sequence.ts';

const PARAMETERS = { tools: named('p'), system: named('p'), messages: named('p') };
const WORDS = 1_000;
const IMAGE = 3_000;

function block(holds: 'text' | 'image'): Block {
  const [tokens, mediaBytes] = holds === 'text' ? [WORDS, 0] : [IMAGE, 50_000];
  return {
    section: 'messages',
    role: 'user',
    group: 0,
    head: holds,
    tail: '',
    markable: true,
    run: 'none',
    holds,
    opensTurn: false,
    origin: { from: 'event', session: 's', position: 0 },
    tokens,
    mediaBytes,
  };
}

test('`sizeByBlock` scales words by the learnt ratio, and does not scale images', () => {
  const blocks = (['text', 'image', 'text'] as const).map(block);
  const sequence = extendSequence(beginSequence(PARAMETERS, [], newHash), blocks);
  // The learnt ratio is 1.5: words have 1.5 times their estimated tokens.
  const ratio = learnRatio(guessRatio(1.5), 100_000, 150_000);
  const size = sizeByBlock({
    lookup: { sequence, capabilities: row('claude-opus-5-5'), now: Date.parse(second(1)) },
    accepted: undefined,
    model: 'm',
    ratio,
  });
  expect([0, 1, 2].map(size)).toEqual([1_500, 1_500 + IMAGE, 3_000 + IMAGE]);
});
