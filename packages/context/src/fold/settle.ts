// Settled order: where a recorded fact is packed. While an answer is on its way or its calls are open, everything else
// waits; then come results in call order, notes, prompts. It never depends on anything after the closing event (L3).

import type { AnswerInterrupted, AnswerPart, AnswerReceived, Position, RecordedOf, SessionId } from '@tidemark/log';
import type { CallPart, Part, ResultPart, Span, TextPart } from '@tidemark/model';
import { isBlank } from '@tidemark/model';
import { appendAll, appendOnly, itemAt, slice } from '../base/append-only.ts';
import { INTERRUPTED, UNANSWERED, shownUpTo } from '../base/render.ts';
import type { AnswerBatch, CallClosing, History, WaitingSpan, WaitingChange } from '../state/state.ts';

/** What a span is made from, before it has its ordinal. */
interface SpanDraft {
  readonly role: Span['role'];
  readonly session: SessionId;
  readonly position: Position;
  readonly group: Position;
  readonly opensTurn: boolean;
  readonly parts: readonly Part[];
}

/** A note or a prompt: at its place if nothing is open, else recorded now and packed later. */
export function settleWaiting(history: History, kind: 'note' | 'prompt', waiting: WaitingSpan): History {
  const held: History =
    kind === 'note'
      ? { ...history, notes: [...history.notes, waiting] }
      : { ...history, prompts: [...history.prompts, waiting] };
  return releaseWaiting(held);
}

/** A change of what the front says: behind all that was said before it, so that what was sent stays as it is. */
export function settleChange(history: History, waiting: WaitingChange): History {
  return releaseWaiting({ ...history, changes: [...history.changes, waiting] });
}

/** Packs what waits, if nothing is open. */
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

/** A provider takes a change of tools or of the role only where an answer follows: where none came, a line says so in its place. */
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

/** Whether what is packed ends with a change of tools or of the role. An answer that only reasoned is none: nothing of it is sent. */
export function waitsForAnswer({ packed }: History): boolean {
  for (let index = -1; ; index -= 1) {
    const span = itemAt(packed, index);
    if (span === undefined || span.role === 'user') return false;
    if (span.parts.some((part) => part.type === 'change' && part.change !== 'reasoning')) return true;
    if (span.parts.some((part) => part.type !== 'change' && part.type !== 'reasoning')) return false;
  }
}

/** An urgent note does not wait for the next prompt, and takes with it the notes recorded before. */
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
  // To a provider, all user content that is no result begins a turn: a note in a tool loop too.
  return { role: 'user', session, position, group, opensTurn: true, parts };
}

/** An answer arrived: packed at once when it made no calls, else when the last of them closes. */
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

/** An answer that was cut. By the user: its whole text parts and a fixed closing line. By transport: nothing. */
export function settleInterrupted(
  history: History,
  event: RecordedOf<'answer.interrupted'>,
  session: SessionId,
): History {
  const open = { ...history, inFlight: false };
  const said = event.data.by === 'user' ? saidText(event.data) : [];
  if (said.length === 0) return releaseWaiting(open);
  const parts: readonly TextPart[] = [...said, { type: 'text', text: INTERRUPTED }];
  const { position } = event;
  const draft: SpanDraft = { role: 'assistant', session, position, group: position, opensTurn: false, parts };
  return releaseWaiting(pack(open, [draft]));
}

function saidText(data: AnswerInterrupted): readonly TextPart[] {
  return data.parts.filter((part): part is TextPart => part.type === 'text' && !isBlank(part.text));
}

/** An open call of the batch was closed: by its first closing event. Packs the batch when it was the last. */
export function settleClosing(history: History, batch: AnswerBatch, call: string, closing: CallClosing): History {
  const next: AnswerBatch = { ...batch, closed: new Map(batch.closed).set(call, closing) };
  const done = next.closed.size === next.calls.length;
  return done ? packBatch({ ...history, batch: undefined }, next) : { ...history, batch: next };
}

/** Whether a call of this answer waits for its closing event. */
export function isOpenCall(batch: AnswerBatch | undefined, call: string): boolean {
  return batch !== undefined && batch.calls.some((one) => one.call === call) && !batch.closed.has(call);
}

