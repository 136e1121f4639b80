// Lines of the live part: the end of the arriving answer, and the calls that run.

import { withStyle } from '../../frame/shown.ts';
import { duration } from '../../present/tool-line.ts';
import type { CutOffCall, LiveCall, LivePart, RetryPause } from '../state/conversation.ts';
import { titleLine, UNFINISHED_WORDS } from './call-lines.ts';
import { markdownLines } from './markdown-lines.ts';
import type { Line } from '../state/line.ts';

/** Place of the live part: the size of the terminal, and the current time in milliseconds since 1970. */
export interface LivePlace {
  readonly columns: number;
  readonly rows: number;
  readonly now: number;
}

/** Returns the last lines of the live part. They fill at least `rows` rows, if there is so much to show. */
export function liveLines({ answer, reasoning, calls, hooks, retry }: LivePart, place: LivePlace): readonly Line[] {
  const { columns, rows, now } = place;
  return [
    ...(answer === '' && reasoning !== '' ? ['', ...lastReasoning(reasoning)] : []),
    ...(answer === '' ? [] : ['', ...markdownLines(closedText(lastBlocks(answer, rows)), columns)]),
    ...calls.flatMap((call) => callLines(call, now, calls.length === 1 ? OUTPUT_LINES.alone : OUTPUT_LINES.each)),
    ...hooks.map((name): Line => ({ lead: '  ', hang: '  ', words: withStyle('dim', `waiting for the hook ${name}`) })),
    ...(retry === undefined ? [] : [retryLine(retry, now)]),
  ];
}

function retryLine({ attempt, of, at }: RetryPause, now: number): Line {
  const seconds = Math.max(0, Math.ceil((at - now) / 1_000));
  const when = seconds === 0 ? 'now' : `in ${seconds < 60 ? `${seconds} s` : duration(seconds * 1_000)}`;
  const facts = withStyle('dim', `  attempt ${attempt} of ${of}, Esc ends the turn`);
  return { lead: withStyle('yellow', '● '), hang: '  ', words: [`sending again ${when}`, facts] };
}

/** Number of lines of the arriving reasoning that are shown. */
const REASONING_LINES = 3;

function lastReasoning(text: string): readonly Line[] {
  // Only the end is split into lines, because the reasoning can be long.
  const lines = text.slice(-REASONING_LINES * 1_000).split('\n');
  return lines
    .filter((line) => line.trim() !== '')
    .slice(-REASONING_LINES)
    .map((line): Line => ({ lead: '  ', hang: '  ', words: withStyle('dim', line.trim()) }));
}

/** Number of lines of a running call's output that are shown, for one call and for each of several calls. */
const OUTPUT_LINES = { alone: 6, each: 3 } as const;

function callLines(call: LiveCall, now: number, most: number): readonly Line[] {
  const { title, startedAt, progress, output = '', cutOff, ended } = call;
  // Its diff or its excerpt is shown when it is printed.
  if (ended !== undefined) return [titleLine(ended)];
  if (cutOff !== undefined) return cutOffLines(title, cutOff);
  const time = startedAt === undefined ? 'waiting' : duration(Math.max(0, now - startedAt));
  const facts = withStyle('dim', `  ${time}${progress === undefined ? '' : `, ${progress}`}`);
  return [
    { lead: withStyle('yellow', '● '), hang: '  ', words: [title, facts] },
    ...lastOutput(output, most).map((line): Line => ({
      lead: '  ',
      hang: '  ',
      words: withStyle('dim', line),
      wrap: 'characters',
    })),
  ];
}

/** Returns the lines of a call whose process ended. They name what the next command does with it. */
function cutOffLines(title: string, { started, runsAgain }: CutOffCall): readonly Line[] {
  const words = started ? UNFINISHED_WORDS.crashed : 'not started: the process ended';
  const next = runsAgain
    ? '`/continue` runs it. A new prompt does not.'
    : 'Its effect is unknown, so it is not run again. The model is told.';
  return [
    { lead: withStyle('yellow', '✗ '), hang: '  ', words: [title, withStyle('yellow', `  ${words}`)] },
    { lead: '  ', hang: '  ', words: withStyle('dim', next) },
  ];
}

/** Returns the last lines of an output. Of a line that the program wrote over, only one text is left. */
export function lastOutput(output: string, most: number): readonly string[] {
  const lines = output
    .replace(/\r?\n$/, '')
    .split(/\r?\n/)
    .slice(-most);
  return lines.map(shownText).filter((line, index) => line !== '' || index > 0);
}

/**
 * Returns the last text of a line that the program wrote over. If the text before it begins with the last one, the last
 * one has not arrived completely, because its last word can be the start of a secret. The text before it is then shown.
 */
function shownText(line: string): string {
  const [last = '', before = ''] = line
    .split('\r')
    .filter((text) => text !== '')
    .toReversed();
  return before.startsWith(last) ? before : last;
}

/** Maximum length of the text that is parsed for one picture of an arriving answer, in characters. */
const LONGEST_PART = 64_000;

/**
 * Returns the end of a Markdown text that contains at least `count` lines. It begins at a paragraph or a heading, so it
 * looks the same as in the whole text. Only this part is parsed for each picture of a long answer.
 */
export function lastBlocks(text: string, count: number): string {
  const lines = text.split('\n');
  if (lines.length <= count * 2) return text.slice(-LONGEST_PART);
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
  // The end of a long code block looks the same without the lines before it.
  const open = fence === undefined ? -1 : lines.findLastIndex((line) => line.trimStart().startsWith(fence));
  const end = open >= begin && lines.length - open > count ? [lines[open], ...lines.slice(-count)] : lines.slice(begin);
  return end.join('\n').slice(-LONGEST_PART);
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
