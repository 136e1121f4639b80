// A session at work, as a person at a terminal sees it: the answer as it streams, tools in a line each, what was noticed.
// With `--json` every event is a line, as it is.

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

/** Shows one session. */
export interface Presenter {
  show(event: SessionEvent): void;
  /** Ends a line that was begun. */
  rest(): void;
  readonly tokens: SeenTokens;
  /** Subagents that ended: their tokens are not among those, their cost is in the turn's. */
  readonly subagents: readonly SubagentEnded[];
}

interface SessionView {
  readonly output: CommandOutput;
  /** What each open call is, in a line. */
  readonly calls: Map<string, string>;
  /** Calls that were denied. */
  readonly denied: Set<string>;
  /** Whether stdout stands in the middle of a line. */
  midLine: boolean;
  /** Whether text of the answer at hand was shown as it came. */
  streamed: boolean;
  /** Whether the rewrite of the next request was said already. */
  rewriteSaid: boolean;
  tokens: SeenTokens;
  /** Calls to a model whose end was seen. */
  answers: number;
  readonly subagents: SubagentEnded[];
  /** Whether the request at hand is the first to reach the advisory tier, by a record of the log. */
  advised: boolean;
  /** Whether the gauge was reported as unknown. */
  unknownSaid: boolean;
}

/** A presenter on the streams of a command. `answered` is what was said last, before it began to look. */
export function presentSession(output: CommandOutput, answered: readonly AnswerPart[] = []): Presenter {
  const sight: SessionView = {
    output,
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
      sight.rewriteSaid ||= code === 'turn/rewrite';
      return note(sight, [withStyle('yellow', 'notice'), `: ${message}`, next === '' ? '' : `; ${next}`]);
    }
    case 'status.changed':
      return showStatus(sight, event.gauge);
    case 'reasoning.delta':
    case 'tool.progressed':
    // One turn, and the process ends: there is no pause to keep anything warm in.
    case 'cache.warming':
  }
}

/**
 * One line where the log records the advisory tier: a further step or another process does not repeat it, and neither does a tier
 * that falls and rises again. From `warning` on there is a notice. An unknown gauge is not in the log: one line in a process.
 */
function showStatus(sight: SessionView, gauge: Gauge): void {
  const shows = sight.advised || (gauge.tier === 'unknown' && !sight.unknownSaid);
  sight.advised = false;
  sight.unknownSaid ||= gauge.tier === 'unknown';
  if (shows) note(sight, [withStyle('dim', 'context'), `: the next request holds ${gaugeInWords(gauge)}`]);
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
      return note(sight, withStyle('dim', `subagent ${record.data.role}: at work as session ${record.data.child}`));
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

/** Only an epoch that costs something is worth a word, and only one. */
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
