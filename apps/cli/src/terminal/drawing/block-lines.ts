// Lines of the conversation: formats a final block as lines for a terminal.

import type { Shown } from '../../frame/shown.ts';
import { withStyle } from '../../frame/shown.ts';
import { duration } from '../../present/tool-line.ts';
import type { PrintedBlock, PrintedCall, PrintedPrompt } from '../state/blocks.ts';
import { markdownLines } from './markdown-lines.ts';
import type { Line } from './rows.ts';

/** Returns the lines of a block for a terminal of this width. A line can be longer than the width. */
export function blockLines(block: PrintedBlock, columns: number): readonly Line[] {
  switch (block.kind) {
    case 'prompt':
      return ['', ...promptLines(block)];
    case 'answer':
      return ['', ...markdownLines(block.text, columns)];
    case 'reasoning':
      return block.text.split('\n').map((line) => withStyle('dim', line));
    case 'tool':
      return [toolLine(block)];
    case 'lines':
      return block.lines;
  }
}

function promptLines({ text, steer }: PrintedPrompt): readonly Line[] {
  return text.split('\n').map((words, index) => ({
    lead: index === 0 ? withStyle('cyan', steer ? '» ' : '> ') : '  ',
    hang: '  ',
    words,
    ...(/^\s/.test(words) && { wrap: 'characters' }),
  }));
}

const SIGNS = { ok: 'green', failed: 'red', denied: 'yellow', interrupted: 'yellow', unknown: 'yellow' } as const;

function toolLine({ title, outcome, durationMs, exit }: PrintedCall): Shown {
  return [
    withStyle(SIGNS[outcome], outcome === 'ok' ? '✓ ' : '✗ '),
    title,
    outcome === 'ok' ? '' : [': ', withStyle(SIGNS[outcome], outcome)],
    exit === undefined || exit === 0 ? '' : `, exit ${exit}`,
    durationMs === undefined ? '' : withStyle('dim', `, ${duration(durationMs)}`),
  ];
}
