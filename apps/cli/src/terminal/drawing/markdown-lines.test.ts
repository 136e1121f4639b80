// Tests Markdown for a terminal.

import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';

import { closedText, lastBlocks } from './live-lines.ts';
import { markdownLines } from './markdown-lines.ts';
import { rowsOf } from './rows.ts';

const drawn = (text: string, columns = 40): readonly string[] =>
  rowsOf(markdownLines(text, columns), columns, false).map((row) => row.trimEnd());

describe('`markdownLines`', () => {
  test('shows headings with their level, and emphasis without its signs', () => {
    expect(drawn('# Title\nSome **bold** and *soft* `code`.\nNext line')).toEqual([
      '# Title',
      '',
      'Some bold and soft code.',
      'Next line',
    ]);
  });

  test('hangs the rows of list items below their words, in nested lists too', () => {
    expect(drawn('- one two three four five six seven eight\n- b\n  1. first\n  2. second\n\nafter', 24)).toEqual([
      '• one two three four',
      '  five six seven eight',
      '• b',
      '  1. first',
      '  2. second',
      '',
      'after',
    ]);
  });

  test('separates the items of a list that is written with empty lines', () => {
    expect(drawn('3. a\n\n   more\n\n4. b')).toEqual(['3. a', '', '   more', '', '4. b']);
  });

  test('shows code between fences with its language, at the left edge and with nothing before it', () => {
    const code = `const x = '${'long '.repeat(8)}';`;
    expect(drawn(`- item\n\n  \`\`\`ts\n  ${code}\n    return;\n  \`\`\``)).toEqual([
      '• item',
      '',
      '  ```ts',
      code.slice(0, 40).trimEnd(),
      code.slice(40),
      '  return;',
      '  ```',
    ]);
  });

  test('shows a link with its address, and an address alone once', () => {
    expect(drawn('[the docs](https://a.example/%C3%A4) and <https://b.example/>')).toEqual([
      'the docs (https://a.example/ä) and',
      'https://b.example/',
    ]);
  });

  test('aligns the columns of a table, and shortens wide columns', () => {
    const table =
      '| name | what it does |\n|---|---|\n| 日本 | a |\n| b | a long explanation of the thing that wraps |';
    expect(drawn(table)).toEqual([
      'name │ what it does',
      '─────┼──────────────────────────────────',
      '日本 │ a',
      'b    │ a long explanation of the thing',
      '     │ that wraps',
    ]);
  });

  test('keeps narrow columns of a table, and lets wide columns share the rest', () => {
    const wide = 'a long explanation with many words in it';
    const rows = drawn(`| file | one | two |\n|---|---|---|\n| receipt.js | ${wide} | ${wide} |`, 60);
    expect(rows[1]).toBe(`${'─'.repeat(10)}─┼─${'─'.repeat(22)}─┼─${'─'.repeat(22)}`);
  });

  test('shows a table that does not fit as one line for each cell', () => {
    const table = '| one | two | three |\n|---|---|---|\n| 1 | 2 | 3 |\n| 4 | 5 | 6 |';
    expect(drawn(table, 10)).toEqual(['one: 1', 'two: 2', 'three: 3', '', 'one: 4', 'two: 5', 'three: 6']);
  });

  test('marks quotations, and shows HTML and link definitions as text', () => {
    expect(drawn('> said\n> more\n\n<b>x</b>\n\n[a]: https://x.example')).toEqual([
      '│ said',
      '│ more',
      '',
      '<b>x</b>',
      '',
      '[a]: https://x.example',
    ]);
  });

  test('removes escape sequences and bidirectional controls, in code and in addresses too', () => {
    const evil = '\u001b[2Jx\u202ey\u0007';
    const rows = rowsOf(
      markdownLines(`${evil}\n\n\`${evil}\`\n\n\`\`\`\n${evil}\n\`\`\`\n\n[a](<b${evil}>)`, 40),
      40,
      false,
    );
    expect(rows.join('\n')).not.toMatch(/[\u001b\u0007\u202e]/);
  });

  test('keeps every row inside the terminal, also in a narrow one', () => {
    const text =
      '# A heading that is long\n> - 1\n>   - quoted list with words\n\n| a | b |\n|---|---|\n| 日本語日本語 | x |\n\n---';
    for (const columns of [6, 10, 20, 33])
      for (const row of drawn(text, columns))
        expect(stringWidth(row), `${columns}: ${row}`).toBeLessThanOrEqual(columns);
  });

  test('a paragraph stays a paragraph while the lines of a list after it arrive', () => {
    expect(drawn('words\n-')).toEqual(['words', '-']);
    expect(drawn('words\n---')[0]).toBe('words');
  });
});

describe('the text of an arriving answer', () => {
  test('`lastBlocks` leaves out the beginning of a long code block', () => {
    const code = Array.from({ length: 500 }, (_, index) => `code ${index + 1}`).join('\n');
    const text = `words\n\n\`\`\`ts\n${code}`;
    const part = lastBlocks(text, 24);
    expect(part.split('\n')).toHaveLength(25);
    expect(drawn(part).slice(-24)).toEqual(drawn(text).slice(-24));
  });

  test('`closedText` closes emphasis and code of the last paragraph only', () => {
    expect(closedText('a **b')).toBe('a **b**');
    expect(closedText('a `b')).toBe('a `b`');
    expect(closedText('a **b** c')).toBe('a **b** c');
    expect(closedText('a **\n\nb')).toBe('a **\n\nb');
    expect(closedText('a **b*')).toBe('a **b**');
    expect(closedText('words **')).toBe('words ');
    expect(closedText('```\na ** b')).toBe('```\na ** b');
  });

  test('`lastBlocks` looks like the end of the whole text', () => {
    const block = (index: number): string =>
      `## Part ${index}\n\nwords ${index}\n\n- a\n\n- b\n\n\`\`\`ts\n# no heading ${index}\n\nlet x;\n\`\`\`\n`;
    const text = Array.from({ length: 60 }, (_, index) => block(index)).join('\n');
    for (const end of [text.length, text.length - 7, text.length - 20, text.length - 60]) {
      const part = lastBlocks(text.slice(0, end), 24);
      expect(part.length).toBeLessThan(1_200);
      expect(drawn(part).slice(-24)).toEqual(drawn(text.slice(0, end)).slice(-24));
    }
  });
});
