// Parts of the next request with their sizes, for reports. The sizes are on the model's scale, as in the forecast.

import type { Part, Role, Span } from '@tidemark/model';
import { slice } from '../base/append-only.ts';
import { sizeOfParts } from '../base/estimate.ts';
import { placeOf, scalingOf } from '../fold/model-tokens.ts';
import type { Scaling } from '../state/scales.ts';
import { scaleOfText } from '../state/scales.ts';
import type { State } from '../state/state.ts';

/** One part of the next request. */
export type WindowPart = FrontPart | HistoryPart;

/** A system text, or all tool definitions of the front together. */
export interface FrontPart {
  readonly from: 'system' | 'tools';
  /** Name of the layer; `tools` for the definitions. */
  readonly name: string;
  readonly tokens: number;
}

/** A part of a span of the history, or a part that waits to be packed. */
export interface HistoryPart {
  readonly from: 'history';
  readonly role: Role;
  readonly type: Part['type'];
  /** Position of the record that the part comes from. */
  readonly position: number;
  /** Ordinal of its span. Absent for a part that waits to be packed. */
  readonly ordinal?: number;
  /** Name of the tool of a call. */
  readonly tool?: string;
  /** Id of a call in the form that is sent. */
  readonly call?: string;
  readonly tokens: number;
}

/** Returns the parts of the next request in the order in which they are sent, the front first. */
export function windowParts(state: State): readonly WindowPart[] {
  const { epoch, history } = state;
  const scaling = scalingOf(state);
  const inFront = scaleOfText(scaling, -1);
  const { layers = [], toolSize } = epoch?.opened ?? {};
  const front = layers.map(({ name, tokens, sized }): FrontPart => ({
    from: 'system',
    name,
    tokens: sized === 'recorded' ? tokens : tokens * inFront,
  }));
  const tools: FrontPart = { from: 'tools', name: 'tools', tokens: (toolSize?.tokens ?? 0) * inFront };
  return [tools, ...front, ...slice(history.packed).flatMap((span) => partsOfSpan(scaling, span)), ...waiting(state)];
}

function partsOfSpan(scaling: Scaling, span: Span): readonly HistoryPart[] {
  const scale = scaleOfText(scaling, span.ordinal);
  const { role, ordinal } = span;
  return span.parts.map((part) => historyPart(part, { role, ordinal, position: placeOf(span) }, scale));
}

function historyPart(
  part: Part,
  place: Pick<HistoryPart, 'role' | 'position' | 'ordinal'>,
  scale: number,
): HistoryPart {
  const hasImage =
    part.type === 'image' || (part.type === 'result' && part.content.some(({ type }) => type === 'image'));
  const tokens = sizeOfParts([part]).tokens * (hasImage ? 1 : scale);
  const { type } = part;
  const of = { from: 'history', ...place, type, tokens } as const;
  if (part.type === 'call') return { ...of, tool: part.name, call: part.call };
  return part.type === 'result' ? { ...of, call: part.call } : of;
}

/** Returns the parts that wait to be packed: an answer with open calls, and notes and prompts after it. */
function waiting(state: State): readonly HistoryPart[] {
  const { batch, notes, prompts } = state.history;
  const scale = scaleOfText(scalingOf(state), undefined);
  const of = (role: Role, position: number, parts: readonly Part[]): readonly HistoryPart[] =>
    parts.map((part) => historyPart(part, { role, position }, scale));
  const open = batch?.calls.flatMap((part) => of('assistant', batch.position, [part])) ?? [];
  const closed = [...(batch?.closed ?? [])].flatMap(([call, { position, content, error }]) =>
    of('user', position, [{ type: 'result', call, error, content }]),
  );
  return [...open, ...closed, ...[...notes, ...prompts].flatMap(({ position, parts }) => of('user', position, parts))];
}
