// Growth of the prefix (L3), and the number of tokens that a rewrite of the prefix costs according to the simulator.
// The checks use the bytes of the blocks, not the engine's own model of the cache.

import { estimateTokens, itemAt, LIFE, slice } from '@tidemark/context';
import type { Block } from '@tidemark/model';
import type { SimulatedUsage } from '@tidemark/simulator';
import { expect } from 'vitest';
import { openedWith } from './book.ts';
import { perform } from './loop-perform.ts';
import type { Loop, SentCall } from './loop.ts';
import { continueIn } from './loop.ts';
import type { JudgedRequest, LoopPlayed, Played } from './play.ts';
import { within } from './place.ts';
import { isAnswered } from './server.ts';

interface Made<Field extends keyof JudgedRequest['prepared']> {
  readonly prepared: Pick<JudgedRequest['prepared'], Field>;
}

/**
 * Returns the positions of requests of the main stream that break the prefix without a new epoch. Such a request is in
 * the same epoch as the previous one, but does not begin with all of its blocks.
 */
export function unlabelledBreaks({ requests }: Played): readonly number[] {
  const main = requests.filter(({ prepared }) => prepared.record.data.stream === 'main');
  return main.flatMap((request, index) => {
    const before = main[index - 1];
    const { position, data } = request.prepared.record;
    if (before === undefined || before.prepared.record.data.epoch !== data.epoch) return [];
    return extendsRequest(request, before) ? [] : [position];
  });
}

/**
 * Returns true if the blocks of a request begin with all blocks of another one, byte for byte, with the same settings.
 */
function extendsRequest(after: Made<'record' | 'sequence'>, before: Made<'record' | 'sequence'>): boolean {
  const was = before.prepared.sequence;
  const is = after.prepared.sequence;
  if (settingsOf(after) !== settingsOf(before)) return false;
  for (let index = 0; index < was.blocks.length; index += 1) {
    const [a, b] = [itemAt(was.blocks, index), itemAt(is.blocks, index)];
    // Requests that extend each other share most block objects. An equal object needs no comparison of its content.
    if (a === b && a !== undefined) continue;
    if (a === undefined || b === undefined) return false;
    if (bytesOf(a) !== bytesOf(b) || a.section !== b.section || a.role !== b.role) return false;
  }
  return true;
}

function settingsOf({ prepared }: Made<'record'>): string {
  const { tools, system, messages } = prepared.record.data.sequence.parameters;
  return `${tools} ${system} ${messages}`;
}

/** Expects that every epoch opens directly before the request that needs it. */
export function expectEpochsWithRequests({ book, requests }: Played): void {
  const opened = book.records.filter(({ kind }) => kind === 'epoch.opened').map(({ position }) => position);
  expect(opened).toEqual(requests.flatMap(({ prepared }) => openedWith(book, prepared.record)?.position ?? []));
  for (const position of opened)
    expect(book.records[position + 1]).toMatchObject({ kind: 'request.prepared', data: { relation: 'opens' } });
}

/** Expects that no epoch opens if settings are changed, and changed back before the next request. */
export async function expectNoEpochForNothing({ loop, place, id }: LoopPlayed): Promise<void> {
  await within(place.copyWith(id, place.bytesOf(id)), (copy) =>
    continueIn(loop, copy, async (again) => {
      await askShort(again);
      const { model, reasoning, tools, role } = again.settings;
      await perform(again, { do: 'model', model: model + 1 });
      await perform(again, { do: 'reasoning', level: (reasoning + 1) % 4 });
      await perform(again, { do: 'tools', set: (tools + 1) % 4 });
      await perform(again, { do: 'role', role: (role + 1) % 3 });
      await perform(again, { do: 'restart' });
      again.settings = { model, reasoning, tools, role };
      await askShort(again);
      expect(again.calls.at(-1)?.prepared.opened).toBeUndefined();
    }),
  );
}

async function askShort(loop: Loop): Promise<void> {
  await perform(loop, { do: 'prompt', parts: [{ kind: 'words', size: 30 }] });
  const answer = { said: [{ kind: 'text', text: { kind: 'words', size: 30 } }], calls: [] } as const;
  await perform(loop, { do: 'ask', answer, outcome: 'answered', during: [] });
}

/** Expects that the rewrite in each epoch's forecast equals the number of tokens that the provider then bills again. */
export function expectRewritesBilled({ loop: { calls } }: LoopPlayed): void {
  for (const [index, call] of calls.entries()) {
    const { opened } = call.prepared;
    if (opened === undefined || call.billed === undefined) continue;
    const earlier = calls.slice(0, index);
    const again = someEntryLives(call, earlier) ? paidAgain(call, earlier) : 0;
    const { position } = opened;
    expect({ position, rewrite: opened.data.forecast.rewrite }).toEqual({ position, rewrite: again });
  }
}

/**
 * Returns true if the simulator processed the request. The cache entries of the request then exist, even if the answer
 * was cut.
 */
export function wasTaken({ served }: SentCall): boolean {
  return isAnswered(served) && (served.billed !== undefined || served.counts !== undefined);
}

/**
 * Returns the number of tokens in a request that were sent before but were not read from the cache. These tokens were
 * sent before:
 * - blocks of earlier requests of the same stream
 * - the fronts of all requests
 * - the part of a newly shortened result that is still shown
 * - an edited tool or layer, except the tokens that its epoch records as added
 *
 * Only blocks after the end of the cache read are counted. Blocks that a side call had sent can extend the read, but
 * this does not reduce the count of other blocks.
 *
 * @throws Error if the read ends inside a block, where no cache entry ends.
 */
