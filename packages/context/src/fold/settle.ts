// Settled order: decides the place at which a recorded fact is packed. While an answer is in flight or its calls are
// open, all other facts wait. After that, results come first, in call order, then notes, then prompts. The order never
// depends on records after the event that closes the last call (L3).

import type { AnswerInterrupted, AnswerPart, AnswerReceived, Position, RecordedOf, SessionId } from '@tidemark/log';
import type { CallPart, Part, ResultPart, Span, TextPart } from '@tidemark/model';
import { isBlank } from '@tidemark/model';
import { appendAll, appendOnly, itemAt, slice } from '../base/append-only.ts';
import { cutLine, UNANSWERED, shownUpTo } from '../base/render.ts';
import type { AnswerBatch, CallClosing, History, WaitingSpan, WaitingChange } from '../state/state.ts';

/** A span without its ordinal. */
interface SpanDraft {
  readonly role: Span['role'];
  readonly session: SessionId;
  readonly position: Position;
  readonly group: Position;
  readonly opensTurn: boolean;
  readonly parts: readonly Part[];
}

/**
 * Adds a note or a prompt. If no request is in flight and no call is open, it is packed immediately. Otherwise it
 * waits.
 */
export function settleWaiting(history: History, kind: 'note' | 'prompt', waiting: WaitingSpan): History {
  const held: History =
    kind === 'note'
      ? { ...history, notes: [...history.notes, waiting] }
      : { ...history, prompts: [...history.prompts, waiting] };
  return releaseWaiting(held);
}

/**
 * Adds a change of the tools, the reasoning or the role. The change is packed after all earlier messages, so the
 * content already sent stays unchanged.
 */
export function settleChange(history: History, waiting: WaitingChange): History {
  return releaseWaiting({ ...history, changes: [...history.changes, waiting] });
}

/** Packs the waiting spans if no request is in flight and no call is open. */
export function releaseWaiting(history: History): History {
  if (history.batch !== undefined || history.inFlight) return history;
  return releaseChanges(releaseSaid(history));
}

function releaseChanges(history: History): History {
  if (history.changes.length === 0) return history;
  const drafts = history.changes.map(({ position, session, part }): SpanDraft => ({
    role: 'system',
    session,
    position,
    group: position,
    opensTurn: false,
    parts: [part],
  }));
  return { ...pack(history, drafts), changes: [] };
}

function releaseSaid(history: History): History {
  if (history.prompts.length === 0) return releaseUrgent(history);
  const [first] = history.prompts;
  const group = first?.position;
  if (group === undefined) return history;
  const drafts = [
    ...history.notes.map((note) => asDraft(note, group)),
    ...history.prompts.map((one) => asDraft(one, group)),
  ];
  return { ...packSaid(history, drafts), notes: [], prompts: [] };
}

/**
 * Packs messages. If the history ends with a change that has no answer, a fixed line of the assistant is packed before
 * the messages. Providers accept a change of tools or of the role only if an answer follows it. The line replaces the
 * missing answer.
 */
function packSaid(history: History, drafts: readonly SpanDraft[]): History {
  const [first] = drafts;
  if (first === undefined || !waitsForAnswer(history)) return pack(history, drafts);
  const line: SpanDraft = {
    ...first,
    role: 'assistant',
    opensTurn: false,
    parts: [{ type: 'text', text: UNANSWERED }],
  };
  return pack(history, [line, ...drafts]);
}

/**
 * Checks that the packed history ends with a change of tools or of the role, and that no answer follows it. An answer
 * with only reasoning does not count, because its reasoning is not sent.
 */
export function waitsForAnswer({ packed }: History): boolean {
  for (let index = -1; ; index -= 1) {
    const span = itemAt(packed, index);
    if (span === undefined || span.role === 'user') return false;
    if (span.parts.some((part) => part.type === 'change' && part.change !== 'reasoning')) return true;
    if (span.parts.some((part) => part.type !== 'change' && part.type !== 'reasoning')) return false;
  }
}

/** Packs the urgent notes and all notes recorded before them. Urgent notes do not wait for the next prompt. */
function releaseUrgent(history: History): History {
  const last = history.notes.findLast((note) => note.urgent);
  if (last === undefined) return history;
  const packed = history.notes.filter((note) => note.position <= last.position);
  return {
    ...packSaid(
      history,
      packed.map((note) => asDraft(note, last.position)),
    ),
    notes: history.notes.filter((note) => note.position > last.position),
  };
}

function asDraft(waiting: WaitingSpan, group: Position): SpanDraft {
  const { position, session, parts } = waiting;
  // For a provider, any user content except a result begins a turn. This is also true for a note inside a tool loop.
  return { role: 'user', session, position, group, opensTurn: true, parts };
}

/** Adds an answer. If it has no calls, it is packed immediately. Otherwise it is packed when its last call closes. */
export function settleAnswer(history: History, event: RecordedOf<'answer.received'>, session: SessionId): History {
  const calls = distinctCalls(event.data);
  const batch: AnswerBatch = { position: event.position, session, answer: event.data, calls, closed: new Map() };
  const open = { ...history, inFlight: false };
  return calls.length === 0 ? packBatch(open, batch) : { ...open, batch };
}

