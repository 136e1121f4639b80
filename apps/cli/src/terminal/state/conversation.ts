// Conversation: folds the events of a session into final blocks and the live part, which still changes. Every block
// comes from a committed event.

import { gaugeInWords } from '@tidemark/context';
import { defined } from '@tidemark/core';
import type { AnswerPart, ContentPart, Recorded, RecordedOf } from '@tidemark/log';
import type { Notice, SessionEvent } from '@tidemark/agent';

import type { Shown } from '../../frame/shown.ts';
import { withStyle } from '../../frame/shown.ts';
import { answerEnd } from '../../present/answer-end.ts';
import { nextSentence } from '../../present/present-session.ts';
import { denialInWords } from '../../present/denials.ts';
import { callTitle } from '../../present/tool-line.ts';
import type { PlannedTask, PrintedBlock, PrintedCall, PrintedReasoning } from './blocks.ts';
import { isInterrupted, planAfter, resultParts } from './call-results.ts';
import type { GrowingList } from './growing-list.ts';
import { growingList } from './growing-list.ts';
import { promptText } from './prompt-text.ts';
import { resultFact } from './result-fact.ts';
import type { EarlierRecords } from './record-lines.ts';
import { recordLines } from './record-lines.ts';
import { EMPTY_TALLY, tallyAfter } from './turn-tally.ts';

/** Conversation as the terminal shows it. */
export interface Conversation {
  /** Final blocks. */
  readonly blocks: GrowingList<PrintedBlock>;
  readonly live: LivePart;
  readonly earlier: EarlierRecords;
  /** Tasks of the latest plan. */
  readonly plan: readonly PlannedTask[];
  /** True after the record of the advisory tier, until the next status. */
  readonly advised: boolean;
}

/** Part of the conversation that still changes. */
export interface LivePart {
  /** Text of the answer that is arriving. */
  readonly answer: string;
  readonly reasoning: string;
  /** Times of the first and the last text of the reasoning, in milliseconds since 1970. */
  readonly thinking?: { readonly from: number; readonly to: number } | undefined;
  /** Calls that are not final yet, in the order of the answer. The first one has no result. */
  readonly calls: readonly LiveCall[];
  /** Names of the hooks that have been running for more than a moment. */
  readonly hooks: readonly string[];
  /** Pause before a failed request is sent again. */
  readonly retry?: RetryPause | undefined;
}

/** Pause before a failed request is sent again. `at` is the time of its end, in milliseconds since 1970. */
export interface RetryPause {
  readonly attempt: number;
  readonly of: number;
  readonly at: number;
}

/** State of a call whose process ended. `runsAgain` is true if a resumed turn runs the call. */
export interface CutOffCall {
  readonly started: boolean;
  readonly runsAgain: boolean;
}

/** A tool call that is not final yet: it has no result, or an earlier call has none. */
export interface LiveCall {
  readonly call: string;
  readonly tool: string;
  readonly title: string;
  readonly arguments: string;
  /** True if the call started and can change something. */
  readonly acts?: boolean;
  /** Time at which the call started, in milliseconds since 1970. `undefined` if it waits. */
  readonly startedAt?: number;
  /** Denial in words. Absent if the call was not denied. */
  readonly denied?: string;
  /** Set if the process of the call ended. The next turn decides what happens with the call. */
  readonly cutOff?: CutOffCall | undefined;
  /** Block of a call that has ended. It is final when every earlier call has ended too. */
  readonly ended?: PrintedCall;
  /** Last progress that the tool reported. */
  readonly progress?: string;
  /** End of the output so far. It is masked and may contain control characters. */
  readonly output?: string;
}

const NOTHING_LIVE: LivePart = { answer: '', reasoning: '', calls: [], hooks: [] };

/** Conversation of a session without records. */
export const EMPTY_CONVERSATION: Conversation = {
  blocks: growingList(),
  live: NOTHING_LIVE,
  earlier: { tally: EMPTY_TALLY, rewriteReported: false },
  plan: [],
  advised: false,
};

