// Chooses the blocks to quarantine after a provider refuses the content of a request, and the stubs that replace them.
// The number of repairs is limited: no block is quarantined twice, and each further refusal quarantines more blocks,
// until no block is left.

import type { State } from '@tidemark/context';
import { itemAt, slice, withoutBoundReasoning } from '@tidemark/context';
import type { BlockQuarantined } from '@tidemark/log';
import { position } from '@tidemark/log';
import type { Block, CallPart, ImagePart, Part, ProviderError, RefusedPlace, Span } from '@tidemark/model';
import { isBlank } from '@tidemark/model';
import type { PromptStream } from '../request/prompt-stream.ts';

interface RefusedRequest extends MadeRequest {
  /** Size of the request body in bytes. */
  readonly bytes: number;
  readonly error: ProviderError;
  /** Number of earlier repairs of this step. */
  readonly repairs: number;
}

const MAX_REPAIRS = 8;

/**
 * Thresholds for the number of earlier repairs. From `UNSENT_FROM` on, all images that no accepted request contained
 * are quarantined. From `ALL_FROM` on, all images are quarantined.
 */
const UNSENT_FROM = 2;
const ALL_FROM = 3;

/**
 * Returns the blocks to quarantine before the same step is sent again. The list is empty if nothing would help or if
 * everything was tried.
 */
export function quarantinesFor(refused: RefusedRequest): readonly BlockQuarantined[] {
  const { error, repairs, state } = refused;
  if (repairs >= MAX_REPAIRS) return [];
  const rejected = error.code === 'provider/too-large' ? tooManyBytes(refused) : pointedAt(refused);
  const held = new Set(state.quarantines.map(({ origin }) => nameOf(origin.position, origin.part)));
  const fresh = rejected.filter(({ position: at, place }) => !held.has(nameOf(at, place)));
  const once = new Map(fresh.map((one) => [nameOf(one.position, one.place), one]));
  return [...once.values()].map((one) => ({
    origin: { position: position(one.position), part: one.place },
    reason: error.message,
    stub: stubOf(one),
  }));
}

function nameOf(at: number, place: number): string {
  return `${at} ${place}`;
}

/**
 * Returns the blocks that the refusal names. A refusal of images may name no image. Then returns the images that are
 * new since the last accepted request, or all images if no image is new. If a refusal of reasoning names no block,
 * returns the last reasoning block.
 */
function pointedAt(refused: RefusedRequest): readonly Packed[] {
  const { refused: place } = refused.error.data;
  if (place === undefined) return [];
  const named = rejectedAt(refused, place);
  if (place.holds === 'thinking') return named.length > 0 ? named : lastReasoning(refused);
  if (place.holds !== 'image') return named;
  const images = imagesOf(refused);
  const unsent = images.filter(({ accepted }) => !accepted);
  if (refused.repairs >= ALL_FROM) return images;
  if (refused.repairs >= UNSENT_FROM) return [...named, ...unsent];
  return named.length > 0 ? named : unsent.length > 0 ? unsent : images;
}

/**
 * Returns the older half of the images. Adds more images until the body is below half of the byte limit, so that the
 * next image does not cause another refusal. The newest image is added only if the others are not enough. A body that
 * is too large without images needs a compaction.
 */
function tooManyBytes(refused: RefusedRequest): readonly Packed[] {
  const images = imagesOf(refused);
  const limit = Math.min(refused.promptStream.materials.capabilities.requestBytes ?? Infinity, refused.bytes);
  const all = sum(images.map(onWire));
  const least = Math.max(all / 2, refused.bytes - limit / 2);
  const aside: Packed[] = [];
  let freed = 0;
  for (const image of images.slice(0, -1)) {
    if (freed >= least) break;
    aside.push(image);
    freed += onWire(image);
  }
  const newest = images.at(-1);
  const fits = refused.bytes - freed < limit && aside.length > 0;
  return fits || newest === undefined ? aside : [...aside, newest];
}

