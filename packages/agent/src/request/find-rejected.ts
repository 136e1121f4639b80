// From what a provider says that it refuses to the parts of the packed history that it means (L4): a place in the body is a
// block, a block a part of a span, a span an event.

import type { State } from '@tidemark/context';
import { itemAt, slice, withoutBoundReasoning } from '@tidemark/context';
import type { Block, CallPart, ImagePart, Part, RefusedPlace, Span } from '@tidemark/model';
import { isBlank } from '@tidemark/model';
import type { PromptStream } from './prompt-stream.ts';

/** A part of what is packed, as `block.quarantined` names it. */
export interface Packed {
  readonly position: number;
  /** Index among the parts of its span; of a result, among its contents. */
  readonly place: number;
  readonly part: Part;
  /** Whether a request that was accepted held it. */
  readonly accepted: boolean;
}

/** A request as it was made. */
export interface MadeRequest {
  readonly state: State;
  readonly line: PromptStream;
}

/** The images that the request holds, in order. */
export function imagesOf(made: MadeRequest): readonly (Packed & { readonly part: ImagePart })[] {
  const { blocks } = made.line.sequence;
  return slice(blocks).flatMap((block, index) => (block.mediaBytes === 0 ? [] : partsOf(made, index).filter(isImage)));
}

/** What stands at the place: of a call that is named, the call itself. Nothing where the place is none. */
export function rejectedAt(made: MadeRequest, place: RefusedPlace): readonly Packed[] {
  const blocks = slice(made.line.sequence.blocks);
  const named = place.call === undefined ? located(made, place, blocks) : ofCall(place.call, blocks);
  const parts = named.flatMap((index) => partsOf(made, index, place.inner));
  if (place.holds === 'call') return parts.flatMap((part) => callOf(made, part) ?? []);
  if (place.holds === 'thinking') return parts.filter(({ part }) => part.type === 'reasoning');
  return place.holds === 'image' ? parts.filter(isImage) : parts.filter(({ part }) => part.type !== 'result');
}

/** The last reasoning that the request holds. */
export function lastReasoning(made: MadeRequest): readonly Packed[] {
  const index = slice(made.line.sequence.blocks).findLastIndex(({ holds }) => holds === 'thinking');
  return index === -1 ? [] : partsOf(made, index);
}

function located({ line }: MadeRequest, place: RefusedPlace, blocks: readonly Block[]): readonly number[] {
  return place.message === undefined ? [] : (line.materials.encoder.locate?.(place, blocks) ?? []);
}

function ofCall(id: string, blocks: readonly Block[]): readonly number[] {
  const named = blocks.findIndex(
    ({ holds, head }) => (holds === 'call' || holds === 'result') && head.includes(`"${id}"`),
  );
  return named === -1 ? [] : [named];
}

/** The part that a block was made from; of a result its contents, or the one that is named. */
function partsOf(made: MadeRequest, index: number, inner?: number): readonly Packed[] {
  const { state, line } = made;
  const block = itemAt(line.sequence.blocks, index);
  const ordinal = itemAt(line.ordinals, index);
  const span = slice(state.history.packed).find((one) => one.ordinal === ordinal);
  if (block?.part === undefined || span?.origin.from !== 'event') return [];
  const { position } = span.origin;
  const accepted = span.ordinal < (state.streams['main']?.accepted?.spans ?? 0);
  const { epoch, capabilities } = line.materials;
  const part = withoutBoundReasoning(span, epoch, capabilities).parts[block.part];
  if (part === undefined) return [];
  if (part.type !== 'result') return [{ position, place: span.parts.indexOf(part), part, accepted }];
  const contents = part.content.map((one, place): Packed => ({ position, place, part: one, accepted }));
  // A blank text is left out on the wire.
  const sent = contents.filter((one) => one.part.type !== 'text' || !isBlank(one.part.text));
  const one = inner === undefined ? undefined : sent[inner];
  return one === undefined ? [{ position, place: 0, part, accepted }, ...contents] : [one];
}

function isImage(one: Packed): one is Packed & { readonly part: ImagePart } {
  return one.part.type === 'image';
}

/** The call itself, of a call or of its result. */
function callOf({ state }: MadeRequest, { part, ...one }: Packed): Packed | undefined {
  if (part.type === 'call') return { part, ...one };
  if (part.type !== 'result') return undefined;
  for (const span of slice(state.history.packed)) {
    const place = span.parts.findIndex(isCallOf(part.call));
    const call = span.parts[place];
    if (call !== undefined && span.origin.from === 'event')
      return { position: span.origin.position, place, part: call, accepted: one.accepted };
  }
  return undefined;
}

function isCallOf(id: string): (part: Span['parts'][number]) => part is CallPart {
  return (part): part is CallPart => part.type === 'call' && part.call === id;
}
