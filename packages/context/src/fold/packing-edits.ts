// Edits of the packed history: changes inside an epoch, and what an epoch that opens packs in another way.

import type { EpochOpened, PrunedResult, RecordedOf, ToolRecord } from '@tidemark/log';
import type { AddedTool, CallPart, Capabilities, ChangePart, Part, ResultPart, Span, TextPart } from '@tidemark/model';
import { appendOnly, slice } from '../base/append-only.ts';
import { renderRole, shownUpTo } from '../base/render.ts';
import { ROLE } from '../front/front.ts';
import type { Epoch, History, InForce, Pruning, Quarantine, State } from '../state/state.ts';
import { ownCalls, settleChange } from './settle.ts';

/** What an epoch's own front says. */
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

/** `tools.changed`: said to the model, or kept for the next epoch. */
export function changeTools(state: State, event: RecordedOf<'tools.changed'>): State {
  const { epoch } = state;
  if (epoch === undefined) return state;
  const { inForce } = epoch;
  const { as, added, removed } = event.data;
  const tools = changedTools(inForce.tools, added, removed);
  if (as === 'queued') return withInForce(state, epoch, { ...inForce, queued: tools });
  const told = added.map(({ name, digest }): AddedTool => {
    const known = inForce.defined.get(name) === digest;
    return { name, definition: digest, ...(known ? { known } : {}) };
  });
  const defined = new Map([...inForce.defined, ...added.map(({ name, digest }) => [name, digest] as const)]);
  const changed = withInForce(state, epoch, { ...inForce, tools, defined, queued: undefined });
  return appendChange(changed, event, { type: 'change', change: 'tools', added: told, removed });
}

/** `reasoning.changed`: said to the model. What is recorded as an epoch's doing says nothing by itself. */
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

/** `role.changed`: told to the model, in the place of the text before it. */
export function changeRole(state: State, event: RecordedOf<'role.changed'>): State {
  const { epoch } = state;
  if (epoch === undefined) return state;
  const { role, text } = event.data;
  const changed = withInForce(state, epoch, { ...epoch.inForce, role });
  return appendChange(changed, event, { type: 'change', change: 'role', text: renderRole(text) });
}

/** A list of tools after a change, by name. */
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

// Edits that an epoch makes when it packs: a rejected block becomes its stub, a long result is shortened, reasoning bound to an
// edited prefix is left out. Every part keeps its place, so a later record still points to the same part.

/**
 * The history with these blocks replaced. Reasoning is bound to what came before it, so that of the answer and all older
 * one goes, and nothing stands in its place: its plain twin is in the log. A call goes with its result. What is no longer
 * packed, or was shortened away, needs no stub.
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

/** A result is the only part of its span: what is counted in it are its contents. Nothing where the place is none of them. */
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

/** Kept as a part without its seal, which no provider is sent: the parts behind it keep their numbers. */
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

/** The stub in the place of both; results must come first behind an answer, so a text among them goes behind the others. */
function withoutCall(spans: readonly Span[], span: Span, part: CallPart, text: TextPart): readonly Span[] {
  const isResult = (one: Span): boolean => one.group === span.group && one.parts[0]?.type === 'result';
  const isIts = (one: Span): boolean =>
    isResult(one) && one.parts.some((it) => it.type === 'result' && it.call === part.call);
  const its = spans.findIndex(isIts);
  const last = spans.findLastIndex(isResult);
  const told = spans.map((one) => (one === span ? { ...one, parts: replacePart(one.parts, part, text) } : one));
  const result = told[its];
  if (result === undefined) return told;
  const rest = told.toSpliced(its, 1);
  return rest.toSpliced(last, 0, { ...result, parts: [text] });
}

/** The history with the results of these batches shortened. What is no longer packed, or is no result, stays as it is. */
export function prune(history: History, prunings: readonly Pruning[]): History {
  const results = prunings.flatMap((one) => one.results);
  const kept = new Map<number, PrunedResult>(results.map((one) => [one.position, one]));
  const packed = slice(history.packed).map((span) => shortenSpan(span, kept));
  return { ...history, packed: appendOnly(packed), calls: new Map(ownCalls(history)) };
}

function shortenSpan(span: Span, kept: ReadonlyMap<number, PrunedResult>): Span {
  const shown = span.origin.from === 'event' ? kept.get(span.origin.position) : undefined;
  return shown === undefined ? span : shownUpTo(span, shown);
}

// A provider may bind reasoning to the prefix it was issued in. Where that prefix was edited since, the reasoning is left out:
// the provider would refuse the whole request (Anthropic's prefix check on preserved thinking).

/**
 * The span as the epoch may send it: on a model with the prefix check, without reasoning from before the last edit, and
 * without what stands behind something that is left out of its own answer.
 */
export function withoutBoundReasoning(span: Span, epoch: Epoch, capabilities: Capabilities): Span {
  if (!capabilities.prefixCheck || span.role !== 'assistant') return span;
  const edited = span.group <= epoch.edited;
  return {
    ...span,
    parts: span.parts.filter((part) => part.type !== 'reasoning' || !(edited || part.displaced === true)),
  };
}
