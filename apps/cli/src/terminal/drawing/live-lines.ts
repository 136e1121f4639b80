// Lines of the live part: the end of the arriving answer, and the calls that run.

import type { Shown } from '../../frame/shown.ts';
import { withStyle } from '../../frame/shown.ts';
import { duration } from '../../present/tool-line.ts';
import type { LiveCall, LivePart } from '../state/conversation.ts';
import { markdownLines } from './markdown-lines.ts';
import type { Line } from './rows.ts';

/** Place of the live part: the size of the terminal, and the current time in milliseconds since 1970. */
export interface LivePlace {
  readonly columns: number;
  readonly rows: number;
  readonly now: number;
}

/** Returns the last lines of the live part. They fill at least `rows` rows, if there is so much to show. */
export function liveLines({ answer, calls }: LivePart, { columns, rows, now }: LivePlace): readonly Line[] {
  return [
    ...(answer === '' ? [] : ['', ...markdownLines(closedText(lastBlocks(answer, rows)), columns)]),
    ...calls.map((call) => openCallLine(call, now)),
  ];
}

function openCallLine({ title, startedAt, progress }: LiveCall, now: number): Shown {
  const time = startedAt === undefined ? 'waiting' : duration(now - startedAt);
  return [
    withStyle('yellow', '● '),
    title,
    withStyle('dim', ` ${time}${progress === undefined ? '' : `, ${progress}`}`),
  ];
}

/**
 * Returns the end of a Markdown text that contains at least `count` lines. It begins at a paragraph or a heading, so it
 * looks the same as in the whole text. Only this part is parsed for each picture of a long answer.
 */
export function lastBlocks(text: string, count: number): string {
  const lines = text.split('\n');
  if (lines.length <= count * 2) return text;
  let fence: string | undefined;
  let begin = 0;
  for (const [index, line] of lines.entries()) {
    if (lines.length - index < count) break;
    const sign = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined && line !== '' && lines[index - 1] === '' && /^(#|[^\s\d>|*+-])/.test(line)) begin = index;
    if (sign === undefined) continue;
    if (fence === undefined) fence = sign;
    else if (sign.startsWith(fence) && line.trim() === sign) fence = undefined;
  }
  return lines.slice(begin).join('\n');
}

/**
 * Returns a text that still arrives, with its last emphasis or code closed. Its last words therefore keep their look
 * when the closing sign arrives.
 */
export function closedText(text: string): string {
  const at = text.lastIndexOf('\n\n');
  const last = text.slice(at === -1 ? 0 : at).replace(/(?<=\s)[*_`]+$/, '');
  const whole = text.slice(0, at === -1 ? 0 : at) + last;
  // Inside a code block, all signs are text.
  if ((text.match(/^ {0,3}(```|~~~)/gm) ?? []).length % 2 === 1) return text;
  if ((last.match(/`/g) ?? []).length % 2 === 1) return `${whole}\``;
  return (last.match(/\*\*/g) ?? []).length % 2 === 1
    ? `${whole.replace(/\*$/, (sign) => (last.endsWith('**') ? sign : ''))}**`
    : whole;
}
