// Lines of the conversation: formats a final block as lines for a terminal.

import type { Shown } from '../../frame/shown.ts';
import { withStyle } from '../../frame/shown.ts';
import { markedText } from '../../present/marked-text.ts';
import type { PrintedBlock, PrintedPrompt, PrintedReasoning } from '../state/blocks.ts';
import { callLines } from './call-lines.ts';
import { markdownLines } from './markdown-lines.ts';
import type { Line } from '../state/line.ts';

/** Width for a block. With `whole`, nothing is left out. */
export interface BlockWidth {
  readonly columns: number;
  readonly whole?: boolean;
}

/** Lines of a prompt that are shown in the conversation. */
const PROMPT_LINES = 40;
/** Lines of reasoning that are shown in the conversation. */
const REASONING_LINES = 3;

/** Returns the lines of a block for a terminal of this width. A line can be longer than the width. */
export function blockLines(block: PrintedBlock, { columns, whole = false }: BlockWidth): readonly Line[] {
  switch (block.kind) {
    case 'prompt':
      return ['', ...promptLines(block, whole)];
    case 'answer':
      return ['', ...markdownLines(block.text, columns)];
    case 'reasoning':
      return ['', ...reasoningLines(block, whole)];
    case 'tool':
      return callLines(block, whole);
    case 'lines':
      return block.lines;
  }
}

function promptLines({ text, steer }: PrintedPrompt, whole: boolean): readonly Line[] {
  const lines = text.split('\n').map((words, index): Line => ({
    lead: index === 0 ? withStyle('cyan', steer ? '» ' : '> ') : '  ',
    hang: '  ',
    // The model gets the invisible characters too.
    words: markedText(words),
    ...(/^\s/.test(words) && { wrap: 'characters' }),
  }));
  return bounded(lines, whole ? Infinity : PROMPT_LINES);
}

function reasoningLines({ text }: PrintedReasoning, whole: boolean): readonly Line[] {
  const lines = text
    .trim()
    .split('\n')
    .filter((line) => whole || line.trim() !== '')
    .map((line): Line => ({ lead: '  ', hang: '  ', words: withStyle('dim', line.trim()) }));
  return bounded(lines, whole ? Infinity : REASONING_LINES);
}

function bounded(lines: readonly Line[], most: number): readonly Line[] {
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most), leftOut(lines.length - most, 'Ctrl-T shows all')];
}

function leftOut(count: number, how: string): Shown {
  return withStyle('dim', `  … ${count} more line${count === 1 ? '' : 's'}, ${how}`);
}