function paidAgain(call: SentCall, earlier: readonly SentCall[]): number {
  const { billed } = call;
  if (billed === undefined) throw new Error('the request was not answered');
  const before = earlier.filter(wasTaken).flatMap((one) => heldFor(call, one));
  const known = new Set(before.map(nameOf));
  const places = new Set(before.map(placeOf));
  return notRead(call, billed).reduce((tokens, block) => {
    if (known.has(nameOf(block))) return tokens + block.tokens;
    if (block.origin.from === 'layer') return tokens + heldBeforeEdit(call, block, block.origin);
    return places.has(placeOf(block)) ? tokens + shownBefore(block) : tokens;
  }, 0);
}

/**
 * Returns the number of tokens of an edited tool or layer that its previous version already contained. Returns 0 if the
 * request opened no epoch that records the edit.
 */
function heldBeforeEdit(
  { prepared: { opened } }: SentCall,
  { tokens }: Block,
  { layer, revision }: Extract<Block['origin'], { readonly from: 'layer' }>,
): number {
  const { edits = [], tools = [], layers = [] } = opened?.data ?? {};
  const named =
    layer === 'tools'
      ? tools.find(({ digest }) => digest.startsWith(revision))
      : layers.find(({ name }) => name === layer);
  const edit = edits.find(({ digest }) => digest === named?.digest);
  return edit === undefined ? 0 : Math.max(0, tokens - edit.tokens);
}

/**
 * Returns the number of tokens of a shortened result without its notice. They were sent when the result was whole.
 * Returns 0 for a block without a notice.
 */
function shownBefore(block: Block): number {
  // Matches the last notice, because a result that is shortened again may still contain a piece of its first notice.
  const [notice] = /\[Shortened here: (?!.*\[Shortened here: )[^\]]*\]/.exec(bytesOf(block)) ?? [];
  return notice === undefined ? 0 : Math.max(0, block.tokens - estimateTokens(notice));
}

/** Returns a key for a block: the position of its event and the kind of its content, or `front`. */
function placeOf({ origin, holds }: Block): string {
  return origin.from === 'event' ? `${origin.position} ${holds}` : 'front';
}

/** Returns the number of equal blocks at the beginning of two requests. */
export function sharedBlocks(call: SentCall, other: SentCall): number {
  const [is, was] = [slice(call.prepared.sequence.blocks), slice(other.prepared.sequence.blocks)];
  const parts = is.findIndex((block, index) => nameOf(block) !== nameOf(was[index] ?? block) || index >= was.length);
  return parts === -1 ? is.length : parts;
}

/** Returns the blocks that come after the end of the cache read. A cache read always ends with a whole block. */
function notRead(call: SentCall, { cache_read_input_tokens: read }: SimulatedUsage): readonly Block[] {
  const blocks = shownBlocks(call);
  let index = 0;
  for (let left = read; left > 0; index += 1) {
    left -= blocks[index]?.tokens ?? Infinity;
    if (left < 0) throw new Error(`the cache read of ${read} tokens ends inside a block`);
  }
  return blocks.slice(index);
}

/**
 * Returns the blocks of an earlier request that the request `call` may send again: all blocks if both are on the same
 * stream, otherwise the blocks of the front.
 */
function heldFor(call: SentCall, { prepared: { record, sequence } }: SentCall): readonly Block[] {
  const same = record.data.stream === call.prepared.record.data.stream;
  return slice(sequence.blocks, 0, same ? undefined : sequence.front);
}

/**
 * Returns the longest lifetime in milliseconds that a request asked for blocks of the history. Returns 0 if it asked
 * for none. The last marker of a side call does not count, because it covers only the text of the side call.
 */
function historyLife({ prepared: { record, sequence } }: SentCall): number {
  const { stream, markers } = record.data;
  const own = stream === 'main' ? markers : markers.slice(0, -1);
  return Math.max(0, ...own.map(({ block, ttl }) => (block >= sequence.front ? LIFE[ttl] : 0)));
}

/**
 * Returns true if a cache entry of the history may still exist. An entry of a side call does not count if the main
 * stream has no processed request. If no entry exists, the whole history is billed again with any change, so the epoch
 * must forecast no rewrite. The result is computed from requested lifetimes and billed tokens, not from the engine's
 * model of the cache.
 */
function someEntryLives(call: SentCall, earlier: readonly SentCall[]): boolean {
  if (!earlier.some((one) => one.prepared.record.data.stream === 'main' && wasTaken(one))) return false;
  return earlier.some((one) => {
    const { billed } = one;
    const cached = (billed?.cache_read_input_tokens ?? 0) + (billed?.cache_creation_input_tokens ?? 0);
    return cached > 0 && call.at - one.at < historyLife(one);
  });
}

/**
 * Returns the blocks whose tokens the model counts. A model that strips thinking does not count the thinking of earlier
 * turns.
 */
export function shownBlocks({
  prepared: { sequence, capabilities },
}: Made<'sequence' | 'capabilities'>): readonly Block[] {
  const blocks = slice(sequence.blocks);
  if (capabilities.thinkingStripped === 'never') return blocks;
  const turn = blocks.findLastIndex((block) => block.role === 'user' && block.holds !== 'result');
  return blocks.filter((block, index) => block.holds !== 'thinking' || index > turn);
}

/** Returns the sum of the tokens of these blocks. */
export function sum(blocks: readonly Block[]): number {
  return blocks.reduce((total, block) => total + block.tokens, 0);
}

/**
 * Returns a key for a block: its bytes and the position of its event. The same image in two messages therefore has two
 * keys.
 */
function nameOf(block: Block): string {
  const { origin } = block;
  return origin.from === 'event' ? `${origin.position} ${bytesOf(block)}` : bytesOf(block);
}

function bytesOf({ head, tail }: Block): string {
  return head + tail;
}
