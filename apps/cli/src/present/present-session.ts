// Shows a running session to a user at a terminal: the answer as it streams, one line per tool run, and notices. With
// `--json`, every event is printed unchanged as one line.

import type { Gauge } from '@tidemark/context';
import { gaugeInWords } from '@tidemark/context';
import type { SessionEvent } from '@tidemark/kit';
import type { AnswerPart, ContentPart, Recorded, RecordedOf, SubagentEnded } from '@tidemark/log';

import type { CommandOutput } from '../frame/output.ts';
import { epochLine } from './epoch-line.ts';
import { denialInWords, reasonOfHook } from './denials.ts';
import { startLine } from './subagent-lines.ts';
import type { SeenCall, SeenTokens } from './seen-tokens.ts';
import { addSeen, NOTHING_SEEN } from './seen-tokens.ts';
import type { Shown } from '../frame/shown.ts';
import { withStyle } from '../frame/shown.ts';
import { processLine } from './process-line.ts';
import { callTitle, duration } from './tool-line.ts';

/** Shows the events of one session to the user. */
export interface Presenter {
  show(event: SessionEvent): void;
  /** Ends the current line with a newline if the last text did not end with one. */
  rest(): void;
  readonly tokens: SeenTokens;
  /** Subagents that ended. `tokens` does not include their tokens, but the cost of the turn includes their cost. */
  readonly subagents: readonly SubagentEnded[];
}

interface SessionView {
  readonly session: string;
  readonly output: CommandOutput;
  /** Title of each open call, by call id. */
  readonly calls: Map<string, string>;
  /** Denial in words of each denied call, by call id. */
  readonly denied: Map<string, string>;
  /** True if the last text on stdout did not end with a newline. */
  midLine: boolean;
  /** True if text of the current answer was printed as it streamed. */
  streamed: boolean;
  /** True if a notice has already reported the rewrite of the next request. */
  rewriteReported: boolean;
  tokens: SeenTokens;
  /** Number of model calls whose tokens were added to `tokens`. */
  answers: number;
  readonly subagents: SubagentEnded[];
  /** True after the event that records the advisory tier, until the next status line. */
  advised: boolean;
  /** True if a gauge of the tier `unknown` was already reported. */
  unknownReported: boolean;
}

/**
 * Creates a presenter that uses the streams of a command. `answered` contains the parts of the last answer before this
 * presenter started. From these parts, the presenter knows the titles of the open calls.
 */
export function presentSession(
  output: CommandOutput,
  session: string,
  answered: readonly AnswerPart[] = [],
): Presenter {
  const view: SessionView = {
    output,
    session,
    calls: titlesOf(answered),
    denied: new Map(),
    midLine: false,
    streamed: false,
    rewriteReported: false,
    tokens: NOTHING_SEEN,
    answers: 0,
    subagents: [],
    advised: false,
    unknownReported: false,
  };
  return {
    show: (event) => show(view, event),
    rest: () => rest(view),
    subagents: view.subagents,
    get tokens() {
      return view.tokens;
    },
  };
}

function show(view: SessionView, event: SessionEvent): void {
  if (view.output.json) view.output.event(event, () => '');
  switch (event.type) {
    case 'recorded':
      return showRecord(view, event.record);
    case 'text.delta':
      view.streamed = true;
      return write(view, event.text);
    case 'notice.raised': {
      const { code, message, next } = event.notice;
      // These notices name options of the library. The command already shows that the call was denied.
      if (code === 'permissions/default-mode' || code === 'permissions/no-asker') return;
      view.rewriteReported ||= code === 'turn/rewrite';
      const ours = NEXT_HERE.has(code)
        ? `${NEXT_HERE.get(code)}: tidemark compact ${view.session} --dry-run --json`
        : next;
      return note(view, [withStyle('yellow', 'notice'), `: ${message}`, ours === '' ? '' : nextSentence(ours)]);
    }
    case 'status.changed':
      return showStatus(view, event.gauge);
    case 'hook.waiting':
      return event.over ? undefined : note(view, withStyle('dim', `waiting for the hook ${event.hook} (${event.on})`));
    case 'reasoning.delta':
    case 'processes.changed':
    case 'tool.progressed':
    // Ignored: lines of several calls would mix with the answer. The interactive terminal shows the output.
    case 'tool.output':
    // Ignored: the message of the error is in the result of the call.
    case 'tool.threw':
    // Ignored: the process ends after one turn, so there is no pause in which the cache must be warmed.
    case 'cache.warming':
  }
}

/**
 * Returns the next step for the end of a message. If it begins with a small letter, it is the next clause. Otherwise it
 * is a separate sentence.
 */
export function nextSentence(next: string): string {
  return /^\p{Lu}/u.test(next) ? `. ${next}` : `; ${next}`;
}

/**
 * Next steps for notices whose own next step names a function of the library. The key is the code of the notice. Each
 * of these next steps names a command instead.
 */
