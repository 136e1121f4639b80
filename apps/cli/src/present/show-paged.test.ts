import { expect, test } from 'vitest';

import type { Input } from '../frame/input.ts';
import { showPaged } from './show-paged.ts';

interface Screen {
  readonly input: Input;
  /** Every text that was written, in order. A question and its answer are one entry. */
  readonly written: string[];
}

function screenOf(answers: readonly string[], rows = 24): Screen {
  const written: string[] = [];
  const left = [...answers];
  const input: Input = {
    terminal: true,
    piped: false,
    rows,
    columns: 80,
    bytes: async () => new Uint8Array(),
    along: async () => new Uint8Array(),
    show: (text) => void written.push(text),
    ask: async (question, signal) => {
      signal.throwIfAborted();
      const answer = left.shift();
      if (answer === undefined) throw new Error(`no answer is planned for ${question}`);
      written.push(`${question}${answer}`);
      return answer;
    },
  };
  return { input, written };
}

const { signal } = new AbortController();
const LINES = Array.from({ length: 50 }, (_, index) => `line ${index + 1}`);

test('`showPaged` shows rows that fit without a question', async () => {
  const { input, written } = screenOf([]);
  expect(await showPaged(['a', 'b'], { input, signal, below: 1 })).toBe('shown');
  expect(written).toEqual(['a\nb\n']);
});

test('`showPaged` shows every line once, one screen at a time, and asks only between pages', async () => {
  const { input, written } = screenOf(['', '']);
  expect(await showPaged(LINES, { input, signal, below: 1 })).toBe('shown');
  const pages = written.filter((text) => text.startsWith('line '));
  expect(pages.join('')).toBe(`${LINES.join('\n')}\n`);
  expect(pages.map((page) => page.split('\n').length - 1)).toEqual([20, 20, 10]);
  expect(written.filter((text) => !text.startsWith('line '))).toEqual([
    '[page 1 of 3] Enter: next page, q: stop (counts as no) ',
    '[page 2 of 3] Enter: next page, q: stop (counts as no) ',
  ]);
  expect(written.at(-1)).toBe(pages.at(-1));
});

test.each(['q', ' Q ', 'quit', 'n', 'no'])(
  '`showPaged` stops at the answer %j and shows no further page',
  async (no) => {
    const { input, written } = screenOf(['', no]);
    expect(await showPaged(LINES, { input, signal, below: 1 })).toBe('stopped');
    expect(written.join('')).not.toContain('line 41');
  },
);

test('`showPaged` does not treat a `y` between pages as the answer to the question', async () => {
  const { input, written } = screenOf(['y', 'y']);
  expect(await showPaged(LINES, { input, signal, below: 1 })).toBe('shown');
  expect(written.join('')).toContain('line 50');
});

test('`showPaged` works on a terminal with very few rows', async () => {
  const { input, written } = screenOf(
    Array.from({ length: 50 }, () => ''),
    1,
  );
  expect(await showPaged(LINES, { input, signal, below: 1 })).toBe('shown');
  expect(written.filter((text) => text.startsWith('line '))).toHaveLength(50);
});

test('`showPaged` also stops after the last page if the question does not fit below it', async () => {
  const { input, written } = screenOf(['', '', '']);
  expect(await showPaged(LINES, { input, signal, below: 14 })).toBe('shown');
  expect(written.at(-1)).toBe('[page 3 of 3] Enter: continue, q: stop (counts as no) ');
  const fitting = screenOf(['', '']);
  expect(await showPaged(LINES, { input: fitting.input, signal, below: 13 })).toBe('shown');
  expect(fitting.written.at(-1)).toMatch(/line 50\n$/);
});

test('`showPaged` rejects when its signal aborts', async () => {
  const { input } = screenOf([]);
  await expect(showPaged(LINES, { input, signal: AbortSignal.abort(), below: 1 })).rejects.toThrow();
});
