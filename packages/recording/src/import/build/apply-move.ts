// Turns the moves of an import (`format/move.ts`) into events of a log. A prompt opens a turn, and an epoch opens
// before the first answer that needs it. Every call gets exactly one closing event.

import { defined } from '@tidemark/core';
import { SORTED_JSON } from '@tidemark/agent';
import type { AnswerPart, BilledIn, Position } from '@tidemark/log';
import { position } from '@tidemark/log';
import type { BilledCalls } from './billed-calls.ts';
import { callIdentity, withMostOutput } from './billed-calls.ts';
import { plainText } from '../format/format.ts';
import { hashText } from '../file/fields.ts';
import type {
  AnswerMove,
  BranchMove,
  CompactionMove,
  FailedMove,
  From,
  InterruptedMove,
  ImportedMove,
  NoteMove,
  NotificationMove,
  PromptMove,
  ReasoningMove,
  RequestMove,
  ResultMove,
  SubagentMove,
} from '../format/move.ts';
import type { Outline } from '../outline/outline.ts';
import { abandonCalls, closeCall, emit, endTurn, inTurn, lastPosition, needTurn, openTurn } from './draft.ts';
import type { SessionDraft } from './draft.ts';
import { openEpoch, RECORDED } from './open-epoch.ts';

/** Data about a branch of the transcript that the builder needs in addition to the draft. */
export interface BranchView {
  readonly branch: number;
  readonly format: string;
  readonly outline: Outline;
  /** Provider calls that are already billed by an imported record. */
  readonly billed: BilledCalls;
}

/**
 * Adds the events of one move to the draft of the session. First closes the calls and the turn that cannot stay open.
 */
export function applyMove(draft: SessionDraft, move: ImportedMove, view: BranchView): void {
  settle(draft, move, view);
  const { ordinal } = move.from;
  if (view.outline.isAnchor(ordinal) && !draft.anchors.has(ordinal)) {
    // The anchor is the position at which a compaction cuts the log. A cut between a call and its result would leave a
    // call without a result. While calls are open, the anchor is therefore the position of their answer, so that the
    // whole answer is kept.
    draft.anchors.set(ordinal, Math.min(draft.position, ...draft.open.values()));
  }
  take(draft, move, view);
}

/**
 * Ends the branch: abandons all open calls and ends the turn. Remembers the calls in `cutOff`, because a later import
 * can contain their results.
 */
export function finishDraft(draft: SessionDraft, isEndOfFile: boolean): void {
  for (const call of draft.open.keys()) draft.cutOff.add(hashText(call));
  abandonCalls(draft, draft.at, isEndOfFile ? 'crashed' : 'interrupted');
  endTurn(draft);
}

/**
 * Closes the calls and the turn that cannot stay open when this move arrives. Before a prompt or a notification, a call
 * stays open if its result comes later in the file.
 */
function settle(draft: SessionDraft, move: ImportedMove, { outline, branch }: BranchView): void {
  const { at, ordinal } = move.from;
  switch (move.type) {
    case 'answer':
    case 'interrupted':
    case 'failed':
      abandonCalls(draft, at, 'interrupted');
      return;
    case 'compaction':
      abandonCalls(draft, at, 'interrupted');
      if (!isRunning(draft)) endTurn(draft);
      return;
    case 'prompt':
    case 'notification': {
      const left = abandonCalls(draft, at, 'interrupted', (call) => outline.isResultAhead(branch, call, ordinal));
      const interrupts = move.type === 'prompt' && move.interrupts === true;
      if (!interrupts && draft.open.size === 0 && (left > 0 || !isRunning(draft))) endTurn(draft);
      return;
    }
    case 'end':
      abandonCalls(draft, at, 'interrupted', (call) => outline.isResultAhead(branch, call, ordinal));
      if (draft.open.size === 0) endTurn(draft);
      return;
    case 'note':
    case 'result':
    case 'reasoning':
    case 'branch':
    case 'subagent':
    case 'request':
    case 'foreign':
      return;
  }
}

function isRunning({ turn }: SessionDraft): boolean {
  return turn !== undefined && (turn.mood === 'calling' || turn.mood === 'asked');
}

function take(draft: SessionDraft, move: ImportedMove, view: BranchView): void {
  switch (move.type) {
    case 'prompt':
      return takePrompt(draft, move);
    case 'note':
      return takeNote(draft, move);
    case 'notification':
      return takeNotification(draft, move);
    case 'answer':
      return takeAnswer(draft, move, view);
    case 'interrupted':
      return takeInterrupted(draft, move, view);
    case 'failed':
      return takeFailed(draft, move);
    case 'result':
      return takeResult(draft, move, view);
    case 'compaction':
      return takeCompaction(draft, move, view);
    case 'reasoning':
      return takeReasoning(draft, move);
    case 'branch':
      return takeBranch(draft, move);
    case 'subagent':
      return takeSubagent(draft, move);
    case 'request':
      return takeRequest(draft, move);
    case 'end':
      return;
    case 'foreign':
      return keepForeign(draft, move.from, view, move.reason);
  }
}

