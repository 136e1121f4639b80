import type { Span } from '@tidemark/model';
import { expect, test } from 'vitest';
import { named, SESSION } from '../../tests/log-of.ts';
import { cutOf, leftOutNotice, shownUpTo } from './render-pruned.ts';

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
  expect(textOf(shownUpTo(result('ab😀cd'), { kept: 4 }))).toBe(`ab😀\n[Shortened here: the first 4 of 6 ${rest}`);
  expect(textOf(shownUpTo(result('ab😀cd'), { kept: 3 }))).toBe(`ab\n[Shortened here: the first 2 of 6 ${rest}`);
  expect(textOf(shownUpTo(result('ab😀cd'), { kept: 0 }))).toBe(`[Shortened here: the first 0 of 6 ${rest}`);
});

test('a result that is short enough stays as it is, its images aside', () => {
  const short = result('ab😀cd');
  expect(shownUpTo(short, { kept: 6 })).toBe(short);
  expect(textOf(shownUpTo(result('ab', SHOT), { kept: 6 }))).toBe(
    'ab\n[Shortened here: 1 image is left out. The whole is at position 7: read it with history_read.]',
  );
  const said: Span = { ...short, parts: [{ type: 'text', text: 'What a person said, and as long as that was.' }] };
  expect(shownUpTo(said, { kept: 6 })).toBe(said);
});

test('the output of a command keeps its end: the notice stands before it, and no pair is cut', () => {
  const rest = 'characters are shown. The whole is at position 7: read it with history_read.]';
  const end = (kept: number): string => textOf(shownUpTo(result('ab😀cd'), { kept, from: 'end' }));
  expect(end(4)).toBe(`[Shortened here: the last 4 of 6 ${rest}\n😀cd`);
  expect(end(3)).toBe(`[Shortened here: the last 2 of 6 ${rest}\ncd`);
  expect(end(0)).toBe(`[Shortened here: the last 0 of 6 ${rest}`);
});

test('the words for what is left out are found before an end and behind a beginning', () => {
  const notice = (from?: 'end'): string => {
    const [part] = shownUpTo(result(`${'a'.repeat(40)}\nlast`), { kept: 4, ...(from && { from }) }).parts;
    return part?.type === 'result' ? leftOutNotice(part.content) : 'no result';
  };
  const rest = 'of 45 characters are shown. The whole is at position 7: read it with history_read.]';
  expect([notice(), notice('end')]).toEqual([
    `[Shortened here: the first 4 ${rest}`,
    `[Shortened here: the last 4 ${rest}`,
  ]);
});

test('a long result is cut between graphemes, at its beginning or at its end', () => {
  const family = '👨‍👩‍👧‍👦';
  const text = `${'x'.repeat(495)}${family}${'y'.repeat(800)}${family}${'z'.repeat(495)}`;
  const content = [{ type: 'text', text }] as const;
  expect(cutOf(content, 'beginning', 7)?.cut).toEqual({ kept: 495 });
  expect(cutOf(content, 'end', 7)?.cut).toEqual({ kept: 495, from: 'end' });
  expect(cutOf([{ type: 'text', text: 'x'.repeat(1_200) }], 'end', 7)).toBeUndefined();
});
