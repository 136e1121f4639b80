// Structure of one request: its blocks with sizes and origins, without their texts, and its relation to the previous
// request of its stream. Texts are read one by one.

import type { Divergence, Sequence } from '@tidemark/context';
import { causesInWords, firstDivergence, itemAt, slice } from '@tidemark/context';
import type { Block, Capabilities } from '@tidemark/model';
import { allWritten, costOf, inputTokens, outputTokens, priceAt } from '@tidemark/model';
import { blockText, sentText } from './block-text.ts';
import type { FoundBlocks } from './find-texts.ts';
import { findTexts } from './find-texts.ts';
import { createNames } from './names.ts';
import type { KnownRequest, RecordName, RequestSource, SessionRequests } from './session-requests.ts';

/**
 * Blocks of a request without their texts, as columns of one length, so that a request of thousands of blocks is a small
 * answer. Values of `section`, `role`, `holds`, `layer` and `kind` are indexes of `names`. `null` means that a value does
 * not apply.
 */
export interface BlockColumns {
  readonly names: readonly string[];
  /** `tools`, `system` or `messages`. */
  readonly section: readonly number[];
  readonly role: readonly number[];
  readonly holds: readonly number[];
  /** Number of its message in the request. -1 for blocks of the front. */
  readonly group: readonly number[];
  /** Name of the layer, for blocks of the front. */
  readonly layer: readonly (number | null)[];
  /** Record that the block comes from, for blocks of the history. */
  readonly record: readonly (number | null)[];
  /** Kind of this record. */
  readonly kind: readonly (number | null)[];
  /** Milliseconds from this record to the request. */
  readonly age: readonly (number | null)[];
  readonly bytes: readonly number[];
  /** Estimated tokens. */
  readonly tokens: readonly number[];
  /** First words of the text. */
  readonly begins: readonly string[];
}

/** Tokens of a call by bucket. An absent value is unknown. */
export interface KnownBuckets {
  readonly read?: number;
  readonly written?: number;
  readonly fresh?: number;
  readonly output?: number;
}

/** First difference from the previous request of the stream. */
export interface RequestDifference {
  /** Block that differs, or `parameters`. */
  readonly at: 'parameters' | 'block';
  readonly block?: number;
  /** First different character in the block, in UTF-16 units of the sent form. */
  readonly character?: number;
  /** Section from which the changed parameters make the cache useless. */
  readonly section?: string;
  /** True if the previous request has a block at this place. */
  readonly replaces: boolean;
}

/** Relation of a request to the previous one of its stream. */
export interface PreviousRequest {
  readonly position: number;
  readonly step: number;
  /** Number of equal blocks at the beginning. */
  readonly shared: number;
  /** Absent if the request only adds blocks. */
  readonly difference?: RequestDifference;
}

/** Requests of a session in the order of its log, as columns of one length. */
export interface RequestColumns {
  readonly streams: readonly string[];
  /** Distance to the position of the request before. The first one is its position. */
  readonly distance: readonly number[];
  readonly step: readonly number[];
  /** Index of `streams`. */
  readonly stream: readonly number[];
}

/** Structure of a request. `blocks` begins at block `from`. */
export interface RequestStructure {
  readonly session: string;
  readonly source: RequestSource;
  readonly position: number;
  readonly step: number;
  readonly stream: string;
  readonly purpose: string;
  readonly at: string;
  readonly model: string;
  /** Length of the body that was sent. Absent if the recording does not contain it. */
  readonly bytes?: number;
  readonly digest?: string;
  /** True if the rebuilt blocks have the recorded digest. */
  readonly verified?: boolean;
  /** Parts whose content the recording does not contain. */
  readonly missing: readonly string[];
  /** Cache markers: the marked block and the lifetime that is asked for. */
  readonly markers: readonly { readonly block: number; readonly ttl: string }[];
  readonly actual?: KnownBuckets;
  readonly forecast?: KnownBuckets;
  readonly cost?: string;
  /** Cause of a break, in words, and its price. */
  readonly cause?: string;
  readonly price?: string;
  readonly previous?: PreviousRequest;
  readonly total: number;
  readonly from: number;
  readonly blocks: BlockColumns;
}

/** Returns the requests of a session in the order of its log. */
export function listRequests({ requests }: SessionRequests): RequestColumns {
  const streams = createNames();
  return {
    streams: streams.names,
    distance: requests.map(({ position }, index) => position - (requests[index - 1]?.position ?? 0)),
    step: requests.map(({ step }) => step),
    stream: requests.map(({ stream }) => streams.indexOf(stream)),
  };
}