function takePrompt(draft: SessionDraft, move: PromptMove): void {
  const { at } = move.from;
  const running = draft.turn !== undefined;
  const turn = draft.turn ?? openTurn(draft, at, move.trigger);
  const steer = running || move.steer === true ? { steer: true } : {};
  const data = { parts: move.parts, presenter: move.presenter, ...steer };
  emit(draft, { kind: 'prompt.given', at, turn: turn.id, data });
  if (move.interrupts !== true) return;
  turn.mood = 'interrupted';
  if (draft.open.size === 0) endTurn(draft);
}

// Adds the note as urgent, because the recorded agent sent it at this place and did not wait for the next prompt.
function takeNote(draft: SessionDraft, { from, source, body }: NoteMove): void {
  const data = { source, revision: `${from.ordinal}`, cause: 'changed', urgent: true, body } as const;
  emit(draft, { kind: 'context.noted', at: from.at, ...inTurn(draft), data });
}

// A notification that arrives after the end of a turn starts a turn, because no prompt starts one.
function takeNotification(draft: SessionDraft, { from, source, provenance, body }: NotificationMove): void {
  const turn = draft.turn ?? openTurn(draft, from.at, 'notification');
  emit(draft, { kind: 'notification.received', at: from.at, turn: turn.id, data: { source, provenance, body } });
}

function takeAnswer(draft: SessionDraft, move: AnswerMove, view: BranchView): void {
  const { type: _type, from, request: name, ...answer } = move;
  const request = name === undefined ? undefined : draft.requests.get(name);
  const turn = needTurn(draft, from.at);
  openEpoch(draft, from.at, move);
  const calls = callsOf(move.parts);
  for (const call of calls) {
    draft.open.set(call, draft.position);
    draft.closed.delete(hashText(call));
  }
  if (calls.size > 0) draft.batch = { position: draft.position, events: [] };
  emit(draft, {
    kind: 'answer.received',
    at: from.at,
    turn: turn.id,
    data: {
      step: draft.step,
      stream: 'main',
      contract: RECORDED,
      ...defined({ request }),
      ...answer,
      ...billedIn(draft, move, view),
    },
  });
  draft.step += 1;
  turn.steps += 1;
  turn.calls += calls.size;
  turn.mood = calls.size === 0 ? 'answered' : 'calling';
}

/**
 * Adds the provider call of an answer to `billed`. Returns the record that already bills this call. Returns an empty
 * object if this answer is the first record of the call, which then bills it, or if no tokens were counted.
 */
function billedIn(
  { session, position: at }: SessionDraft,
  move: AnswerMove | InterruptedMove,
  { format, billed }: BranchView,
): { readonly billed?: BilledIn } {
  const { from, provider, model, usage, parts } = move;
  const response = move.type === 'answer' ? move.response : undefined;
  const identity = callIdentity({ format, response, at: from.at, provider, model, usage, parts });
  if (identity === undefined || usage === undefined) return {};
  const before = billed.get(identity);
  billed.set(
    identity,
    before === undefined ? { session, position: position(at), usage } : withMostOutput(before, usage),
  );
  return before === undefined ? {} : { billed: before };
}

function callsOf(parts: readonly AnswerPart[]): ReadonlySet<string> {
  return new Set(parts.flatMap((part) => (part.type === 'call' ? [part.call] : [])));
}

function takeInterrupted(draft: SessionDraft, move: InterruptedMove, view: BranchView): void {
  const { type: _type, from, request: _request, ...answer } = move;
  const turn = needTurn(draft, from.at);
  // The provider did not count an interrupted answer without usage, so this answer opens no epoch.
  if (move.usage !== undefined) openEpoch(draft, from.at, move);
  const data = { step: draft.step, stream: 'main', ...answer, ...billedIn(draft, move, view) };
  emit(draft, { kind: 'answer.interrupted', at: from.at, turn: turn.id, data });
  draft.step += 1;
  turn.steps += 1;
  turn.mood = move.by === 'user' ? 'interrupted' : 'failed';
}

function takeFailed(draft: SessionDraft, move: FailedMove): void {
  const { type: _type, from, ...failure } = move;
  const turn = needTurn(draft, from.at);
  emit(draft, {
    kind: 'answer.failed',
    at: from.at,
    turn: turn.id,
    data: { step: draft.step, stream: 'main', ...failure },
  });
  turn.mood = 'failed';
}

