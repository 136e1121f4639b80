// What of a request was never sent before on its stream: text that an ideal cache would write. All else was sent before, whatever
// block it stands in now, and is read or paid again.

import type { CacheEntry, Lookup, State } from '@tidemark/context';
import { estimateTokens, isAlive, isOfOther, itemAt, leftOutNotice, slice, turnStartOf } from '@tidemark/context';
import type { Span } from '@tidemark/model';
import { isBlank } from '@tidemark/model';
import type { PromptStream } from './prompt-stream.ts';

/** What the count depends on beside the line. */
export interface UnsentOptions {
  /** Spans that the last accepted request of the stream held. */
  readonly sent: number;
  /** Spans that the last accepted request to the same model held. */
  readonly reach: number;
  /** The provider strips the thinking of earlier turns. */
  readonly strips: boolean;
  /** Tokens that the model counts for one estimated token of a block. */
  readonly scaleOf: (block: number) => number;
}

/** Some of a block: estimated tokens, before any scale. */
interface Unsent {
  readonly block: number;
  readonly tokens: number;
}

/** Tokens of a request that were never sent before, at the scale at which the model counts them. No scale is an image's. */
export function unsentTokens(line: PromptStream, state: State, options: UnsentOptions): number {
  const found = [
    ...inFront(line, state),
    ...inTail(line, options),
    ...shownShort(line, state, options.sent),
    ...otherThinking(line, options),
  ];
  return found.reduce((sum, { block, tokens }) => {
    const isImage = (itemAt(line.sequence.blocks, block)?.mediaBytes ?? 0) > 0;
    return sum + (isImage ? tokens : tokens * options.scaleOf(block));
  }, 0);
}

/**
 * The tail that no accepted request of this stream held: its ordinals are at or above what that held. Thinking that the provider
 * strips is no part of the request, and so not of this.
 */
function inTail({ sequence, ordinals }: PromptStream, { sent, strips }: UnsentOptions): readonly Unsent[] {
  const shown = strips ? turnStartOf(sequence).block : 0;
  const found: Unsent[] = [];
  let index = sequence.blocks.length - 1;
  for (; index >= sequence.front && (itemAt(ordinals, index) ?? 0) >= sent; index -= 1) {
    const block = itemAt(sequence.blocks, index);
    if (block !== undefined && !(block.holds === 'thinking' && index < shown))
      found.push({ block: index, tokens: block.tokens });
  }
  // A checkpoint stands first, and is newer than what is kept behind it.
  const leads = index > sequence.front && (itemAt(ordinals, sequence.front) ?? 0) >= sent;
  return leads
    ? [...found, { block: sequence.front, tokens: itemAt(sequence.blocks, sequence.front)?.tokens ?? 0 }]
    : found;
}

/** Results that were sent whole, and that no accepted request showed shortened yet: the words that stand for what is left out. */
function shownShort(
  { sequence: { blocks }, ordinals }: PromptStream,
  { epoch, streams, history }: State,
  sent: number,
): readonly Unsent[] {
  const accepted = streams['main']?.accepted?.position ?? -1;
  if (epoch === undefined || epoch.shortened.size === 0 || accepted > epoch.position) return [];
  const notices = new Map(slice(history.packed).map((span) => [span.ordinal, noticeTokens(span)]));
  return slice(blocks).flatMap(({ origin, tokens }, block) => {
    const ordinal = itemAt(ordinals, block) ?? 0;
    const isOne = origin.from === 'event' && epoch.shortened.has(origin.position) && ordinal < sent;
    return isOne ? [{ block, tokens: Math.min(tokens, notices.get(ordinal) ?? tokens) }] : [];
  });
}

function noticeTokens({ parts }: Span): number | undefined {
  const [part] = parts;
  return part?.type === 'result' ? estimateTokens(leftOutNotice(part.content)) : undefined;
}

/** Thinking that other models were not sent: after a switch back it goes out for the first time. */
function otherThinking(
  { sequence, ordinals }: PromptStream,
  { reach, sent, strips }: UnsentOptions,
): readonly Unsent[] {
  if (reach >= sent) return [];
  const first = Math.max(sequence.front, strips ? turnStartOf(sequence).block : 0);
  const found: Unsent[] = [];
  for (let index = sequence.blocks.length - 1; index >= first; index -= 1) {
    const block = itemAt(sequence.blocks, index);
    const ordinal = itemAt(ordinals, index) ?? 0;
    if (block?.holds === 'thinking' && ordinal >= reach && ordinal < sent)
      found.push({ block: index, tokens: block.tokens });
  }
  return found;
}

/**
 * The front that no accepted request held: its blocks are the tools, then the texts that are not blank. Of one that was edited it
 * is what the text before did not hold.
 */
function inFront({ front, materials: { texts } }: PromptStream, { cache, epoch }: State): readonly Unsent[] {
  const digests = [...texts.tools, ...texts.layers.filter(({ text }) => !isBlank(text))].map(
    ({ record }) => record.digest,
  );
  return front.blocks.flatMap(({ tokens }, block) => {
    const name = digests[block];
    if (name !== undefined && cache.front.has(name)) return [];
    const edit = epoch?.opened.edits?.find(({ digest }) => digest === name);
    return [{ block, tokens: edit === undefined ? tokens : Math.min(tokens, edit.tokens) }];
  });
}

/**
 * What an edited system text begins with in common with the one that the last accepted request held, where that stands right behind what
 * is read, and is still cached. Estimated tokens, before any scale.
 */
export function commonBeginning(
  { front, materials: { texts }, sequence }: PromptStream,
  { epoch, streams }: State,
  lookup: Lookup,
  hit: CacheEntry | undefined,
): { readonly block: number; readonly tokens: number } | undefined {
  const { left } = streams['main']?.accepted ?? {};
  // Of a tool the wire form begins otherwise than its definition.
  const block = (hit?.block ?? -1) + 1;
  if (left === undefined || block < sequence.counts.tools || block >= front.blocks.length) return undefined;
  const isCached = left.key === lookup.key && isAlive(left, lookup.now) && !isOfOther(left, lookup.account);
  if (!isCached || left.parameters.messages !== sequence.parameters.messages) return undefined;
  const layers = texts.layers.filter(({ text }) => !isBlank(text));
  const name = layers[block - sequence.counts.tools]?.record.digest;
  const edit = epoch?.opened.edits?.find(({ digest }) => digest === name);
  return edit && { block, tokens: edit.begins };
}