function distinctCalls(answer: AnswerReceived): readonly CallPart[] {
  const calls = new Map<string, CallPart>();
  for (const part of answer.parts) if (part.type === 'call' && !calls.has(part.call)) calls.set(part.call, part);
  return [...calls.values()];
}

/**
 * Adds an answer that was cut. If the user or a limit cut it, its complete text parts and a fixed closing line are
 * packed. If the transport cut it, nothing is packed.
 */
export function settleInterrupted(
  history: History,
  event: RecordedOf<'answer.interrupted'>,
  session: SessionId,
): History {
  const open = { ...history, inFlight: false };
  const texts = event.data.by === 'transport' ? [] : completeTexts(event.data);
  if (texts.length === 0) return releaseWaiting(open);
  const parts: readonly TextPart[] = [...texts, { type: 'text', text: cutLine(event.data) }];
  const { position } = event;
  const draft: SpanDraft = { role: 'assistant', session, position, group: position, opensTurn: false, parts };
  return releaseWaiting(pack(open, [draft]));
}

function completeTexts(data: AnswerInterrupted): readonly TextPart[] {
  return data.parts.filter((part): part is TextPart => part.type === 'text' && !isBlank(part.text));
}

/**
 * Closes an open call of the batch. Only the first closing event of a call is used. When the last open call closes, the
 * batch is packed.
 */
export function settleClosing(history: History, batch: AnswerBatch, call: string, closing: CallClosing): History {
  const next: AnswerBatch = { ...batch, closed: new Map(batch.closed).set(call, closing) };
  const done = next.closed.size === next.calls.length;
  return done ? packBatch({ ...history, batch: undefined }, next) : { ...history, batch: next };
}

/** Checks that a call of this answer waits for its closing event. */
export function isOpenCall(batch: AnswerBatch | undefined, call: string): boolean {
  return batch !== undefined && batch.calls.some((one) => one.call === call) && !batch.closed.has(call);
}

function packBatch(history: History, batch: AnswerBatch): History {
  const ids = wireIds(ownCalls(history), batch);
  const packed = pack(history, [answerDraft(batch, ids), ...resultDrafts(batch, ids)]);
  // A call that was cut is not packed, so another call can use its id. An id is therefore only recorded together with a
  // packed span. `ownCalls` relies on this.
  for (const [call, id] of ids)
    if (batch.closed.get(call)?.cut !== true) useIds(packed.calls, [call, id], batch.position);
  return releaseWaiting(packed);
}

function useIds(calls: Map<string, number>, ids: readonly string[], position: Position): void {
  for (const id of ids) if (!calls.has(id)) calls.set(id, position);
}

/**
 * Returns the call ids of this history. Like the list of spans, the map is shared with the later states of the same
 * history. If the fold continues from an older state, that state gets a copy with only its own ids.
 */
export function ownCalls({ calls, packed }: History): Map<string, number> {
  if (packed.buffer.length === packed.length) return calls;
  const last = slice(packed).findLast((span) => span.role === 'assistant')?.group ?? -1;
  return new Map([...calls].filter(([, usedAt]) => usedAt <= last));
}

/**
 * Returns the id to send for each call of an answer. Some providers start the numbers of calls again in each answer, so
 * ids repeat. A repeated id is replaced by an id that no other call uses, as its own id or as a replacement.
 */
function wireIds(used: ReadonlyMap<string, number>, { calls, position }: AnswerBatch): ReadonlyMap<string, string> {
  const isUsed = (id: string): boolean => (used.get(id) ?? Infinity) < position;
  const taken = new Set(calls.map(({ call }) => call).filter((call) => !isUsed(call)));
  return new Map(
    calls.map(({ call }) => {
      if (taken.has(call)) return [call, call];
      let id = `${call}_${position}`;
      while (isUsed(id) || taken.has(id)) id += '_';
      taken.add(id);
      return [call, id];
    }),
  );
}

function answerDraft(batch: AnswerBatch, ids: ReadonlyMap<string, string>): SpanDraft {
  const { position, session, answer } = batch;
  const parts: Part[] = [];
  const seen = new Set<string>();
  // A provider may bind reasoning to all content before it and to the item directly after it. If some content before
  // the reasoning is omitted or renamed, the reasoning is marked `displaced`.
  let displaced = false;
  for (const part of answer.parts) {
    if (part.type === 'reasoning') {
      parts.push({ ...part, provider: answer.provider, model: answer.model, ...(displaced ? { displaced } : {}) });
      continue;
    }
    const sentPart = keptPart(part, batch, ids, seen);
    if (sentPart !== part) {
      displaced = true;
      tearEnd(parts);
    }
    if (sentPart !== undefined) parts.push(sentPart);
  }
  return { role: 'assistant', session, position, group: position, opensTurn: false, parts };
}

type SaidPart = Exclude<AnswerPart, { readonly type: 'reasoning' }>;

