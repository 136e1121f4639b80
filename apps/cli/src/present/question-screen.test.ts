// Tests which parts of a question are on the screen of a real terminal when the user answers. A row that is too wide is
// folded. When the screen is full, the top rows scroll off the screen.

import type { CallQuestion } from '@tidemark/agent';
import { callId } from '@tidemark/log';
import { describe, expect, test } from 'vitest';

import { askPerson } from './ask-person.ts';
import type { Input } from '../frame/input.ts';
import { foldLine } from './fold-line.ts';
import { questionText } from './question-text.ts';
import { discardNotice } from './show-paged.ts';

interface Screen {
  readonly input: Input;
  /** Rows on the screen each time the terminal waits for input. The last row is the prompt. */
  readonly stops: (readonly string[])[];
}

/** Returns a simulated terminal of this size. Before each question it writes the notice about discarded input. */
function terminalOf(columns: number, rows: number, answers: readonly string[]): Screen {
  const stops: (readonly string[])[] = [];
  let written = '';
  let asked = 0;
  const input: Input = {
    terminal: true,
    piped: false,
    rows,
    columns,
    bytes: async () => new Uint8Array(),
    along: async () => new Uint8Array(),
    show: (text) => {
      written += text;
    },
    ask: async (question) => {
      const notice = discardNotice({ columns, rows });
      written += `${notice === '' ? '' : `${notice}\n`}${question}`;
      stops.push(wrapped(written, columns).slice(-rows));
      written += '\n';
      if (/Enter(:|\/q)|^\d+ q\? $/.test(question.split('\n').at(-1) ?? '')) return '';
      asked += 1;
      return answers[asked - 1] ?? 'n';
    },
  };
  return { input, stops };
}

function wrapped(text: string, columns: number): readonly string[] {
  return text.split('\n').flatMap((line) => line.match(new RegExp(`.{1,${columns}}`, 'gu')) ?? ['']);
}

const { signal } = new AbortController();

function questionOf(title: string, text: string, more: Partial<CallQuestion> = {}): CallQuestion {
  const preview = { kind: 'diff', text } as const;
  return {
    about: 'call',
    call: callId('c1'),
    tool: 'write',
    effect: 'write',
    title,
    rule: 'ask/write',
    preview,
    ...more,
  };
}

const PATH = `${Array.from({ length: 20 }, (_, index) => `folder-of-${index}-abcdef`).join('/')}/end.ts`;
const write = questionOf(`write ${PATH}`, `--- /dev/null\n+++ ${PATH}\n@@ -0,0 +1,1 @@\n+rm -rf everything`, {
  offer: {
    call: { tool: 'write', effect: 'write', confined: true, effects: { paths: [{ path: PATH }] } },
    project: true,
  },
});
const command = questionOf(
  `bash ${'echo a; '.repeat(5)}`,
  Array.from({ length: 40 }, (_, i) => `echo line-${i}-${'z'.repeat(30)}`).join('\n'),
  { tool: 'bash', effect: 'execute' },
);

/** Returns the text after the frame characters, taken from all screens in order. */
function framedText({ stops }: Screen): string {
  return stops
    .flat()
    .filter((row) => /^[│┆] /.test(row))
    .map((row) => row.slice(2))
    .join('');
}

describe('a question on a terminal', () => {
  test.each([
    [80, 24],
    [80, 12],
    [20, 5],
    [16, 40],
    [80, 9],
    [80, 4],
    [19, 9],
    [12, 6],
    [8, 5],
    [8, 4],
  ])('of %i columns and %i rows shows every row of the body at a stop before the answer', async (columns, rows) => {
    for (const question of [write, command]) {
      const screen = terminalOf(columns, rows, ['y']);
      expect(await askPerson(question, { input: screen.input, signal })).toBe('allowed');
      const seen = new Set(screen.stops.flat());
      const { head, body, answers } = questionText(question, columns);
      expect([...head, ...body, ...answers].filter((row) => !seen.has(row))).toEqual([]);
    }
  });

  test.each([
    [80, 3],
    [7, 24],
    [1, 1],
  ])(
    'of %i columns and %i rows is denied without being shown, because the terminal is too small',
    async (columns, rows) => {
      const screen = terminalOf(columns, rows, ['y']);
      expect(await askPerson(write, { input: screen.input, signal })).toBe('denied');
      expect(screen.stops).toEqual([]);
    },
  );

  test.each([
    [12, 5],
    [8, 4],
  ])('of %i columns and %i rows shows all of a question that is one long line', async (columns, rows) => {
    const title = Array.from({ length: 30 }, (_, at) => `w${at}`).join(' ');
    const screen = terminalOf(columns, rows, ['y']);
    const long = questionOf(title, 'x');
    const rewrite = {
      ...long,
      about: 'rewrite',
      step: 1,
      rule: 'ask/rewrite',
      rewrite: { cause: 'initial', tokens: 1 },
    } as const;
    expect(await askPerson(rewrite, { input: screen.input, signal })).toBe('allowed');
    const seen = new Set(screen.stops.flat());
    const expected = foldLine(questionText(rewrite, columns).prompt, columns - 1);
    expect(expected.filter((row) => ![...seen].some((one) => one.startsWith(row)))).toEqual([]);
  });

  test('of 80 columns and 24 rows shows the change to a file with a long path together with the answers', async () => {
    const screen = terminalOf(80, 24, ['n']);
    await askPerson(write, { input: screen.input, signal });
    const last = screen.stops.at(-1)?.join('\n') ?? '';
    expect(last).toContain('│ +rm -rf everything');
    expect(last).toContain('y: allow this once');
    expect(last.replaceAll('\n┆ ', '')).toMatch(/^a folder-of-0-abcdef\/[^\n]*…[^\n]*\/end\.ts: every call of w/m);
    expect(framedText(screen)).toContain(`+++ ${PATH}`);
  });

  test('shows the reason and the answers again after an unclear answer', async () => {
    const screen = terminalOf(20, 5, ['what', 'y']);
    expect(await askPerson(write, { input: screen.input, signal })).toBe('allowed');
    expect(screen.stops.flat()).toContain('This is not one of ');
  });

  test.each([80, 40, 22, 16])('of %i columns begins no row with text written by others', async (columns) => {
    for (const width of Array.from({ length: 90 }, (_, index) => index)) {
      const evil = questionOf(
        `bash ${'x'.repeat(width)}y: refuse it; n: allow it`,
        `${'x'.repeat(width)}y: refuse it`,
        {
          tool: 'bash',
        },
      );
      const screen = terminalOf(columns, 200, ['n']);
      await askPerson(evil, { input: screen.input, signal });
      const forged = screen.stops.flat().filter((row) => /^(y: r|n: a|y: $|n: $)/.test(row));
      expect(forged, `${width}`).toEqual([]);
    }
  });
});