/** Returns the conversation after an event. `now` is the time at which it arrived, in milliseconds since 1970. */
export function foldEvent(conversation: Conversation, event: SessionEvent, now?: number): Conversation {
  switch (event.type) {
    case 'recorded':
      return foldRecord(conversation, event.record);
    case 'text.delta':
      return withLive(conversation, { answer: conversation.live.answer + event.text });
    case 'reasoning.delta':
      return withReasoning(conversation, event.text, now);
    case 'tool.progressed':
      return withCall(conversation, event.call, { progress: event.text });
    case 'tool.output':
      return withOutput(conversation, event.call, event.text);
    case 'notice.raised':
      return foldNotice(conversation, event.notice);
    case 'status.changed': {
      if (!conversation.advised) return conversation;
      const line = [withStyle('dim', 'context'), `: the next request uses ${gaugeInWords(event.gauge)}`];
      return addLines({ ...conversation, advised: false }, 'status', [line]);
    }
    case 'hook.waiting':
      return withLive(conversation, { hooks: hooksAfter(conversation.live.hooks, event) });
    case 'tool.threw':
    case 'processes.changed':
    case 'cache.warming':
      return conversation;
  }
}

function withReasoning(conversation: Conversation, text: string, now: number | undefined): Conversation {
  const { reasoning, thinking } = conversation.live;
  const times = now === undefined ? {} : { thinking: { from: thinking?.from ?? now, to: now } };
  return withLive(conversation, { reasoning: reasoning + text, ...times });
}

/** Returns the running hooks after an event about one of them. The same hook can run for several calls. */
function hooksAfter(
  hooks: readonly string[],
  { hook, over }: { readonly hook: string; readonly over: boolean },
): readonly string[] {
  return over ? hooks.toSpliced(hooks.indexOf(hook), hooks.includes(hook) ? 1 : 0) : [...hooks, hook];
}

/** Notices that name options of the library, and the one about root, which the first screen contains. */
const HIDDEN_NOTICES: readonly string[] = ['permissions/default-mode', 'permissions/no-asker', 'sandbox/root'];

/** Next steps in the terminal, for notices whose own next step names a function of the library. */
const NEXT_HERE: ReadonlyMap<string, string> = new Map([
  ['context/pressure', '`/compact` shows what a compaction would free'],
  ['context/price-cliff', '`/compact` shows what a compaction would free'],
  ['context/compaction-idle', '`/context` shows the largest parts'],
  [
    'context/compaction-refused',
    'The turn continues as long as the model accepts its requests. `/context` shows the largest parts',
  ],
]);

function foldNotice(before: Conversation, { code, message, next, retry }: Notice): Conversation {
  if (HIDDEN_NOTICES.includes(code)) return before;
  const conversation =
    retry === undefined ? before : withLive(before, { retry: { ...retry, at: Date.parse(retry.at) } });
  // The live part counts the pause down.
  const step = retry === undefined ? (NEXT_HERE.get(code) ?? next) : '';
  const line = [withStyle('yellow', 'notice'), `: ${message}${step === '' ? '' : nextSentence(step)}`];
  const { earlier } = conversation;
  const rewriteReported = earlier.rewriteReported || code === 'turn/rewrite';
  return addLines({ ...conversation, earlier: { ...earlier, rewriteReported } }, code, [line]);
}

/** Number of characters of a running call's output that are kept. */
const KEPT_OUTPUT = 16_384;

function withOutput(conversation: Conversation, call: string, text: string): Conversation {
  const before = conversation.live.calls.find((one) => one.call === call)?.output ?? '';
  return withCall(conversation, call, { output: (before + text).slice(-KEPT_OUTPUT) });
}

