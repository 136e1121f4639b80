import type { Span } from '@tidemark/model';
import { expect, test } from 'vitest';
import { named, SESSION } from '../tests/log-of.ts';
import { shownUpTo } from './render-pruned.ts';

const SHOT = { type: 'image', artifact: named('shot'), mediaType: 'image/png', bytes: 9 } as const;

function result(said: string, ...images: readonly (typeof SHOT)[]): Span {
  return {
    role: 'user',
    stability: 'session',
    origin: { from: 'event', session: SESSION, position: 7 },
    ordinal: 3,
    group: 6,
    opensTurn: false,
    parts: [{ type: 'result', call: 'c1', error: false, content: [{ type: 'text', text: said }, ...images] }],
  };
}

function textOf({ parts: [part] }: Span): string {
  return part?.type === 'result' && part.content[0]?.type === 'text' ? part.content[0].text : 'no text';
}

test('a result shows no more than it may, never half of a pair, and where the whole is', () => {
  const rest = 'characters are shown. The whole is at position 7: read it with history_read.]';
  expect(textOf(shownUpTo(result('ab😀cd'), 4))).toBe(`ab😀\n[Shortened here: the first 4 of 6 ${rest}`);
  expect(textOf(shownUpTo(result('ab😀cd'), 3))).toBe(`ab\n[Shortened here: the first 2 of 6 ${rest}`);
  expect(textOf(shownUpTo(result('ab😀cd'), 0))).toBe(`[Shortened here: the first 0 of 6 ${rest}`);
});

test('a result that is short enough stays as it is, its images aside', () => {
  const short = result('ab😀cd');
  expect(shownUpTo(short, 6)).toBe(short);
  expect(textOf(shownUpTo(result('ab', SHOT), 6))).toBe(
    'ab\n[Shortened here: 1 image is left out. The whole is at position 7: read it with history_read.]',
  );
  const said: Span = { ...short, parts: [{ type: 'text', text: 'What a person said, and as long as that was.' }] };
  expect(shownUpTo(said, 6)).toBe(said);
});