function packBatch(history: History, batch: AnswerBatch): History {
  const ids = wireIds(ownCalls(history), batch);
  const packed = pack(history, [answerDraft(batch, ids), ...resultDrafts(batch, ids)]);
  // A call that was cut is not packed, so its id is free: what shares the calls has then always packed something too.
  for (const [call, id] of ids)
    if (batch.closed.get(call)?.cut !== true) useIds(packed.calls, [call, id], batch.position);
  return releaseWaiting(packed);
}

function useIds(calls: Map<string, number>, ids: readonly string[], position: Position): void {
  for (const id of ids) if (!calls.has(id)) calls.set(id, position);
}

/**
 * The call ids of this history alone. Like its list they are shared with the states that it grew into; where it grows
 * another way, it goes on with those that it holds itself.
 */
export function ownCalls({ calls, packed }: History): Map<string, number> {
  if (packed.buffer.length === packed.length) return calls;
  const last = slice(packed).findLast((span) => span.role === 'assistant')?.group ?? -1;
  return new Map([...calls].filter(([, usedAt]) => usedAt <= last));
}

/**
 * A provider that numbers its calls anew in each answer would repeat an id: the later one is told apart, by a name that no
 * call has or was given.
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
  // A provider may bind reasoning to all that came before it, and to the item behind it: where some of that is left out or
  // goes by another id, the reasoning says so.
  let displaced = false;
  for (const part of answer.parts) {
    if (part.type === 'reasoning') {
      parts.push({ ...part, provider: answer.provider, model: answer.model, ...(displaced ? { displaced } : {}) });
      continue;
    }
    const kept = keptPart(part, batch, ids, seen);
    if (kept !== part) {
      displaced = true;
      tearEnd(parts);
    }
    if (kept !== undefined) parts.push(kept);
  }
  return { role: 'assistant', session, position, group: position, opensTurn: false, parts };
}

type SaidPart = Exclude<AnswerPart, { readonly type: 'reasoning' }>;

/** The part itself, or the same call by another id; `undefined` for what is left out. */
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

/** Marks the reasoning that stands last: what follows it is not what came behind it. */
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

/** Blank text is left out, and so is what then holds nothing: providers refuse both. */
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

/** What an epoch packs whose front says what was appended before: all but the changes. */
export function foldChanges(history: History): History {
  const kept = slice(history.packed).filter((span) => !isChange(span));
  return { ...history, packed: appendOnly(kept), changes: [], calls: new Map(ownCalls(history)) };
}

/** What a repacking puts first, and up to where it stands for what was packed. */
export interface Lead {
  readonly position: Position;
  readonly session: SessionId;
  /** What stands before the first message that begins behind this position is no longer packed. */
  readonly to: Position;
  readonly part: TextPart;
  /** What stands before that and stays all the same, each at its old place. */
  readonly keeps: readonly Position[];
  /** Most UTF-16 units of the text of a result; absent is no bound. */
  readonly shortens: number | undefined;
}

/**
 * What an epoch packs when it takes up a checkpoint: the checkpoint, what of its range stays as it was said, then every
 * message from the first one behind its range on. Settled order decides, not position: a prompt recorded while an answer was
 * on its way stands behind that answer, and stays with it.
 */
export function repack(history: History, lead: Lead): History {
  const { position, session, part, to } = lead;
  const kept = keptBehind(slice(history.packed, history.lead), lead);
  const span: Span = {
    role: 'user',
    stability: 'session',
    origin: { from: 'event', session, position },
    ordinal: history.settled,
    group: position,
    opensTurn: true,
    parts: [part],
  };
  // Ids that are no longer packed may be used again, and a session of any length holds only those it packs.
  const calls = new Map([...ownCalls(history)].filter(([, usedAt]) => usedAt > to));
  return { ...history, packed: appendOnly([span, ...kept]), lead: 1, settled: history.settled + 1, calls };
}

/** What of a tail a checkpoint leaves standing. */
export function keptBehind(
  tail: readonly Span[],
  { to, keeps, shortens }: Pick<Lead, 'to' | 'keeps' | 'shortens'>,
): readonly Span[] {
  const found = tail.findIndex((span) => span.group > to);
  const first = found === -1 ? tail.length : found;
  const said = new Set<number>(keeps);
  const standing = tail.slice(0, first).filter(({ origin }) => origin.from === 'event' && said.has(origin.position));
  const behind = tail.slice(first);
  return [
    ...standing,
    ...(shortens === undefined ? behind : behind.map((span) => shownUpTo(span, { kept: shortens }))),
  ];
}
