// Edits of the packed history: changes inside an epoch, and parts that a newly opened epoch packs differently.

import type { EpochOpened, PrunedResult, RecordedOf, ToolRecord } from '@tidemark/log';
import type { AddedTool, CallPart, Capabilities, ChangePart, Part, ResultPart, Span, TextPart } from '@tidemark/model';
import { appendOnly, slice } from '../base/append-only.ts';
import { renderRole, shownUpTo } from '../base/render.ts';
import { ROLE } from '../front/front.ts';
import type { Epoch, History, InForce, Pruning, Quarantine, State } from '../state/state.ts';
import { ownCalls, settleChange } from './settle.ts';

/** Returns the tools, parameters and role that apply when an epoch opens. They are those of the epoch's front. */
export function frontInForce({ tools, parameters, layers }: EpochOpened): InForce {
  return {
    tools,
    parameters,
    role: layers.find(({ name }) => name === ROLE)?.digest,
    defined: new Map(tools.map(({ name, digest }) => [name, digest])),
    queued: undefined,
    appended: false,
  };
}

/**
 * Applies `tools.changed`: appends the change for the model, or keeps the tools for the next epoch if `as` is `queued`.
 */
export function changeTools(state: State, event: RecordedOf<'tools.changed'>): State {
  const { epoch } = state;
  if (epoch === undefined) return state;
  const { inForce } = epoch;
  const { as, added, removed } = event.data;
  const tools = changedTools(inForce.tools, added, removed);
  if (as === 'queued') return withInForce(state, epoch, { ...inForce, queued: tools });
  const addedTools = added.map(({ name, digest }): AddedTool => {
    const known = inForce.defined.get(name) === digest;
    return { name, definition: digest, ...(known ? { known } : {}) };
  });
  const defined = new Map([...inForce.defined, ...added.map(({ name, digest }) => [name, digest] as const)]);
  const changed = withInForce(state, epoch, { ...inForce, tools, defined, queued: undefined });
  return appendChange(changed, event, { type: 'change', change: 'tools', added: addedTools, removed });
}

/**
 * Applies `reasoning.changed`: appends the change for the model. A change that came with a new epoch is already in the
 * front of that epoch and is not appended.
 */
export function changeReasoning(state: State, event: RecordedOf<'reasoning.changed'>): State {
  const { epoch } = state;
  const { as, parameter, setting } = event.data;
  if (epoch === undefined || as !== 'appended' || parameter === undefined) return state;
  const { inForce } = epoch;
  const parameters = { ...inForce.parameters, [parameter]: setting };
  return appendChange(withInForce(state, epoch, { ...inForce, parameters }), event, {
    type: 'change',
    change: 'reasoning',
    setting,
  });
}

/** Applies `role.changed`: appends the new role text for the model, which replaces the previous role text. */
export function changeRole(state: State, event: RecordedOf<'role.changed'>): State {
  const { epoch } = state;
  if (epoch === undefined) return state;
  const { role, text, rendering } = event.data;
  const changed = withInForce(state, epoch, { ...epoch.inForce, role });
  return appendChange(changed, event, { type: 'change', change: 'role', text: renderRole(text, rendering) });
}

function changedTools(
  tools: readonly ToolRecord[],
  added: readonly ToolRecord[],
  removed: readonly string[],
): readonly ToolRecord[] {
  const gone = new Set([...removed, ...added.map(({ name }) => name)]);
  return [...tools.filter(({ name }) => !gone.has(name)), ...added].toSorted(byName);
}

function byName(a: ToolRecord, b: ToolRecord): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

function withInForce(state: State, epoch: Epoch, inForce: InForce): State {
  return { ...state, epoch: { ...epoch, inForce } };
}

function appendChange(
  state: State,
  { position }: RecordedOf<'tools.changed' | 'reasoning.changed' | 'role.changed'>,
  part: ChangePart,
): State {
  if (state.session === undefined || state.epoch === undefined) return state;
  const { epoch } = state;
  const appended = withInForce(state, epoch, { ...epoch.inForce, appended: true });
  return { ...appended, history: settleChange(state.history, { position, session: state.session, part }) };
}

// Edits that an epoch makes to the packed history: a rejected block becomes its stub, and a long result is shortened.
// Reasoning that is bound to an edited prefix is omitted. Every part keeps its index, so a later record still refers to
// the same part.

/**
 * Returns the history with the blocks in `quarantines` replaced by their stubs. A block that is no longer packed, or
 * that was cut off a shortened result, needs no stub.
 *
 * - Reasoning is bound to the content before it. Rejected reasoning is therefore removed together with all older
 *   reasoning, without a stub, because its plain twin is in the log.
 * - A call is replaced together with its result.
 */
