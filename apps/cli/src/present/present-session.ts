// Presents a running session to a user at a terminal: the answer as it streams, one line per tool run, and notices.
// With `--json`, every event is printed unchanged as one line.

import type { Gauge } from '@tidemark/context';
import { gaugeInWords } from '@tidemark/context';
import type { SessionEvent } from '@tidemark/kit';
import type { AnswerPart, Recorded, RecordedOf, SubagentEnded } from '@tidemark/log';

import { dollars, formatNumber } from '../frame/numbers.ts';
import type { CommandOutput } from '../frame/output.ts';
import type { SeenCall, SeenTokens } from './seen-tokens.ts';
import { addSeen, NOTHING_SEEN } from './seen-tokens.ts';
import type { Shown } from '../frame/shown.ts';
import { withStyle } from '../frame/shown.ts';
import { callTitle, duration } from './tool-line.ts';

/** Shows the events of one session to the user. */
export interface Presenter {
  show(event: SessionEvent): void;
  /** Ends the current line with a newline if the last text did not end with one. */
  rest(): void;
  readonly tokens: SeenTokens;
  /** Subagents that ended. Their tokens are not part of `tokens`, but their cost is part of the turn's cost. */
  readonly subagents: readonly SubagentEnded[];
}

interface SessionView {
  readonly session: string;
  readonly output: CommandOutput;
  /** Title of each open call, by call id. */
  readonly calls: Map<string, string>;
  readonly denied: Set<string>;
  /** True if the last text on stdout did not end with a newline. */
  midLine: boolean;
  /** True if text of the current answer was printed as it streamed. */
  streamed: boolean;
  /** True if a notice has already reported the rewrite of the next request. */
  rewriteSaid: boolean;
  tokens: SeenTokens;
  /** Number of model calls whose tokens were added to `tokens`. */
  answers: number;
  readonly subagents: SubagentEnded[];
  /** True from the event that records the advisory tier until the next status line. */
  advised: boolean;
  /** True if a gauge of the tier `unknown` was already reported. */
  unknownSaid: boolean;
}

/**
 * Creates a presenter on the streams of a command. `answered` contains the parts of the last answer before this
 * presenter started, so that the open calls of that answer have titles.
 */
export function presentSession(
  output: CommandOutput,
  session: string,
  answered: readonly AnswerPart[] = [],
): Presenter {
  const sight: SessionView = {
    output,
    session,
    calls: titlesOf(answered),
    denied: new Set(),
    midLine: false,
    streamed: false,
    rewriteSaid: false,
    tokens: NOTHING_SEEN,
    answers: 0,
    subagents: [],
    advised: false,
    unknownSaid: false,
  };
  return {
    show: (event) => show(sight, event),
    rest: () => rest(sight),
    subagents: sight.subagents,
    get tokens() {
      return sight.tokens;
    },
  };
}

function show(sight: SessionView, event: SessionEvent): void {
  if (sight.output.json) sight.output.event(event, () => '');
  switch (event.type) {
    case 'recorded':
      return showRecord(sight, event.record);
    case 'text.delta':
      sight.streamed = true;
      return write(sight, event.text);
    case 'notice.raised': {
      const { code, message, next } = event.notice;
      // These notices name options of the library. The command shows that the call was denied.
      if (code === 'permissions/default-mode' || code === 'permissions/no-asker') return;
      sight.rewriteSaid ||= code === 'turn/rewrite';
      const ours = NEXT_HERE.has(code)
        ? `${NEXT_HERE.get(code)}: tidemark compact ${sight.session} --dry-run --json`
        : next;
      return note(sight, [withStyle('yellow', 'notice'), `: ${message}`, ours === '' ? '' : nextSentence(ours)]);
    }
    case 'status.changed':
      return showStatus(sight, event.gauge);
    case 'reasoning.delta':
    case 'tool.progressed':
    // Ignored: the message of the error is in the result of the call.
    case 'tool.threw':
    // Ignored: the process ends after one turn, so there is no pause in which the cache must be kept warm.
    case 'cache.warming':
  }
}

/** Returns the next step as a separate sentence, or as the next clause if it begins with a small letter. */
function nextSentence(next: string): string {
  return /^\p{Lu}/u.test(next) ? `. ${next}` : `; ${next}`;
}

/** Notices whose next step names a function of the library, by their code: the next step with a command instead. */
const NEXT_HERE: ReadonlyMap<string, string> = new Map([
  ['context/pressure', 'See what a compaction would free'],
  ['context/price-cliff', 'See what a compaction would free'],
  ['context/compaction-idle', 'See the largest parts'],
  ['context/compaction-refused', 'The turn continues as long as the model accepts its requests. See the largest parts'],
]);

