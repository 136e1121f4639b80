// Copies a text into the clipboard of the terminal with the control sequence OSC 52. It also works over SSH, because the
// terminal on the user's own machine handles the sequence.

import type { CommandEnvironment } from '../../frame/home.ts';

/** Largest text that is copied, in bytes. Many terminals ignore a sequence with more than 100,000 bytes of base64. */
export const LARGEST_COPY = 74_994;

/** Maximum length of one piece for `screen`, in bytes. It cuts longer sequences. */
const SCREEN_PIECE = 256;

/** Returns the sequence that copies the text. Inside tmux and screen, the sequence is passed on to the terminal. */
export function copySequence(text: string, environment: CommandEnvironment): string {
  const sequence = `\u001b]52;c;${Buffer.from(text).toString('base64')}\u0007`;
  // tmux gets both forms: it handles the plain one if `set-clipboard` is `on`, and passes the other one on if
  // `allow-passthrough` is `on`.
  if (isSet(environment['TMUX']))
    return `${sequence}\u001bPtmux;${sequence.replaceAll('\u001b', '\u001b\u001b')}\u001b\\`;
  if (!isSet(environment['STY'])) return sequence;
  return (sequence.match(new RegExp(`[^]{1,${SCREEN_PIECE}}`, 'g')) ?? [])
    .map((piece) => `\u001bP${piece}\u001b\\`)
    .join('');
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}

/**
 * Returns the text of the last code block in a Markdown text. If the text has no code block, returns `undefined`. A
 * block that is not closed ends with the text.
 */
export function lastCodeBlock(markdown: string): string | undefined {
  let fence: string | undefined;
  let block: string[] = [];
  let last: string | undefined;
  for (const line of markdown.split('\n')) {
    const [, marks] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? [];
    if (fence === undefined) {
      if (marks !== undefined) [fence, block] = [marks, []];
    } else if (marks !== undefined && marks.startsWith(fence) && line.trim() === marks) {
      [last, fence] = [block.join('\n'), undefined];
    } else block.push(line);
  }
  return fence === undefined ? last : block.join('\n');
}