/** Returns the size of the image in base64, in bytes. */
function onWire({ part }: { readonly part: ImagePart }): number {
  return Math.ceil(part.bytes / 3) * 4;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

/**
 * Returns the text that replaces the part, or an empty text for reasoning. The text names the omitted part and the
 * event that contains it (L6). See `quarantine` of the package `context`.
 */
function stubOf({ part, position: at }: Packed): string {
  switch (part.type) {
    case 'reasoning':
      return '';
    case 'image': {
      const { mediaType, bytes, artifact } = part;
      return `[image omitted: the provider rejected it. ${mediaType}, ${bytes} bytes, artifact ${artifact}, event ${at}]`;
    }
    case 'call':
      return `[call of ${part.name} and its result omitted: the provider rejected them. Event ${at}]`;
    case 'text':
    case 'native':
    case 'result':
    case 'change':
      return `[content omitted: the provider rejected this part. Event ${at}]`;
  }
}

// Finds the parts of the packed history at a place that a provider refuses (L4). A place in the body is a block. A
// block is made from a part of a span, and a span comes from an event.

/** A part of the packed history. `position` and `place` identify it in `block.quarantined`. */
interface Packed {
  readonly position: number;
  /** Index among the parts of the span. For a part of a tool result, index among the contents of the result. */
  readonly place: number;
  readonly part: Part;
  /** True if an accepted request contained this part. */
  readonly accepted: boolean;
}

interface MadeRequest {
  readonly state: State;
  readonly promptStream: PromptStream;
}

function imagesOf(made: MadeRequest): readonly (Packed & { readonly part: ImagePart })[] {
  const { blocks } = made.promptStream.sequence;
  return slice(blocks).flatMap((block, index) => (block.mediaBytes === 0 ? [] : partsOf(made, index).filter(isImage)));
}

/**
 * Returns the parts at the refused place. For a refused call or result, returns the call. Returns an empty list if the
 * place does not exist in the request.
 */
function rejectedAt(made: MadeRequest, place: RefusedPlace): readonly Packed[] {
  const blocks = slice(made.promptStream.sequence.blocks);
  const named = place.call === undefined ? locatePlace(made, place, blocks) : ofCall(place.call, blocks);
  const parts = named.flatMap((index) => partsOf(made, index, place.inner));
  if (place.holds === 'call') return parts.flatMap((part) => callOf(made, part) ?? []);
  if (place.holds === 'thinking') return parts.filter(({ part }) => part.type === 'reasoning');
  return place.holds === 'image' ? parts.filter(isImage) : parts.filter(({ part }) => part.type !== 'result');
}

function lastReasoning(made: MadeRequest): readonly Packed[] {
  const index = slice(made.promptStream.sequence.blocks).findLastIndex(({ holds }) => holds === 'thinking');
  return index === -1 ? [] : partsOf(made, index);
}

function locatePlace({ promptStream }: MadeRequest, place: RefusedPlace, blocks: readonly Block[]): readonly number[] {
  return place.message === undefined ? [] : (promptStream.materials.encoder.locate?.(place, blocks) ?? []);
}

function ofCall(id: string, blocks: readonly Block[]): readonly number[] {
  const named = blocks.findIndex(
    ({ holds, head }) => (holds === 'call' || holds === 'result') && head.includes(`"${id}"`),
  );
  return named === -1 ? [] : [named];
}

/**
 * Returns the part from which a block was made. For a tool result, returns the result and all its contents, or only the
 * content that `inner` selects. Returns an empty list for a block of the front.
 */
function partsOf(made: MadeRequest, index: number, inner?: number): readonly Packed[] {
  const { state, promptStream } = made;
  const block = itemAt(promptStream.sequence.blocks, index);
  const ordinal = itemAt(promptStream.ordinals, index);
  const span = slice(state.history.packed).find((one) => one.ordinal === ordinal);
  if (block?.part === undefined || span?.origin.from !== 'event') return [];
  const { position: at } = span.origin;
  const accepted = span.ordinal < (state.streams['main']?.accepted?.spans ?? 0);
  const { epoch, capabilities } = promptStream.materials;
  const part = withoutBoundReasoning(span, epoch, capabilities).parts[block.part];
  if (part === undefined) return [];
  if (part.type !== 'result') return [{ position: at, place: span.parts.indexOf(part), part, accepted }];
  const contents = part.content.map((one, place): Packed => ({ position: at, place, part: one, accepted }));
  // Blank texts are not sent, so they have no index in the request.
  const sent = contents.filter((one) => one.part.type !== 'text' || !isBlank(one.part.text));
  const one = inner === undefined ? undefined : sent[inner];
  return one === undefined ? [{ position: at, place: 0, part, accepted }, ...contents] : [one];
}

function isImage(one: Packed): one is Packed & { readonly part: ImagePart } {
  return one.part.type === 'image';
}

/** Returns the call of a part. The part is the call itself or its result. */
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
