// A body in the making. What no later request is expected to change is sealed: its bytes stay, its hash state is saved,
// and the next body costs what is new. Where a sealed marker does change, the writer goes back and seals anew: a body is
// always what a naive join of the same blocks, markers and envelope gives.

import type { Block, BodyWriter, Hash, LoweredFront, Marker, NewHash } from '@tidemark/model';
import type { OpenCalls } from './closed-history.ts';
import { follow, NO_CALLS, requireClosed } from './closed-history.ts';
import type { GrowingBytes } from '@tidemark/provider-wire';
import { growingBytes } from '@tidemark/provider-wire';
import { bodyHeader } from './parameters.ts';
import { between, blockText, bodyEnd } from './punctuation.ts';
import { refuse } from './refuse.ts';

/** Writes a body into the buffer and says its digest. */
type Put = BodyWriter['digest'];
type Marks = ReadonlyMap<number, Marker['ttl']>;

/** The first blocks of a body as bytes, with their markers and the hash up to there. */
interface Seal {
  readonly blocks: number;
  readonly last: Block | undefined;
  readonly length: number;
  readonly hash: Hash;
  readonly marks: Marks;
  readonly open: OpenCalls;
}

/** Begins a body for this front. The blocks given to `write` are those of the front and then those of the messages. */
export function joinBody(front: LoweredFront, newHash: NewHash): BodyWriter {
  const bytes = growingBytes();
  bytes.append(bodyHeader(front.front));
  const hash = newHash().update(bytes.since(0));
  const begin: Seal = { blocks: 0, last: undefined, length: bytes.length(), hash, marks: new Map(), open: NO_CALLS };
  let frontSeal = begin;
  let seal = begin;
  const put: Put = (blocks, markers, envelope) => {
    const marks = marksOf(blocks, markers);
    requireFront(front, blocks);
    requireExtension(seal, blocks);
    frontSeal = resume([frontSeal, begin], marks);
    seal = resume([seal, frontSeal], marks);
    bytes.cut(seal.length);
    if (seal.blocks < front.blocks.length) frontSeal = seal = extend(bytes, seal, blocks, front.blocks.length, marks);
    seal = extend(bytes, seal, blocks, sealEnd(blocks, marks, seal.blocks), marks);
    requireClosed(append(bytes, seal, blocks, blocks.length, marks));
    bytes.append(between(blocks.at(-1), undefined) + bodyEnd(front, envelope));
    return seal.hash.copy().update(bytes.since(seal.length)).hex();
  };
  return {
    write: (...given) => {
      const digest = put(...given);
      return { body: bytes.copy(), digest };
    },
    digest: put,
  };
}

/** The first of these seals that holds exactly the markers wanted now. The last one is taken in any case. */
function resume(seals: readonly [Seal, Seal], marks: Marks): Seal {
  return holds(seals[0], marks) ? seals[0] : seals[1];
}

function holds(seal: Seal, marks: Marks): boolean {
  for (const [block, ttl] of seal.marks) if (marks.get(block) !== ttl) return false;
  for (const block of marks.keys()) if (block < seal.blocks && !seal.marks.has(block)) return false;
  return true;
}

/** Appends the blocks up to `end` and moves the seal behind them. */
function extend(bytes: GrowingBytes, seal: Seal, blocks: readonly Block[], end: number, marks: Marks): Seal {
  if (end <= seal.blocks) return seal;
  const open = append(bytes, seal, blocks, end, marks);
  return {
    blocks: end,
    last: blocks[end - 1],
    length: bytes.length(),
    hash: seal.hash.copy().update(bytes.since(seal.length)),
    marks: new Map([...marks].filter(([block]) => block < end)),
    open,
  };
}

function append(bytes: GrowingBytes, seal: Seal, blocks: readonly Block[], end: number, marks: Marks): OpenCalls {
  let { last, open } = seal;
  for (let index = seal.blocks; index < end; index += 1) {
    const block = blocks[index];
    if (block === undefined) break;
    bytes.append(between(last, block) + blockText(block, marks.get(index)));
    open = follow(open, block);
    last = block;
  }
  return open;
}

/**
 * Where sealing stops: before the first marker of the messages, which the next request will move; without one, before
 * the last block that the next request may mark.
 */
function sealEnd(blocks: readonly Block[], marks: Marks, from: number): number {
  let first = Infinity;
  for (const index of marks.keys()) if (blocks[index]?.section === 'messages') first = Math.min(first, index);
  if (first !== Infinity) return first;
  const lastMarkable = blocks.findLastIndex((block) => block.section === 'messages' && block.markable);
  return Math.max(from, lastMarkable);
}

function marksOf(blocks: readonly Block[], markers: readonly Marker[]): Marks {
  for (const { block } of markers) {
    if (blocks[block]?.markable === true) continue;
    throw refuse(
      'provider/invalid',
      `a marker stands on block ${block} of ${blocks.length}, which takes none: plan the markers again`,
    );
  }
  return new Map(markers.map(({ block, ttl }) => [block, ttl]));
}

function requireFront(front: LoweredFront, blocks: readonly Block[]): void {
  const last = front.blocks.length - 1;
  const next = blocks[last + 1];
  if (isSame(front.blocks[last], blocks[last]) && (next === undefined || next.section === 'messages')) return;
  throw refuse(
    'provider/invalid',
    'the blocks of a body begin with those of its front: give `write` the blocks of front and messages together',
  );
}

function requireExtension(seal: Seal, blocks: readonly Block[]): void {
  if (isSame(seal.last, blocks[seal.blocks - 1])) return;
  throw refuse(
    'provider/invalid',
    `the blocks do not extend those of the last body at block ${seal.blocks - 1}: begin a new body with \`join\``,
  );
}

function isSame(a: Block | undefined, b: Block | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && a.head === b.head && a.tail === b.tail);
}