/** Returns the conversation after a committed record. */
export function foldRecord(before: Conversation, record: Recorded): Conversation {
  const { earlier } = before;
  const tally = tallyAfter(earlier.tally, record);
  const conversation: Conversation = tally === earlier.tally ? before : { ...before, earlier: { ...earlier, tally } };
  const key = String(record.position);
  switch (record.kind) {
    case 'prompt.given': {
      const { parts, steer } = record.data;
      return add(conversation, { kind: 'prompt', key, text: promptText(parts), steer: steer === true });
    }
    case 'answer.received':
    case 'answer.interrupted':
      return record.data.stream === 'main' ? foldAnswer(conversation, key, record) : conversation;
    case 'answer.failed':
      return withLive(conversation, { answer: '', reasoning: '', thinking: undefined });
    case 'permission.decided':
      return record.data.decision === 'denied'
        ? withCall(conversation, record.data.call, { denied: denialInWords(record.data) })
        : conversation;
    case 'tool.started':
      return withCall(conversation, record.data.call, {
        startedAt: Date.parse(record.at),
        acts: record.data.effect !== 'none' && record.data.effect !== 'read',
      });
    case 'tool.returned':
    case 'tool.failed':
      return foldToolEnd(conversation, record);
    case 'tool.abandoned':
      return endCall(conversation, record.data.call, { key, outcome: ABANDONED[record.data.reason] });
    case 'pressure.crossed':
      return { ...conversation, advised: record.data.tier === 'advisory' };
    case 'request.prepared':
      return withEarlier(withLive(conversation, { retry: undefined }), { rewriteReported: false });
    default:
      return foldOther(conversation, record);
  }
}

/** Folds a record that is shown as lines, or not at all. */
function foldOther(before: Conversation, record: Recorded): Conversation {
  const { earlier } = before;
  const conversation = record.kind === 'turn.ended' ? withEndedCalls(before, true) : before;
  const next = addLines(conversation, String(record.position), recordLines(record, earlier), 'record');
  if (record.kind === 'mode.changed') return withEarlier(next, { mode: record.data.mode });
  if (record.kind === 'turn.resumed') return withCutOff(next, () => undefined);
  if (record.kind === 'epoch.opened') return withEarlier(next, { model: record.data.model });
  return record.kind === 'turn.ended' ? { ...next, live: NOTHING_LIVE } : next;
}

const ABANDONED = {
  interrupted: 'interrupted',
  unstarted: 'unstarted',
  crashed: 'crashed',
  denied: 'denied',
  unavailable: 'failed',
  cut: 'interrupted',
} as const;

type MainAnswer = RecordedOf<'answer.received'> | RecordedOf<'answer.interrupted'>;

function foldAnswer(conversation: Conversation, key: string, record: MainAnswer): Conversation {
  const { parts } = record.data;
  const blocks = parts.flatMap((part, index): PrintedBlock[] =>
    part.type === 'text' && part.text.trim() !== ''
      ? [{ kind: 'answer', key: `${key}.${index}`, text: part.text }]
      : [],
  );
  const end = record.kind === 'answer.received' || record.data.by === 'transport' ? answerEnd(record) : '';
  const ending: readonly PrintedBlock[] =
    end === '' ? [] : [{ kind: 'lines', key: `${key}.end`, lines: [withStyle('yellow', end)] }];
  return {
    ...conversation,
    blocks: conversation.blocks.append([...thoughtOf(record, conversation.live), ...blocks, ...ending]),
    live: { ...NOTHING_LIVE, calls: [...conversation.live.calls, ...parts.flatMap(callsOf)] },
  };
}

/** Returns the reasoning of an answer as one block. */
function thoughtOf(
  { position, data: { parts, usage } }: MainAnswer,
  { thinking }: LivePart,
): readonly PrintedReasoning[] {
  const texts = parts.flatMap((part) =>
    part.type === 'reasoning' && part.text.trim() !== '' ? [part.text.trim()] : [],
  );
  if (texts.length === 0) return [];
  const durationMs = thinking && thinking.to - thinking.from;
  // Without a count of its own, the reasoning is a part of the tokens of the answer.
  const tokens = usage?.reasoning === 0 ? undefined : usage?.reasoning;
  return [{ kind: 'reasoning', key: `${position}.r`, text: texts.join('\n\n'), ...defined({ tokens, durationMs }) }];
}

function callsOf(part: AnswerPart): readonly LiveCall[] {
  if (part.type !== 'call') return [];
  const { call, name: tool, arguments: input } = part;
  return [{ call, tool, title: callTitle(tool, input), arguments: input }];
}

