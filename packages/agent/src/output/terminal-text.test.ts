import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { isTerminalText, openTerminalText, terminalText } from './terminal-text.ts';

describe('the text that a terminal shows', () => {
  it.each([
    ['colours', '\x1b[1;31mred\x1b[0m and \x1b[38;2;1;2;3mtrue\x1b[38:5:1m colour\x1b[m', 'red and true colour'],
    [
      'a title of the window and a link',
      '\x1b]0;title\x07a \x1b]8;;https://a.example\x1b\\link\x1b]8;;\x1b\\',
      'a link',
    ],
    ['8-bit sequences', '\x9b31mred\x9b0m \x9d0;title\x9cend', 'red end'],
    ['strings of a device', '\x1bPq#0;2;0;0;0\x1b\\a\x1b_data\x1b\\b\x1b^x\x1b\\', 'ab'],
    [
      'the choice of characters, saved cursors, and a hidden cursor',
      '\x1b(B\x1b7\x1b[?25la\x1b8\x1b=\x1b[?25h\x1bc',
      'a',
    ],
    ['cursor moves to other lines', '\x1b[2J\x1b[H\x1b[3;4Ha\x1b[1A\x1b[Bb', 'ab'],
    ['a bell and a single ESC', 'a\x07b\x1b', 'ab'],
    ['tabs, accents and wide characters', 'a\tb e\u0301 日本 👩‍🚀', 'a\tb e\u0301 日本 👩‍🚀'],
  ])('contains no %s', (_, output, shown) => expect(terminalText(output)).toBe(shown));

  it.each([
    ['a progress bar', '10%\r50%\r100%\n', '100%\n'],
    ['line ends of Windows', 'a\r\nb\r\n', 'a\nb\n'],
    ['a shorter state', 'downloading\rdone\n', 'doneloading\n'],
    ['an erased line', 'downloading\r\x1b[Kdone\n', 'done\n'],
    ['a spinner of npm', '⠙\x1b[1G\x1b[0K⠹\x1b[1G\x1b[0Kadded 3 packages\n', 'added 3 packages\n'],
    ['an erased whole line', 'abc\x1b[2K\x1b[1Gxy\n', 'xy\n'],
    ['backspaces', 'abc\b\bX\n12\b \b3\n', 'aXc\n13\n'],
    ['bold text of man pages', 'N\bNA\bAM\bME\bE\n', 'NAME\n'],
    ['a move to the right', 'a\x1b[3Cb\n', 'a   b\n'],
    ['deleted and erased characters', 'abcdef\x1b[1G\x1b[2P\x1b[1X\n', ' def\n'],
    ['a huge move', 'a\x1b[999999999Cb\n', `a${' '.repeat(4_095)}b\n`],
  ])('contains the last state of %s', (_, output, shown) => expect(terminalText(output)).toBe(shown));

  it('does not lose a line because of a string that does not end', () =>
    expect(terminalText('a\x1b]0;no end\nb\n\x1bPtoo\nc\n')).toBe('a\nb\n\nc\n'));

  it('reports if visible text was overwritten, but not for colours and for a repeated text', () => {
    const overwrites = (output: string): boolean => {
      const text = openTerminalText();
      text.push(output);
      text.end();
      return text.overwrote;
    };
    expect(['10%\r20%\n', 'abc\x1b[2K\n', 'a\bb'].map(overwrites)).toEqual([true, true, true]);
    expect(['\x1b[31mred\x1b[0m\n', 'a\r\n', 'N\bN', '   \rabc'].map(overwrites)).toEqual([false, false, false, false]);
  });

  it('keeps a line of any length, in bounded memory', () => {
    const line = 'x'.repeat(1_500_000);
    expect(terminalText(`${line}\r${line}`).length).toBeGreaterThanOrEqual(line.length);
    expect(terminalText(line)).toBe(line);
  });
});

const PIECES =
  'a|bc|日|\n|\r|\r\n|\b|\x1b|[|31|m|]|0;t|\x07|\\|K|;|?|G|C| |\x1b[1G|\x1b[2K|\x1b]8;;u\x1b\\|\x9b|\x9d|\x1bP';
const piece = fc.constantFrom(...PIECES.split('|'));
const output = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));

test('the text does not depend on the pieces in which the output arrives', () => {
  fc.assert(
    fc.property(output, fc.array(fc.nat({ max: 6 }), { maxLength: 60 }), (whole, sizes) => {
      const text = openTerminalText();
      let rest = whole;
      let shown = '';
      for (const size of sizes) {
        shown += text.push(rest.slice(0, size));
        rest = rest.slice(size);
      }
      shown += text.push(rest);
      expect(shown + text.end()).toBe(terminalText(whole));
    }),
    { numRuns: 2_000 },
  );
});

test('the text has the lines of the output, no control sequence, and stays the same if it is converted again', () => {
  fc.assert(
    fc.property(output, (whole) => {
      const shown = terminalText(whole);
      expect(shown.split('\n')).toHaveLength(whole.split('\n').length);
      expect(isTerminalText(shown)).toBe(true);
      expect(terminalText(shown)).toBe(shown);
    }),
    { numRuns: 2_000 },
  );
});