function takeResult(draft: SessionDraft, move: ResultMove, view: BranchView): void {
  const unfit = closeCall(draft, move);
  if (unfit === undefined) return;
  keepForeign(draft, move.from, view, unfit);
  const body = plainText(move.parts);
  if (!draft.cutOff.delete(hashText(move.call)) || body === undefined) return;
  // The log already contains this call as abandoned, because an earlier import ended before the result. So the result
  // is added as a notification.
  const provenance = `result of call ${move.call}, which came after an earlier import`;
  takeNotification(draft, { type: 'notification', from: move.from, source: 'import', provenance, body });
}

function takeCompaction(draft: SessionDraft, move: CompactionMove, { outline }: BranchView): void {
  const { from, summary, trigger, before, boundary } = move;
  const firstKept = outline.keptFrom(boundary ?? from.ordinal);
  const anchor = firstKept === undefined ? undefined : draft.anchors.get(firstKept);
  const to = anchor === undefined ? lastPosition(draft) : position(Math.max(anchor - 1, 0));
  draft.checkpoint = position(draft.position);
  emit(draft, {
    kind: 'history.compacted',
    at: from.at,
    ...inTurn(draft),
    data: defined({
      range: { from: position(0), to },
      strategy: 'recorded',
      trigger,
      checkpoint: summary,
      limitations: [],
      before,
    }),
  });
}

function takeReasoning(draft: SessionDraft, { from, setting, silent }: ReasoningMove): void {
  draft.reasoning = setting;
  if (silent === true) return;
  const data = { setting, as: 'epoch', scope: 'lasting' } as const;
  emit(draft, { kind: 'reasoning.changed', at: from.at, ...inTurn(draft), data });
}

function takeBranch(draft: SessionDraft, { from, text }: BranchMove): void {
  const range = draft.left ?? { from: position(0), to: lastPosition(draft) };
  const data = { range, strategy: 'recorded', text, limitations: [] } as const;
  emit(draft, { kind: 'branch.summarized', at: from.at, ...inTurn(draft), data });
}

function takeSubagent(draft: SessionDraft, { from, child, task }: SubagentMove): void {
  emit(draft, { kind: 'subagent.started', at: from.at, ...inTurn(draft), data: { child, role: 'subagent', task } });
}

/** Maximum number of recorded requests to which a later answer can refer. */
const REQUESTS_KEPT = 64;

// Adds a recorded request. The event names only the messages that differ from the recorded request before it.
function takeRequest(draft: SessionDraft, move: RequestMove): void {
  const { from, name, messages, front, isKept } = move;
  const { keep, base } = sharedMessages(draft, messages);
  // The event has no place for a message with a name before one without a name, so all of them count as unnamed.
  const start = Math.max(keep, messages.lastIndexOf(undefined) + 1);
  const tail = messages.slice(start).filter((one) => one !== undefined);
  const missing = [...new Set([...(front === undefined ? [] : [front]), ...tail])].filter((one) => !isKept(one));
  const at = position(draft.position);
  const { provider, model, purpose, version, parameters, markers, digest, leftOut, rest } = move;
  const data = defined({
    step: draft.step,
    stream: 'main',
    name,
    form: SORTED_JSON,
    provider,
    model,
    purpose,
    version,
    parameters,
    front,
    base,
    keep,
    unnamed: start === keep ? undefined : start - keep,
    tail,
    missing: missing.length === 0 ? undefined : missing,
    markers,
    digest,
    leftOut,
    rest,
  });
  emit(draft, { kind: 'request.observed', at: from.at, ...inTurn(draft), data });
  const ownLost = messages.findIndex((one, index) => index >= keep && (one === undefined || !isKept(one)));
  const inherited = draft.request !== undefined && draft.request.lost < keep ? draft.request.lost : Infinity;
  const lost = Math.min(inherited, ownLost === -1 ? Infinity : ownLost);
  draft.request = { position: at, messages, lost, isWhole: lost === Infinity && missing.length === 0 };
  draft.requests.set(name, at);
  const [oldest] = draft.requests.keys();
  if (draft.requests.size > REQUESTS_KEPT && oldest !== undefined) draft.requests.delete(oldest);
}

function sharedMessages(
  { request }: SessionDraft,
  messages: RequestMove['messages'],
): { readonly keep: number; readonly base: Position | undefined } {
  if (request === undefined) return { keep: 0, base: undefined };
  let keep = 0;
  while (keep < messages.length && messages[keep] !== undefined && messages[keep] === request.messages[keep]) keep += 1;
  return { keep, base: keep === 0 ? undefined : request.position };
}

function keepForeign(draft: SessionDraft, { at, line, record }: From, { format }: BranchView, reason?: string): void {
  const data = defined({ format, line, record, reason });
  emit(draft, { kind: 'foreign.recorded', at, ...inTurn(draft), data });
}