/** Returns the part unchanged, or the same call with another id. Returns `undefined` for an omitted part. */
function keptPart(
  part: SaidPart,
  { closed }: AnswerBatch,
  ids: ReadonlyMap<string, string>,
  seen: Set<string>,
): Part | undefined {
  if (part.type !== 'call') return isBlankText(part) ? undefined : part;
  if (seen.has(part.call) || closed.get(part.call)?.cut === true) return undefined;
  seen.add(part.call);
  const id = ids.get(part.call) ?? part.call;
  return id === part.call ? part : { ...part, call: id };
}

/**
 * Marks the reasoning at the end of the list as `torn`, because the part that originally followed it is missing or
 * renamed.
 */
function tearEnd(parts: Part[]): void {
  for (let index = parts.length - 1; index >= 0; index -= 1) {
    const part = parts[index];
    if (part?.type !== 'reasoning') return;
    parts[index] = { ...part, torn: true };
  }
}

function isBlankText(part: Part): boolean {
  return part.type === 'text' && isBlank(part.text);
}

function resultDrafts(batch: AnswerBatch, ids: ReadonlyMap<string, string>): readonly SpanDraft[] {
  const drafts: SpanDraft[] = [];
  for (const call of batch.calls) {
    const closing = batch.closed.get(call.call);
    if (closing === undefined || closing.cut) continue;
    const result: ResultPart = {
      type: 'result',
      call: ids.get(call.call) ?? call.call,
      error: closing.error,
      content: closing.content,
    };
    const { position } = closing;
    drafts.push({
      role: 'user',
      session: batch.session,
      position,
      group: batch.position,
      opensTurn: false,
      parts: [result],
    });
  }
  return drafts;
}

/**
 * Adds spans to the packed history. Blank text is omitted. A span that has no part without the blank text is omitted
 * too. Providers refuse both.
 */
function pack(history: History, drafts: readonly SpanDraft[]): History {
  const spans: Span[] = [];
  for (const { role, session, position, group, opensTurn, parts: all } of drafts) {
    const parts = all.filter((part) => !isBlankText(part));
    if (parts.length === 0) continue;
    const origin = { from: 'event', session, position } as const;
    const ordinal = history.settled + spans.length;
    spans.push({ role, stability: 'session', origin, ordinal, group, opensTurn, parts });
  }
  const calls = ownCalls(history);
  return { ...history, packed: appendAll(history.packed, spans), settled: history.settled + spans.length, calls };
}

function isChange({ parts }: Span): boolean {
  return parts.some((part) => part.type === 'change');
}

/** Returns the packed history without the appended changes, for an epoch whose front now contains them. */
export function foldChanges(history: History): History {
  const spans = slice(history.packed).filter((span) => !isChange(span));
  return { ...history, packed: appendOnly(spans), changes: [], calls: new Map(ownCalls(history)) };
}

/** Checkpoint at the beginning of a repacked history, and the range that it replaces. */
export interface Lead {
  readonly position: Position;
  readonly session: SessionId;
  /** End of the range. Spans before the first message that begins after this position are no longer packed. */
  readonly to: Position;
  readonly part: TextPart;
  /** Positions in the range whose spans stay packed, in their original order. */
  readonly keeps: readonly Position[];
  /** Maximum length of a result's text, in UTF-16 units. `undefined`: no limit. */
  readonly shortens: number | undefined;
}

/**
 * Returns the history that an epoch packs when it takes up a checkpoint. The history begins with the checkpoint and the
 * kept spans of its range. After them come all messages from the first message after the range. They are in settled
 * order, not in the order of positions. If a prompt was recorded while an answer was in flight, it comes after that
 * answer and stays with it.
 */
export function repack(history: History, lead: Lead): History {
  const { position, session, part, to } = lead;
  const spans = remainingSpans(slice(history.packed, history.lead), lead);
  const span: Span = {
    role: 'user',
    stability: 'session',
    origin: { from: 'event', session, position },
    ordinal: history.settled,
    group: position,
    opensTurn: true,
    parts: [part],
  };
  // Ids that are no longer packed may be used again. A session of any length therefore keeps only the ids of its packed
  // calls.
  const calls = new Map([...ownCalls(history)].filter(([, usedAt]) => usedAt > to));
  return { ...history, packed: appendOnly([span, ...spans]), lead: 1, settled: history.settled + 1, calls };
}

/**
 * Returns the spans of a tail that remain after a checkpoint. These are the spans in `keeps`, then all spans after the
 * range. If `shortens` is set, results after the range are shortened to this number of UTF-16 units.
 */
export function remainingSpans(
  tail: readonly Span[],
  { to, keeps, shortens }: Pick<Lead, 'to' | 'keeps' | 'shortens'>,
): readonly Span[] {
  const found = tail.findIndex((span) => span.group > to);
  const first = found === -1 ? tail.length : found;
  const positions = new Set<number>(keeps);
  const standing = tail
    .slice(0, first)
    .filter(({ origin }) => origin.from === 'event' && positions.has(origin.position));
  const later = tail.slice(first);
  return [...standing, ...(shortens === undefined ? later : later.map((span) => shownUpTo(span, { kept: shortens })))];
}
