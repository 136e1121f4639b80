// Old tool results that may be shortened: all but the latest, what the model has not read yet, and bodies of skills.

import type { Position } from '@tidemark/log';
import { position } from '@tidemark/log';
import type { ResultPart, Span } from '@tidemark/model';
import { slice } from './append-only.ts';
import { partTokens } from './part-tokens.ts';
import { renderPruned, textOfResult } from './render-pruned.ts';
import type { State } from './state.ts';

/** A result that may be shortened. Tokens are estimates. */
export interface Prunable {
  /** Of the record that holds it. */
  readonly position: Position;
  /** By the id that the provider is sent. */
  readonly call: string;
  /** UTF-16 units of its text that would still be shown. */
  readonly kept: number;
  readonly freed: number;
  /** All that was sent from its beginning on, itself included. */
  readonly behind: number;
}

/** All of them, the oldest first; and what of the history was sent. */
export interface Prunables {
  readonly results: readonly Prunable[];
  readonly sent: number;
}

/** Results that stay whole: the latest. */
const WHOLE = 6;
/** A text that stays whole, and what is still shown of a longer one, in UTF-16 units. */
const LONG = 1_200;
const PREVIEW = 500;

const GRAPHEMES = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** Finds them. What was found once of a span is kept with it, so that a step costs what is new, and a walk over the spans. */
export function prunableResults(state: State): Prunables {
  const { history, streams, skillCalls } = state;
  const spans = slice(history.packed);
  const held = streams['main']?.accepted?.spans ?? 0;
  const old = new Set(spans.filter((span) => resultOf(span) !== undefined).slice(0, -WHOLE));
  const recorded = new Set(state.prunings.flatMap((one) => one.results.map(({ position: at }) => at)));
  const dropped = droppedUpTo(state);
  const results: Prunable[] = [];
  let behind = 0;
  for (const span of spans.toReversed()) {
    if (span.ordinal >= held || span.group <= dropped) continue;
    behind += tokensOf(span);
    const call = old.has(span) ? resultOf(span)?.call : undefined;
    const cut = call === undefined || isSkill(call, skillCalls) ? undefined : cutOf(span);
    if (call !== undefined && cut !== undefined && !recorded.has(cut.position)) results.push({ ...cut, call, behind });
  }
  return { results: results.toReversed(), sent: behind };
}

/** Up to where the next epoch drops what is packed. */
function droppedUpTo({ compacted, epoch }: State): number {
  return compacted === undefined || compacted.position === epoch?.opened.checkpoint ? -1 : compacted.data.range.to;
}

function resultOf({ parts: [part] }: Span): ResultPart | undefined {
  return part?.type === 'result' ? part : undefined;
}

/** An id that was used before is sent under a name that begins with it. */
function isSkill(call: string, skills: ReadonlySet<string>): boolean {
  return skills.has(call) || [...skills].some((id) => call.startsWith(`${id}_`));
}

// A span never changes, so that it is measured once.
const weighed = new WeakMap<Span, number>();
const cuts = new WeakMap<Span, Cut | 'whole'>();

type Cut = Pick<Prunable, 'position' | 'kept' | 'freed'>;

function tokensOf(span: Span): number {
  const known = weighed.get(span) ?? span.parts.reduce((sum, part) => sum + partTokens(part), 0);
  weighed.set(span, known);
  return known;
}

function cutOf(span: Span): Cut | undefined {
  const known = cuts.get(span) ?? findCut(span) ?? 'whole';
  cuts.set(span, known);
  return known === 'whole' ? undefined : known;
}

/** How the result is cut; `undefined` where it is short, or nothing would be gained. */
function findCut(span: Span): Cut | undefined {
  const result = resultOf(span);
  if (result === undefined || span.origin.from !== 'event') return undefined;
  const text = textOfResult(result.content);
  if (text.length <= LONG && result.content.every(({ type }) => type === 'text')) return undefined;
  const kept = text.length <= PREVIEW ? text.length : (GRAPHEMES.segment(text).containing(PREVIEW)?.index ?? PREVIEW);
  const shown = renderPruned(result.content, kept, span.origin.position);
  const freed = tokensOf(span) - partTokens(shown);
  return freed > 0 ? { position: position(span.origin.position), kept, freed } : undefined;
}
