// Prints the progress of the demo in 80 columns. Shows each prompt, the text of each answer with the cost of its call,
// one line per tool run, and other additions to the context.

import type { SessionEvent } from '@tidemark/kit';
import type { AnswerPart, Recorded, RecordedOf, Shaping } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { writtenTokens } from '@tidemark/model';
import type { LedgerCall } from '@tidemark/simulator';

import { formatCount, formatNumber } from '../frame/numbers.ts';
import type { CommandOutput } from '../frame/output.ts';
import type { Shown, Style } from '../frame/shown.ts';
import { withStyle } from '../frame/shown.ts';
import { callTitle } from '../present/tool-line.ts';
import { cutWords, wrapWords } from '../frame/wrap-words.ts';
import { sumOfCall } from './sum-up.ts';

/** Prints the progress of the demo. */
export interface DemoView {
  /** Prints a prompt to the agent and the head of the table. */
  asked(prompt: string): void;
  /** Prints one event of the agent. */
  show(event: SessionEvent): void;
  /** Prints that the agent was killed during this call. */
  killed(call: LedgerCall): void;
}

/** Width of the output in columns. Every terminal has at least this width. */
export const WIDTH = 80;

const COLUMNS = [
  ['read', 7],
  ['written', 7],
  ['fresh', 5],
  ['paid', 8],
] as const;

/** Width left for text next to the figures, in columns. */
const WORDS = WIDTH - COLUMNS.reduce((sum, [, width]) => sum + 2 + width, 0) - 1;

/** Creates a view. `calls` is the list to which the simulator adds each call that it receives. */
export function createDemoView(
  output: CommandOutput,
  calls: readonly LedgerCall[],
  capabilities: Capabilities,
): DemoView {
  const titles = new Map<string, string>();
  /** Number of calls already shown. */
  let seen = 0;
  const answered = (call: LedgerCall | undefined, words: string, style?: Style, by = 'agent'): void => {
    if (call === undefined) return;
    const index = calls.indexOf(call);
    seen = index + 1;
    const { value, cells } = figuresOf(index, call, capabilities);
    const [first = '', ...rest] = wrapWords(words, WORDS);
    const text = (line: string): Shown => (style === undefined ? line : withStyle(style, line));
    output.event({ ...value, by }, () => [
      text(first.padEnd(WORDS)),
      ' ',
      row(cells),
      ...rest.flatMap((one) => ['\n', text(one)]),
    ]);
  };
  const ran = ({ call, how, well }: ShownCallEnd): void => {
    const ending = how === '' ? '' : `: ${how}`;
    const title = cutWords(titles.get(call) ?? call, WIDTH - 2 - ending.length);
    output.line(['  ', withStyle('dim', title), well ? ending : withStyle('yellow', ending)]);
  };
  return {
    asked: (prompt) => {
      output.line(['\n', withStyle('bold', `> ${prompt}`), '\n']);
      output.line([' '.repeat(WORDS + 1), withStyle('dim', row(COLUMNS.map(([name]) => name)))]);
    },
    show(event) {
      if (event.type !== 'recorded') return;
      const { record } = event;
      if (record.kind === 'answer.received') {
        answered(calls.at(-1), textIn(record.data.parts));
        for (const part of record.data.parts)
          if (part.type === 'call') titles.set(part.call, callTitle(part.name, part.arguments));
      }
      const ended = endOf(record);
      if (ended !== undefined) {
        // If a call arrived after the model requested this tool run, it came from a subagent.
        for (const [index, call] of calls.slice(seen).entries())
          answered(call, `subagent, call ${index + 1}`, 'dim', 'subagent');
        ran(ended);
      }
      const came = besideOf(record);
      if (came !== undefined) output.line(['  ', withStyle('cyan', `→ ${came}`)]);
    },
    killed: (call) => {
      answered(call, 'killed (SIGKILL) in the middle of an answer', 'yellow');
      output.line(['  ', withStyle('yellow', '`tidemark resume`, in another process, sends the same bytes again')]);
    },
  };
}

interface Figures {
  readonly value: object;
  readonly cells: readonly string[];
}

function figuresOf(index: number, call: LedgerCall, capabilities: Capabilities): Figures {
  const sum = sumOfCall(call, capabilities);
  const { read = 0, fresh = 0, writes = [] } = sum?.usage ?? {};
  const written = writtenTokens(writes);
  const cost = sum?.cost === undefined ? '?' : `$${Number(sum.cost).toFixed(4)}`;
  return {
    value: { call: index, read, written, fresh, cost: sum?.cost ?? null },
    cells: [formatNumber(read), formatNumber(written), formatNumber(fresh), cost],
  };
}

function row(cells: readonly string[]): string {
  return cells.map((cell, index) => cell.padStart(COLUMNS[index]?.[1] ?? 0)).join('  ');
}

function textIn(parts: readonly AnswerPart[]): string {
  return parts.find((part) => part.type === 'text')?.text ?? '';
}

interface ShownCallEnd {
  readonly call: string;
  readonly how: string;
  readonly well: boolean;
}

function endOf(record: Recorded): ShownCallEnd | undefined {
  switch (record.kind) {
    case 'tool.returned':
      return { call: record.data.call, how: '', well: true };
    case 'tool.failed':
      return { call: record.data.call, how: `failed${exitOf(record.data.exit)}`, well: false };
    case 'tool.abandoned':
      return { call: record.data.call, how: record.data.reason, well: false };
    default:
      return undefined;
  }
}

function exitOf(exit: number | undefined): string {
  return exit === undefined || exit === 0 ? '' : `, exit ${exit}`;
}

/**
 * Returns a line for a record that adds something to the context or to the memory, except the text of an answer. For
 * any other record, returns `undefined`.
 */
function besideOf(record: Recorded): string | undefined {
  switch (record.kind) {
    case 'tool.returned':
    case 'tool.failed':
      return shapingNote(record.data.shaping);
    case 'skill.loaded':
      return `the skill is now in the context: ${formatCount(record.data.tokens, 'token')}`;
    case 'memory.changed':
      return `${record.data.file} now has ${formatCount(record.data.bytes, 'byte')}; every later session receives it`;
    case 'subagent.started':
      return 'a subagent starts in a session of its own, which shares the cached prefix';
    case 'subagent.ended':
      return 'the model receives its last answer; the rest is in the log of the subagent';
    case 'context.noted':
      return record.data.source === 'memory' ? MEMORY_NOTES[record.data.cause] : undefined;
    default:
      return undefined;
  }
}

function shapingNote(shaping: Shaping | undefined): string | undefined {
  if (shaping === undefined) return undefined;
  const { by, kept, total, unit } = shaping;
  const shown = `${by === 'tail' ? 'last' : 'first'} ${formatNumber(kept)} of ${formatNumber(total)} ${unit}`;
  return `the model is shown the ${shown}, and can read the rest`;
}

const MEMORY_NOTES: Readonly<Partial<Record<RecordedOf<'context.noted'>['data']['cause'], string>>> = {
  initial: 'the model receives MEMORY.md, which earlier sessions wrote',
  changed: 'with the next prompt, the model receives only the changed lines',
};
