// Lines of the conversation: formats a block, or the live part, as lines for a terminal.

import wrapAnsi from 'wrap-ansi';

import type { Shown } from '../../frame/shown.ts';
import { render, withStyle } from '../../frame/shown.ts';
import { duration } from '../../present/tool-line.ts';
import type { PrintedBlock, PrintedCall } from '../state/blocks.ts';
import type { LivePart, LiveCall } from '../state/conversation.ts';

/** Returns the lines of a block. A line can be longer than the width of the terminal. */
export function blockLines(block: PrintedBlock): readonly Shown[] {
  switch (block.kind) {
    case 'prompt':
      return ['', ...block.text.split('\n').map((line) => [withStyle('cyan', block.steer ? '» ' : '> '), line])];
    case 'answer':
      return ['', ...block.text.trimEnd().split('\n')];
    case 'reasoning':
      return block.text.split('\n').map((line) => withStyle('dim', line));
    case 'tool':
      return [toolLine(block)];
    case 'lines':
      return block.lines;
  }
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

/** Returns the lines of the live part: the arriving answer and the open calls. */
export function liveLines({ answer, calls }: LivePart, now: number): readonly Shown[] {
  return [...(answer === '' ? [] : ['', ...answer.split('\n')]), ...calls.map((call) => openCallLine(call, now))];
}

function openCallLine({ title, startedAt, progress }: LiveCall, now: number): Shown {
  const time = startedAt === undefined ? 'waiting' : duration(now - startedAt);
  return [
    withStyle('yellow', '● '),
    title,
    withStyle('dim', ` ${time}${progress === undefined ? '' : `, ${progress}`}`),
  ];
}

/** Returns lines as rows that fit into the columns, with the escape sequences of their styles. */
export function rowsOf(lines: readonly Shown[], columns: number, colour: boolean): readonly string[] {
  return lines.flatMap((line) =>
    wrapAnsi(render(line, colour), Math.max(1, columns), { hard: true, trim: false }).split('\n'),
  );
}
