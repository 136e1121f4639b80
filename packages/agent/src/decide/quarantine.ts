// What is put aside when a provider refuses a request for what it holds, and the words that stand in its place. Bounded: what
// was put aside is not put aside twice, and a refusal that goes on takes more with it each time, until nothing is left to take.

import type { BlockQuarantined } from '@tidemark/log';
import { position } from '@tidemark/log';
import type { ImagePart, ProviderError } from '@tidemark/model';
import type { MadeRequest, Packed } from '../request/find-rejected.ts';
import { imagesOf, lastReasoning, rejectedAt } from '../request/find-rejected.ts';

/** A request that was refused. */
export interface RefusedRequest extends MadeRequest {
  /** Length of its body in bytes. */
  readonly bytes: number;
  readonly error: ProviderError;
  /** How often something was put aside for this step before. */
  readonly repairs: number;
}

/** How often one step is repaired. */
const MOST_REPAIRS = 8;

/** From which repair on all images go that were never accepted, and from which one on all. */
const UNSENT_FROM = 2;
const ALL_FROM = 3;

/** The blocks to put aside before the same step is asked again. None: nothing would help, or all of it was tried. */
export function quarantinesFor(refused: RefusedRequest): readonly BlockQuarantined[] {
  const { error, repairs, state } = refused;
  if (repairs >= MOST_REPAIRS) return [];
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

/** What the refusal names; where it names no place, what of that kind the request is the first to hold, else all of it. */
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
 * The older half of the media, and as much more as brings the body under half the limit, so that the next image is not the
 * next refusal. The newest is the last to go. A body that is too large without media is for a compaction.
 */
function tooManyBytes(refused: RefusedRequest): readonly Packed[] {
  const images = imagesOf(refused);
  const limit = Math.min(refused.line.materials.capabilities.requestBytes ?? Infinity, refused.bytes);
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

/** In base64. */
function onWire({ part }: { readonly part: ImagePart }): number {
  return Math.ceil(part.bytes / 3) * 4;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

/** What is left out, and where it can be read (L6). Nothing for reasoning: see `quarantine` of the context. */
function stubOf({ part, position: at }: Packed): string {
  switch (part.type) {
    case 'reasoning':
      return '';
    case 'image': {
      const { mediaType, bytes, artifact } = part;
      return `[image left out: the provider refused it. ${mediaType}, ${bytes} bytes, artifact ${artifact}, event ${at}]`;
    }
    case 'call':
      return `[call of ${part.name} and its result left out: the provider refused them. Event ${at}]`;
    case 'text':
    case 'native':
    case 'result':
    case 'change':
      return `[left out: the provider refused this part. Event ${at}]`;
  }
}
