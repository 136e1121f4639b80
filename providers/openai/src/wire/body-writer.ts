// A body in the making. There are no markers, so all that was written stays: its bytes are kept, its hash state is saved,
// and the next body costs what is new.

import type { Block, BodyWriter, Hash, LoweredFront, Marker, NewHash } from '@tidemark/model';
import type { BodyForm } from './body-form.ts';
import type { OpenCalls } from './closed-history.ts';
import { follow, NO_CALLS, requireClosed } from './closed-history.ts';
import { growingBytes } from '@tidemark/provider-wire';
import { refuse } from './refuse.ts';

/** The blocks written so far, and the hash up to there. */
interface Seal {
  readonly blocks: number;
  readonly last: Block | undefined;
  readonly length: number;
  readonly hash: Hash;
  readonly open: OpenCalls;
}

/** Begins a body of this form. The blocks given to `write` are those of the front and then those of the messages. */
export function joinBody(form: BodyForm, front: LoweredFront, newHash: NewHash): BodyWriter {
  const bytes = growingBytes();
  bytes.append(form.header(front.front));
  const hash = newHash().update(bytes.since(0));
  let seal: Seal = { blocks: 0, last: undefined, length: bytes.length(), hash, open: NO_CALLS };
  const append = (blocks: readonly Block[]): Seal => {
    let { last, open } = seal;
    for (let index = seal.blocks; index < blocks.length; index += 1) {
      const block = blocks[index];
      if (block === undefined) break;
      open = follow(open, block, form);
      bytes.append(form.between(last, block) + block.head + block.tail);
      last = block;
    }
    const length = bytes.length();
    return { blocks: blocks.length, last, length, hash: seal.hash.copy().update(bytes.since(seal.length)), open };
  };
  const digest: BodyWriter['digest'] = (blocks, markers, envelope) => {
    requireNoMarkers(markers);
    requireFront(front, blocks);
    requireExtension(seal, blocks);
    bytes.cut(seal.length);
    const end = form.end(front.front, envelope);
    const grown = append(blocks);
    requireClosed(grown.open);
    seal = grown;
    bytes.append(form.between(seal.last, undefined) + end);
    return seal.hash.copy().update(bytes.since(seal.length)).hex();
  };
  return {
    write: (...given) => {
      const named = digest(...given);
      return { body: bytes.copy(), digest: named };
    },
    digest,
  };
}

function requireNoMarkers(markers: readonly Marker[]): void {
  if (markers.length === 0) return;
  throw refuse(
    'provider/invalid',
    'OpenAI caches by itself and takes no marker here: plan the request without markers',
  );
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