export function quarantine(history: History, quarantines: readonly Quarantine[]): History {
  const packed = quarantines.reduce(withStub, slice(history.packed));
  return { ...history, packed: appendOnly(packed), calls: new Map(ownCalls(history)) };
}

function withStub(spans: readonly Span[], { origin, stub }: Quarantine): readonly Span[] {
  const index = spans.findIndex((span) => span.origin.from === 'event' && span.origin.position === origin.position);
  const span = spans[index];
  const part = span && rejectedPart(span, origin.part);
  if (span === undefined || part === undefined) return spans;
  const text: TextPart = { type: 'text', text: stub };
  if (part.type === 'reasoning') return [...spans.slice(0, index + 1).map(withoutReasoning), ...spans.slice(index + 1)];
  if (part.type === 'call') return withoutCall(spans, span, part, text);
  const parts = part.type === 'result' ? inResult(span, part, origin.part, text) : replacePart(span.parts, part, text);
  return spans.toSpliced(index, 1, { ...span, parts });
}

/**
 * Returns the part at index `place` of a span. If the span is a result, `place` is an index in the result's content. In
 * this case, the whole result is returned. Returns `undefined` if the index does not exist.
 */
function rejectedPart({ parts }: Span, place: number): Part | undefined {
  const [first] = parts;
  if (first?.type !== 'result') return parts[place];
  return first.content[place] === undefined ? undefined : first;
}

function inResult({ parts }: Span, part: ResultPart, place: number, text: TextPart): readonly Part[] {
  return replacePart(parts, part, { ...part, content: part.content.with(place, text) });
}

function replacePart(parts: readonly Part[], part: Part, by: Part): readonly Part[] {
  return parts.with(parts.indexOf(part), by);
}

/**
 * Removes the opaque item of the reasoning parts. A reasoning part without its opaque item is never sent. The part
 * stays in the list, so the indexes of later parts do not change.
 */
function withoutReasoning(span: Span): Span {
  if (!span.parts.some(({ type }) => type === 'reasoning')) return span;
  return {
    ...span,
    parts: span.parts.map((part) => {
      if (part.type !== 'reasoning') return part;
      const { opaque: _sealed, ...twin } = part;
      return twin;
    }),
  };
}

/**
 * Replaces a call and its result by the stub. After an answer, results must come first. The stub of the result is text,
 * so it moves after the other results.
 */
function withoutCall(spans: readonly Span[], span: Span, part: CallPart, text: TextPart): readonly Span[] {
  const isResult = (one: Span): boolean => one.group === span.group && one.parts[0]?.type === 'result';
  const isIts = (one: Span): boolean =>
    isResult(one) && one.parts.some((it) => it.type === 'result' && it.call === part.call);
  const its = spans.findIndex(isIts);
  const last = spans.findLastIndex(isResult);
  const edited = spans.map((one) => (one === span ? { ...one, parts: replacePart(one.parts, part, text) } : one));
  const result = edited[its];
  if (result === undefined) return edited;
  const rest = edited.toSpliced(its, 1);
  return rest.toSpliced(last, 0, { ...result, parts: [text] });
}

/**
 * Returns the history. The results that the prunings name are shortened. If a named record is no longer packed or is
 * not a result, nothing changes.
 */
export function prune(history: History, prunings: readonly Pruning[]): History {
  const results = prunings.flatMap((one) => one.results);
  const resultsByPosition = new Map<number, PrunedResult>(results.map((one) => [one.position, one]));
  const packed = slice(history.packed).map((span) => shortenSpan(span, resultsByPosition));
  return { ...history, packed: appendOnly(packed), calls: new Map(ownCalls(history)) };
}

function shortenSpan(span: Span, byPosition: ReadonlyMap<number, PrunedResult>): Span {
  const shown = span.origin.from === 'event' ? byPosition.get(span.origin.position) : undefined;
  return shown === undefined ? span : shownUpTo(span, shown);
}

/**
 * Returns the span as the epoch may send it. For a model with the prefix check, two kinds of reasoning are omitted:
 * reasoning from before the last edit, and reasoning that follows an omitted part of its own answer. Such a model
 * accepts reasoning only after the same prefix as before. Otherwise it refuses the whole request (Anthropic's prefix
 * check on preserved thinking).
 */
export function withoutBoundReasoning(span: Span, epoch: Epoch, capabilities: Capabilities): Span {
  if (!capabilities.prefixCheck || span.role !== 'assistant') return span;
  const edited = span.group <= epoch.edited;
  return {
    ...span,
    parts: span.parts.filter((part) => part.type !== 'reasoning' || !(edited || part.displaced === true)),
  };
}
