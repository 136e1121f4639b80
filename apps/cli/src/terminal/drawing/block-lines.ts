// Lines of the conversation: formats a final block as lines for a terminal.

import type { Shown } from '../../frame/shown.ts';
import { withStyle } from '../../frame/shown.ts';
import { formatCount } from '../../frame/numbers.ts';
import { duration } from '../../present/tool-line.ts';
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

function reasoningLines(block: PrintedReasoning, whole: boolean): readonly Line[] {
  const title = withStyle('dim', whole ? thoughtTitle(block) : `${thoughtTitle(block)}; Ctrl-O opens`);
  return [title, ...(whole ? thoughtLines(block) : [])];
}

/** Returns the time and the size of the reasoning: `thought for 12 s, 340 tokens`. */
export function thoughtTitle({ text, tokens, durationMs = 0 }: PrintedReasoning): string {
  const time =
    durationMs < 1_000 ? '' : ` for ${duration(Math.round(durationMs / 1_000) * 1_000).replace('.0 s', ' s')}`;
  const size = tokens === undefined ? formatCount(text.split('\n').length, 'line') : formatCount(tokens, 'token');
  return `thought${time}, ${size}`;
}

/** Returns the whole text of the reasoning. */
export function thoughtLines({ text }: PrintedReasoning): readonly Line[] {
  return text.split('\n').map((line): Line => ({ lead: '  ', hang: '  ', words: withStyle('dim', line.trim()) }));
}

function bounded(lines: readonly Line[], most: number): readonly Line[] {
  if (lines.length <= most) return lines;
  return [...lines.slice(0, most), leftOut(lines.length - most, 'Ctrl-T shows all')];
}

function leftOut(count: number, how: string): Shown {
  return withStyle('dim', `  … ${count} more line${count === 1 ? '' : 's'}, ${how}`);
}