/**
 * Returns the structure of the request at a position, or `undefined` if there is none. With `known`, the position of
 * another request, leaves out the leading blocks that both have.
 */
export async function readRequest(
  session: SessionRequests,
  position: number,
  known?: number,
): Promise<RequestStructure | undefined> {
  const request = findRequest(session, position);
  if (request === undefined) return undefined;
  const { sequence } = await session.sequence(request);
  const other = known === undefined ? undefined : findRequest(session, known);
  const from = other === undefined ? 0 : sharedBlocks((await session.sequence(other)).sequence, sequence);
  return {
    session: session.session,
    ...(await requestWithoutBlocks(session, request)),
    total: sequence.blocks.length,
    from,
    blocks: blockColumns(slice(sequence.blocks, from), session.names, request.at),
  };
}

type RequestHead = Omit<RequestStructure, 'session' | 'total' | 'from' | 'blocks'>;

/** Returns everything about a request except its blocks. */
export async function requestWithoutBlocks(session: SessionRequests, request: KnownRequest): Promise<RequestHead> {
  const { sequence, verified, capabilities } = await session.sequence(request);
  const previous = await previousOf(session, request, sequence);
  return {
    ...headOf(request),
    ...costOfAnswer(request, capabilities),
    ...(verified !== undefined && { verified }),
    ...causeOf(request),
    ...(previous !== undefined && { previous }),
  };
}

/** Text of a block, or a part of it. */
export interface BlockText {
  readonly text: string;
  /** Place of `text` in the whole text, in UTF-16 units. */
  readonly from: number;
  readonly total: number;
}

/** Part of a text that is wanted. `sent` selects the bytes as they are sent; otherwise the text for people is used. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
  readonly sent: boolean;
}

/** Returns the text of a block, or `undefined` if there is no such request or block. */
export async function readBlockText(
  session: SessionRequests,
  position: number,
  index: number,
  { from, to, sent }: TextRange,
): Promise<BlockText | undefined> {
  const request = findRequest(session, position);
  const block = request && itemAt((await session.sequence(request)).sequence.blocks, index);
  if (block === undefined || index < 0) return undefined;
  const text = sent ? sentText(block) : blockText(block);
  return { text: text.slice(from, to), from, total: text.length };
}

/** Searches the texts of a request, in any case. Returns `undefined` if there is no such request. */
export async function searchRequest(
  session: SessionRequests,
  position: number,
  query: string,
): Promise<FoundBlocks | undefined> {
  const request = findRequest(session, position);
  if (request === undefined) return undefined;
  const { sequence } = await session.sequence(request);
  return findTexts(slice(sequence.blocks), blockText, query);
}

function findRequest({ requests }: SessionRequests, position: number): KnownRequest | undefined {
  return requests.find((one) => one.position === position);
}

function headOf(request: KnownRequest): RequestHead {
  const { source, position, step, stream, purpose, at, model, prepared, observed, answer } = request;
  const digest = prepared?.data.digest ?? observed?.record.data.digest;
  const forecast = prepared?.data.forecast;
  return {
    source,
    position,
    step,
    stream,
    purpose,
    at,
    model,
    missing: observed?.missing ?? [],
    markers:
      prepared?.data.markers.map(({ block, ttl }) => ({
        block,
        ttl,
      })) ??
      [...(observed?.markers ?? [])].map(([block, ttl]) => ({
        block,
        ttl,
      })),
    ...(prepared !== undefined && { bytes: prepared.data.bytes }),
    ...(digest !== undefined && { digest }),
    ...(answer !== undefined && { actual: bucketsOf(answer.usage) }),
    ...(forecast !== undefined && {
      forecast: {
        read: forecast.read,
        written: forecast.write,
        fresh: forecast.fresh,
      },
    }),
  };
}

/** Returns the recorded cost. A call of an import has no recorded cost, so the prices of the catalog are used. */
function costOfAnswer(
  { answer, at, source }: KnownRequest,
  capabilities: Capabilities | undefined,
): Pick<RequestStructure, 'cost'> {
  if (answer?.cost !== undefined) return { cost: answer.cost };
  const input = answer && inputTokens(answer.usage);
  if (source === 'sent' || answer === undefined || input === undefined || capabilities === undefined) return {};
  const price = priceAt(capabilities, at.slice(0, 10), input);
  const cost = price && costOf(price, answer.usage)?.total;
  return cost === undefined ? {} : { cost };
}

