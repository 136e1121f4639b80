// What the simulator billed, seen from its side: which tokens it had been sent before on this stream, and what of that it
// did not read. Counted from the bytes of the blocks, with no use of what the engine believes.

import { estimateTokens, itemAt, LIFE, slice } from '@tidemark/context';
import type { Block } from '@tidemark/model';
import type { SimulatedUsage } from '@tidemark/simulator';
import type { SentCall } from './driver.ts';
import { isAnswered } from './server.ts';

/** A request, as far as something is asked of it. */
export interface Made<Field extends keyof SentCall['prepared']> {
  readonly prepared: Pick<SentCall['prepared'], Field>;
}

/** The account of a call that the simulator answered. */
export function billedFor({ served }: SentCall): SimulatedUsage | undefined {
  return isAnswered(served) ? served.billed : undefined;
}

/** Whether the simulator took the request in: its entries exist, however the answer ended. */
export function wasTaken({ served }: SentCall): boolean {
  return isAnswered(served) && (served.billed !== undefined || served.counts !== undefined);
}

/**
 * Tokens of a request that earlier ones of its stream held, or any one's front, and that were not read: paid again. Of a result that
 * is shown shortened for the first time, what is still shown was held; of an edited tool or layer, all but what its epoch records as
 * added. Counted block by block behind what was read, so that what is read beyond that, which a side call had sent first, takes
 * nothing off.
 *
 * @throws Error where what was read ends inside a block: no entry does.
 */
export function paidAgain(call: SentCall, earlier: readonly SentCall[]): number {
  const billed = billedFor(call);
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

/** Tokens of an edited tool or layer that the one before it held. */
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

/** Tokens of the beginning of a result that is shown shortened now: that was sent when the result was whole. */
function shownBefore(block: Block): number {
  // The last one: a result that is shortened again may begin with a piece of the notice before.
  const [notice] = /\[Shortened here: (?!.*\[Shortened here: )[^\]]*\]/.exec(bytesOf(block)) ?? [];
  return notice === undefined ? 0 : Math.max(0, block.tokens - estimateTokens(notice));
}

/** Which event a block comes from, and what it holds. */
function placeOf({ origin, holds }: Block): string {
  return origin.from === 'event' ? `${origin.position} ${holds}` : 'front';
}

/** How many blocks two requests begin with in common. */
export function sharedBlocks(call: SentCall, other: SentCall): number {
  const [is, was] = [slice(call.prepared.sequence.blocks), slice(other.prepared.sequence.blocks)];
  const parts = is.findIndex((block, index) => nameOf(block) !== nameOf(was[index] ?? block) || index >= was.length);
  return parts === -1 ? is.length : parts;
}

/** The blocks behind what was read: a read is a prefix that ends with a block. */
function notRead(call: SentCall, { cache_read_input_tokens: read }: SimulatedUsage): readonly Block[] {
  const blocks = shownBlocks(call);
  let index = 0;
  for (let left = read; left > 0; index += 1) {
    left -= blocks[index]?.tokens ?? Infinity;
    if (left < 0) throw new Error(`${read} tokens were read, which is the end of no block`);
  }
  return blocks.slice(index);
}

/** What a call had sent that another one may send again: all of it on one stream, else the front. */
function heldFor(call: SentCall, { prepared: { record, sequence } }: SentCall): readonly Block[] {
  const same = record.data.stream === call.prepared.record.data.stream;
  return slice(sequence.blocks, 0, same ? undefined : sequence.front);
}

/** For how long at most a call asked something of the history to be kept, beside its own words; 0 where it asked for nothing. */
function historyLife({ prepared: { record, sequence } }: SentCall): number {
  const { stream, markers } = record.data;
  const own = stream === 'main' ? markers : markers.slice(0, -1);
  return Math.max(0, ...own.map(({ block, ttl }) => (block >= sequence.front ? LIFE[ttl] : 0)));
}

/**
 * Whether an entry of this history could still be read, if its bytes were asked for. What side calls alone had sent is none.
 * It is the half of the law that says whose doing a rewrite is: where nothing of the history lives any more, all of it is paid
 * again whatever an epoch changes, and the epoch has to say that it rewrites nothing. Told by lives that were asked for and by
 * tokens that were billed, never by what the engine holds to be alive.
 */
export function someEntryLives(call: SentCall, earlier: readonly SentCall[]): boolean {
  if (!earlier.some((one) => one.prepared.record.data.stream === 'main' && wasTaken(one))) return false;
  return earlier.some((one) => {
    const billed = billedFor(one);
    const cached = (billed?.cache_read_input_tokens ?? 0) + (billed?.cache_creation_input_tokens ?? 0);
    return cached > 0 && call.at - one.at < historyLife(one);
  });
}

/** The blocks that count: where the model strips thinking, that of the turns before is no part of the request. */
export function shownBlocks({
  prepared: { sequence, capabilities },
}: Made<'sequence' | 'capabilities'>): readonly Block[] {
  const blocks = slice(sequence.blocks);
  if (capabilities.thinkingStripped === 'never') return blocks;
  const turn = blocks.findLastIndex((block) => block.role === 'user' && block.holds !== 'result');
  return blocks.filter((block, index) => block.holds !== 'thinking' || index > turn);
}

/** Tokens of these blocks. */
export function sum(blocks: readonly Block[]): number {
  return blocks.reduce((total, block) => total + block.tokens, 0);
}

/** A block with its place: the same image given twice is two blocks. */
function nameOf(block: Block): string {
  const { origin } = block;
  return origin.from === 'event' ? `${origin.position} ${bytesOf(block)}` : bytesOf(block);
}

function bytesOf({ head, tail }: Block): string {
  return head + tail;
}

/** Whether a call's blocks begin with all of another's, byte for byte, under the same settings. */
export function extendsCall(after: Made<'record' | 'sequence'>, before: Made<'record' | 'sequence'>): boolean {
  const was = before.prepared.sequence;
  const is = after.prepared.sequence;
  const same = (index: number): boolean => {
    const [a, b] = [itemAt(was.blocks, index), itemAt(is.blocks, index)];
    return (
      a !== undefined && b !== undefined && bytesOf(a) === bytesOf(b) && a.section === b.section && a.role === b.role
    );
  };
  return (
    settingsOf(after) === settingsOf(before) &&
    Array.from({ length: was.blocks.length }, (_, index) => index).every(same)
  );
}

function settingsOf({ prepared }: Made<'record'>): string {
  const { tools, system, messages } = prepared.record.data.sequence.parameters;
  return `${tools} ${system} ${messages}`;
}