/**
 * Prints one line when the log records the advisory tier. A later step, another process, or a tier that falls and rises
 * again does not repeat the line. From the tier `warning` on, a notice is raised instead. A gauge of the tier `unknown`
 * is not in the log, so it gets one line per process.
 */
function showStatus(sight: SessionView, gauge: Gauge): void {
  const shows = sight.advised || (gauge.tier === 'unknown' && !sight.unknownSaid);
  sight.advised = false;
  sight.unknownSaid ||= gauge.tier === 'unknown';
  if (shows) note(sight, [withStyle('dim', 'context'), `: the next request uses ${gaugeInWords(gauge)}`]);
}

function showRecord(sight: SessionView, record: Recorded): void {
  switch (record.kind) {
    case 'epoch.opened':
      return showEpoch(sight, record);
    case 'pressure.crossed':
      sight.advised = record.data.tier === 'advisory';
      return;
    case 'request.prepared':
      sight.rewriteSaid = false;
      return;
    case 'answer.received':
      if (record.data.stream === 'main') showAnswer(sight, record.data.parts);
      return add(sight, record.data);
    case 'answer.interrupted':
      if (record.data.stream === 'main') endAnswer(sight);
      return add(sight, record.data);
    case 'answer.failed':
      return record.data.usage === undefined ? undefined : add(sight, record.data);
    case 'permission.decided':
      if (record.data.decision === 'denied') sight.denied.add(record.data.call);
      return;
    case 'subagent.started':
      return note(sight, withStyle('dim', `subagent ${record.data.role}: running as session ${record.data.child}`));
    case 'subagent.ended':
      sight.subagents.push(record.data);
      return;
    case 'tool.returned':
      return showCall(sight, record.data.call, [withStyle('green', 'ok'), ...timeOf(record)]);
    case 'tool.failed':
      return showCall(sight, record.data.call, howFailed(sight, record));
    case 'tool.abandoned':
      return showCall(sight, record.data.call, [withStyle('yellow', record.data.reason)]);
    default:
  }
}

/**
 * Prints a line about a new epoch. Prints nothing if the epoch rewrites no tokens, or if a notice has already reported
 * the rewrite.
 */
function showEpoch(sight: SessionView, { data }: RecordedOf<'epoch.opened'>): void {
  const { cause, forecast, number } = data;
  if (sight.rewriteSaid || forecast.rewrite === 0) return;
  const price = forecast.cost === undefined ? '' : `, ${dollars(forecast.cost)}`;
  note(sight, `epoch ${number} (${cause}): about ${formatNumber(forecast.rewrite)} tokens are written again${price}`);
}

function titlesOf(parts: readonly AnswerPart[]): Map<string, string> {
  return new Map(
    parts.flatMap((part) => (part.type === 'call' ? [[part.call, callTitle(part.name, part.arguments)]] : [])),
  );
}

function showAnswer(sight: SessionView, parts: readonly AnswerPart[]): void {
  for (const [call, title] of titlesOf(parts)) sight.calls.set(call, title);
  for (const part of parts) {
    if (part.type === 'text' && !sight.streamed) write(sight, part.text);
  }
  endAnswer(sight);
}

function endAnswer(sight: SessionView): void {
  sight.streamed = false;
  rest(sight);
}

function showCall(sight: SessionView, call: string, how: readonly Shown[]): void {
  const title = sight.calls.get(call) ?? call;
  sight.calls.delete(call);
  note(sight, [withStyle('dim', title), ': ', ...how]);
}

function howFailed({ denied }: SessionView, record: RecordedOf<'tool.failed'>): readonly Shown[] {
  return denied.delete(record.data.call)
    ? [withStyle('yellow', 'denied')]
    : [withStyle('red', 'failed'), ...timeOf(record)];
}

function timeOf({ data }: RecordedOf<'tool.returned' | 'tool.failed'>): readonly Shown[] {
  const { durationMs, exit } = data;
  return [
    exit === undefined || exit === 0 ? '' : `, exit ${exit}`,
    durationMs === undefined ? '' : `, ${duration(durationMs)}`,
  ];
}

function add(sight: SessionView, call: SeenCall): void {
  sight.tokens = addSeen(sight.tokens, call, sight.answers === 0);
  sight.answers += 1;
}

function write(sight: SessionView, text: string): void {
  if (text === '') return;
  sight.output.piece(text);
  sight.midLine = !text.endsWith('\n');
}

function rest(sight: SessionView): void {
  if (sight.midLine) sight.output.piece('\n');
  sight.midLine = false;
}

function note(sight: SessionView, shown: Shown): void {
  if (sight.output.json) return;
  rest(sight);
  sight.output.note(shown);
}