type AnsweredUsage = NonNullable<KnownRequest['answer']>['usage'];

function bucketsOf(usage: AnsweredUsage): KnownBuckets {
  const { read, fresh } = usage;
  const [written, output] = [allWritten(usage), outputTokens(usage)];
  return {
    ...(read !== undefined && { read }),
    ...(written !== undefined && { written }),
    ...(fresh !== undefined && { fresh }),
    ...(output !== undefined && { output }),
  };
}

function causeOf({ opened, answer, state }: KnownRequest): Pick<RequestStructure, 'cause' | 'price'> {
  const miss = answer?.miss;
  const causes = opened ?? (miss === undefined ? [] : [miss.cause, ...(miss.also ?? [])]);
  const price = miss?.cost ?? (opened === undefined ? undefined : state.epoch?.opened.forecast.cost);
  if (causes.length === 0) return {};
  return { cause: causesInWords(causes), ...(price !== undefined && { price }) };
}

async function previousOf(
  session: SessionRequests,
  request: KnownRequest,
  sequence: Sequence,
): Promise<PreviousRequest | undefined> {
  const own = session.requests.indexOf(request);
  const before = session.requests.slice(0, own).findLast(({ stream }) => stream === request.stream);
  if (before === undefined) return undefined;
  const { sequence: old } = await session.sequence(before);
  const divergence = firstDivergence(old, sequence);
  return {
    position: before.position,
    step: before.step,
    shared: sharedBlocks(old, sequence),
    ...(divergence !== undefined && { difference: differenceOf(divergence) }),
  };
}

function differenceOf(divergence: Divergence): RequestDifference {
  if (divergence.at === 'parameters') return { at: 'parameters', section: divergence.section, replaces: false };
  const { at, was, is } = divergence;
  const [a, b] = [was === undefined ? '' : sentText(was), is === undefined ? '' : sentText(is)];
  return { at: 'block', block: at, character: firstDifferentCharacter(a, b), replaces: was !== undefined };
}

/** Returns the length of the equal beginning of two texts, in UTF-16 units. */
export function firstDifferentCharacter(a: string, b: string): number {
  let character = 0;
  while (character < a.length && character < b.length && a[character] === b[character]) character += 1;
  return character;
}

/** Returns the number of equal blocks at the beginning of two requests. Their parameters are not compared. */
export function sharedBlocks(one: Sequence, other: Sequence): number {
  let [low, high] = [0, Math.min(one.prefixes.length, other.prefixes.length)];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (itemAt(one.prefixes, middle) === itemAt(other.prefixes, middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

const BEGINNING = 80;

function blockColumns(blocks: readonly Block[], records: readonly RecordName[], sent: string): BlockColumns {
  const names = createNames();
  const recordOf = ({ origin }: Block): number | null => (origin.from === 'event' ? origin.position : null);
  const ofRecord = <Value>(block: Block, read: (name: RecordName) => Value): Value | null => {
    const name = records[recordOf(block) ?? -1];
    return name === undefined ? null : read(name);
  };
  const now = Date.parse(sent);
  return {
    names: names.names,
    section: blocks.map(({ section }) => names.indexOf(section)),
    role: blocks.map(({ role }) => names.indexOf(role)),
    holds: blocks.map(({ holds }) => names.indexOf(holds)),
    group: blocks.map(({ group }) => group),
    layer: blocks.map(({ origin }) => (origin.from === 'layer' ? names.indexOf(origin.layer) : null)),
    record: blocks.map(recordOf),
    kind: blocks.map((block) => ofRecord(block, ({ kind }) => names.indexOf(kind))),
    age: blocks.map((block) => ofRecord(block, ({ at }) => now - Date.parse(at))),
    bytes: blocks.map(({ head, tail }) => Buffer.byteLength(head) + Buffer.byteLength(tail)),
    tokens: blocks.map(({ tokens }) => Math.round(tokens)),
    begins: blocks.map((block) => beginningOf(blockText(block))),
  };
}

/** Returns the first words of a text in one line. */
export function beginningOf(text: string): string {
  const begins = text.slice(0, BEGINNING).replaceAll(/\s+/g, ' ');
  return text.length > BEGINNING ? `${begins}…` : begins;
}