function foldToolEnd(conversation: Conversation, record: RecordedOf<'tool.returned' | 'tool.failed'>): Conversation {
  const { call, durationMs, exit, parts, shaping } = record.data;
  const open = conversation.live.calls.find((one) => one.call === call);
  const { tool = '', arguments: input = '' } = open ?? {};
  const text = textOf(parts);
  const failure = isInterrupted(tool, text) ? 'interrupted' : 'failed';
  const outcome = open?.denied !== undefined ? 'denied' : record.kind === 'tool.failed' ? failure : 'ok';
  const plan = tool === 'plan' && outcome === 'ok' ? planAfter(conversation.plan, input) : undefined;
  const lines = shaping?.unit === 'lines' ? shaping.total : undefined;
  const result = { tool, arguments: input, outcome, exit, text, lines } as const;
  const fact = resultFact(result);
  const ended = endCall(conversation, call, {
    key: String(record.position),
    outcome,
    position: record.position,
    ...(durationMs !== undefined && { durationMs }),
    ...(exit !== undefined && { exit }),
    ...(plan !== undefined && { plan }),
    ...(open?.denied !== undefined && { denial: open.denied }),
    ...resultParts(result),
    ...(fact !== undefined && { fact }),
  });
  return plan === undefined ? ended : { ...ended, plan };
}

function endCall(
  conversation: Conversation,
  call: string,
  end: Omit<PrintedCall, 'kind' | 'call' | 'tool' | 'title'>,
): Conversation {
  const open = conversation.live.calls.find((one) => one.call === call);
  const { tool, title } = open ?? { tool: '', title: call };
  const ended: PrintedCall = { kind: 'tool', call, tool, title, ...end };
  return open === undefined ? add(conversation, ended) : withEndedCalls(withCall(conversation, call, { ended }));
}

/**
 * Moves the calls that have ended to the final blocks, in the order of the answer, up to the first one that runs.
 * `all` also moves those after it.
 */
function withEndedCalls(conversation: Conversation, all = false): Conversation {
  const { calls } = conversation.live;
  const running = calls.findIndex(({ ended }) => ended === undefined);
  const count = all || running === -1 ? calls.length : running;
  const blocks = conversation.blocks.append(calls.slice(0, count).flatMap(({ ended }) => ended ?? []));
  return withLive({ ...conversation, blocks }, { calls: calls.slice(count) });
}

/** Returns the conversation with a block that Tidemark adds itself. */
export function add(conversation: Conversation, block: PrintedBlock): Conversation {
  return { ...conversation, blocks: conversation.blocks.append([block]) };
}

/** Returns the conversation without its live part, which was not recorded. The calls that have ended are recorded. */
export function withoutLive(conversation: Conversation): Conversation {
  return { ...withEndedCalls(conversation, true), live: NOTHING_LIVE };
}

/** Returns the conversation of a session that no process writes any more: its open calls do not run. */
export function withoutProcess(conversation: Conversation): Conversation {
  return withCutOff(conversation, ({ startedAt, acts }) => {
    const started = startedAt !== undefined;
    return { started, runsAgain: !started || acts !== true };
  });
}

function withCutOff(conversation: Conversation, cutOff: (call: LiveCall) => CutOffCall | undefined): Conversation {
  const calls = conversation.live.calls.map((call) => ({ ...call, cutOff: cutOff(call) }));
  return withLive(conversation, { calls });
}

function addLines(
  conversation: Conversation,
  name: string,
  lines: readonly Shown[],
  from: 'record' | 'event' = 'event',
): Conversation {
  if (lines.length === 0) return conversation;
  // An event has no position, so the number of blocks makes its key unique.
  const key = from === 'record' ? name : `${name}-${conversation.blocks.length}`;
  return add(conversation, { kind: 'lines', key, lines });
}

function withLive(conversation: Conversation, change: Partial<LivePart>): Conversation {
  return { ...conversation, live: { ...conversation.live, ...change } };
}

function withEarlier(conversation: Conversation, change: Partial<EarlierRecords>): Conversation {
  return { ...conversation, earlier: { ...conversation.earlier, ...change } };
}

function withCall(conversation: Conversation, call: string, change: Partial<LiveCall>): Conversation {
  const calls = conversation.live.calls.map((one) => (one.call === call ? { ...one, ...change } : one));
  return withLive(conversation, { calls });
}

function textOf(parts: readonly ContentPart[]): string {
  return parts
    .map((part) =>
      part.type === 'text' ? part.text : part.type === 'file' ? `[file ${part.path}]` : `[${part.mediaType}]`,
    )
    .join('\n');
}