const NEXT_HERE: ReadonlyMap<string, string> = new Map([
  ['context/pressure', 'See what a compaction would free'],
  ['context/price-cliff', 'See what a compaction would free'],
  ['context/compaction-idle', 'See the largest parts'],
  ['context/compaction-refused', 'The turn continues as long as the model accepts its requests. See the largest parts'],
]);

/**
 * Prints one line when the log records the advisory tier. The line is not repeated by a later step, by another process,
 * or when the tier falls and rises again. From the tier `warning` on, a notice is raised instead. A gauge of the tier
 * `unknown` is not in the log, so it gets one line per process.
 */
function showStatus(view: SessionView, gauge: Gauge): void {
  const shows = view.advised || (gauge.tier === 'unknown' && !view.unknownReported);
  view.advised = false;
  view.unknownReported ||= gauge.tier === 'unknown';
  if (shows) note(view, [withStyle('dim', 'context'), `: the next request uses ${gaugeInWords(gauge)}`]);
}

function showRecord(view: SessionView, record: Recorded): void {
  switch (record.kind) {
    case 'epoch.opened':
      return showEpoch(view, record);
    case 'pressure.crossed':
      view.advised = record.data.tier === 'advisory';
      return;
    case 'request.prepared':
      view.rewriteReported = false;
      return;
    case 'answer.received':
      if (record.data.stream === 'main') showAnswer(view, record.data.parts);
      return add(view, record.data);
    case 'answer.interrupted':
      if (record.data.stream === 'main') endAnswer(view);
      return add(view, record.data);
    case 'answer.failed':
      return record.data.usage === undefined ? undefined : add(view, record.data);
    case 'permission.decided':
      if (record.data.decision === 'denied') view.denied.set(record.data.call, denialInWords(record.data));
      return;
    case 'subagent.started':
      return note(view, withStyle('dim', startLine(record.data)));
    case 'subagent.ended':
      view.subagents.push(record.data);
      return;
    case 'process.started':
    case 'process.ended':
      return note(view, processLine(record));
    case 'tool.returned':
      return showCall(view, record.data.call, [withStyle('green', 'ok'), ...timeOf(record)]);
    case 'tool.failed':
      return showCall(view, record.data.call, howFailed(view, record));
    case 'tool.abandoned':
      return showCall(view, record.data.call, [withStyle('yellow', record.data.reason)]);
    default:
  }
}

/**
 * Prints a line about a new epoch. Prints nothing if the epoch rewrites few tokens, or if a notice has already reported
 * the rewrite.
 */
function showEpoch(view: SessionView, { data }: RecordedOf<'epoch.opened'>): void {
  const line = view.rewriteReported ? undefined : epochLine(data);
  if (line !== undefined) note(view, line);
}

function titlesOf(parts: readonly AnswerPart[]): Map<string, string> {
  return new Map(
    parts.flatMap((part) => (part.type === 'call' ? [[part.call, callTitle(part.name, part.arguments)]] : [])),
  );
}

function showAnswer(view: SessionView, parts: readonly AnswerPart[]): void {
  for (const [call, title] of titlesOf(parts)) view.calls.set(call, title);
  for (const part of parts) {
    if (part.type === 'text' && !view.streamed) write(view, part.text);
  }
  endAnswer(view);
}

function endAnswer(view: SessionView): void {
  view.streamed = false;
  rest(view);
}

function showCall(view: SessionView, call: string, how: readonly Shown[]): void {
  const title = view.calls.get(call) ?? call;
  view.calls.delete(call);
  note(view, [withStyle('dim', title), ': ', ...how]);
}

function howFailed({ denied }: SessionView, record: RecordedOf<'tool.failed'>): readonly Shown[] {
  const denial = denied.get(record.data.call);
  if (denial === undefined) return [withStyle('red', 'failed'), ...timeOf(record)];
  denied.delete(record.data.call);
  const reason = denial === 'denied' ? '' : firstLine(reasonOfHook(textOf(record.data.parts)));
  return [withStyle('yellow', denial), reason === '' ? '' : `: ${reason}`];
}

function textOf(parts: readonly ContentPart[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

/** Maximum length of the reason of a denial, in characters. */
const REASON = 200;

function firstLine(text: string): string {
  const [line = ''] = text.split('\n', 1);
  return line.length <= REASON ? line : `${line.slice(0, REASON).toWellFormed()}…`;
}

function timeOf({ data }: RecordedOf<'tool.returned' | 'tool.failed'>): readonly Shown[] {
  const { durationMs, exit } = data;
  return [
    exit === undefined || exit === 0 ? '' : `, exit ${exit}`,
    durationMs === undefined ? '' : `, ${duration(durationMs)}`,
  ];
}

function add(view: SessionView, call: SeenCall): void {
  view.tokens = addSeen(view.tokens, call, view.answers === 0);
  view.answers += 1;
}

function write(view: SessionView, text: string): void {
  if (text === '') return;
  view.output.piece(text);
  view.midLine = !text.endsWith('\n');
}

function rest(view: SessionView): void {
  if (view.midLine) view.output.piece('\n');
  view.midLine = false;
}

function note(view: SessionView, shown: Shown): void {
  if (view.output.json) return;
  rest(view);
  view.output.note(shown);
}
