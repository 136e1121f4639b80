// Writes request bodies in the form of an API (`BodyForm`). Refuses a history that contains a call without a result.
// The writer stores the bytes and the hash state of the first blocks (`Seal`), because later requests usually do not
// change them. So the next body only adds its new blocks. If a marker inside the stored blocks changes, the writer
// writes these blocks again. A body always equals a body that is built completely new from the same blocks, markers and
// envelope.

import { defined } from '@tidemark/core';
import type {
  Answered,
  Block,
  BodyWriter,
  Envelope,
  Front,
  Hash,
  LoweredFront,
  Marker,
  NewHash,
  RefusedPlace,
} from '@tidemark/model';
import type { Service } from './service.ts';
import { refuse } from './service.ts';

type Put = BodyWriter['digest'];
type Marks = ReadonlyMap<number, Marker['ttl']>;

/**
 * Stored beginning of a body: its number of blocks, its length in bytes, the hash of these bytes, and its markers and
 * open calls.
 */
interface Seal {
  readonly blocks: number;
  readonly last: Block | undefined;
  readonly length: number;
  readonly hash: Hash;
  readonly marks: Marks;
  readonly open: OpenCalls;
}

interface BodyWriting {
  readonly form: BodyForm;
  readonly bytes: GrowingBytes;
  readonly blocks: readonly Block[];
  readonly marks: Marks;
}

/**
 * Creates a writer for bodies of this form. The blocks passed to `write` are the blocks of the front followed by the
 * blocks of the messages.
 */
export function joinBody(form: BodyForm, front: LoweredFront, newHash: NewHash): BodyWriter {
  const bytes = growingBytes();
  bytes.append(form.header(front.front));
  const hash = newHash().update(bytes.since(0));
  const begin: Seal = { blocks: 0, last: undefined, length: bytes.length(), hash, marks: new Map(), open: NO_CALLS };
  let frontSeal = begin;
  let seal = begin;
  const put: Put = (blocks, markers, envelope) => {
    const marks = marksOf(form, blocks, markers);
    requireFront(form.service, front, blocks);
    requireExtension(form.service, seal, blocks);
    const end = form.end(front.front, envelope);
    const writing: BodyWriting = { form, bytes, blocks, marks };
    const keptFront = resume([frontSeal, begin], marks);
    const usedSeal = resume([seal, keptFront], marks);
    bytes.cut(usedSeal.length);
    const reached = usedSeal.blocks < front.blocks.length ? extend(writing, usedSeal, front.blocks.length) : usedSeal;
    const sealed = extend(writing, reached, sealEnd(writing, reached.blocks));
    requireClosed(form, append(writing, sealed, blocks.length));
    frontSeal = reached === usedSeal ? keptFront : reached;
    seal = sealed;
    bytes.append(form.between(blocks.at(-1), undefined) + end);
    return seal.hash.copy().update(bytes.since(seal.length)).hex();
  };
  return {
    write: (...given) => {
      const digest = put(...given);
      return { body: bytes.copy(), digest };
    },
    digest: put,
    ...defined({
      writeContinuation:
        form.continuationFields === undefined
          ? undefined
          : continuationWriter(form, form.continuationFields, front, newHash),
    }),
  };
}

function continuationWriter(
  form: BodyForm,
  continuationFields: NonNullable<BodyForm['continuationFields']>,
  front: LoweredFront,
  newHash: NewHash,
): NonNullable<BodyWriter['writeContinuation']> {
  return (answered, blocks, markers, { fields, ...envelope }) => {
    const marks = marksOf(form, blocks, markers);
    const mark = (index: number): string => markText(form, marks.get(index));
    const continued = { ...envelope, fields: { ...fields, ...continuationFields(answered) } };
    const body = Buffer.from(continuationBody({ form, front, blocks, mark }, answered, continued));
    return { body, digest: newHash().update(body).hex() };
  };
}

/**
 * Returns the first seal if the blocks of that seal still have the same markers. Otherwise returns the second seal
 * without a check.
 */
function resume(seals: readonly [Seal, Seal], marks: Marks): Seal {
  return holds(seals[0], marks) ? seals[0] : seals[1];
}

function holds(seal: Seal, marks: Marks): boolean {
  for (const [block, ttl] of seal.marks) if (marks.get(block) !== ttl) return false;
  for (const block of marks.keys()) if (block < seal.blocks && !seal.marks.has(block)) return false;
  return true;
}

function extend(writing: BodyWriting, seal: Seal, end: number): Seal {
  if (end <= seal.blocks) return seal;
  const open = append(writing, seal, end);
  const { bytes, blocks, marks } = writing;
  return {
    blocks: end,
    last: blocks[end - 1],
    length: bytes.length(),
    hash: seal.hash.copy().update(bytes.since(seal.length)),
    marks: new Map([...marks].filter(([block]) => block < end)),
    open,
  };
}

function append({ form, bytes, blocks, marks }: BodyWriting, seal: Seal, end: number): OpenCalls {
  let { last, open } = seal;
  for (let index = seal.blocks; index < end; index += 1) {
    const block = blocks[index];
    if (block === undefined) break;
    open = follow(open, block, form);
    bytes.append(form.between(last, block) + block.head + markText(form, marks.get(index)) + block.tail);
    last = block;
  }
  return open;
}

function markText({ marks }: BodyForm, ttl: Marker['ttl'] | undefined): string {
  return ttl === undefined ? '' : (marks?.[ttl] ?? '');
}

/**
 * Returns the index of the first block that the next seal does not include. This is the first block of the messages
 * with a marker, because the next request moves that marker. If there is no such block, it is the last new block that
 * the next request can mark. If there is no such block either, the result is the number of blocks.
 */
function sealEnd({ blocks, marks }: BodyWriting, from: number): number {
  let first = Infinity;
  for (const index of marks.keys()) if (blocks[index]?.section === 'messages') first = Math.min(first, index);
  if (first !== Infinity) return first;
  for (let index = blocks.length - 1; index >= from; index -= 1) {
    const block = blocks[index];
    if (block?.section === 'messages' && block.markable) return index;
  }
  return blocks.length;
}

function marksOf({ service, marks }: BodyForm, blocks: readonly Block[], markers: readonly Marker[]): Marks {
  for (const { block, ttl } of markers) {
    if (marks?.[ttl] !== undefined && blocks[block]?.markable === true) continue;
    throw refuse(
      service,
      'provider/invalid',
      marks === undefined
        ? `${service.title} caches automatically and accepts no markers here: plan the request without markers`
        : `block ${block} of ${blocks.length} cannot have a marker of ${ttl}: plan the markers again`,
    );
  }
  return new Map(markers.map(({ block, ttl }) => [block, ttl]));
}

function requireFront(service: Service, front: LoweredFront, blocks: readonly Block[]): void {
  const last = front.blocks.length - 1;
  const next = blocks[last + 1];
  if (isSame(front.blocks[last], blocks[last]) && (next === undefined || next.section === 'messages')) return;
  throw refuse(
    service,
    'provider/invalid',
    'the blocks of a body must begin with the blocks of its front: pass the blocks of front and messages together to `write`',
  );
}

function requireExtension(service: Service, seal: Seal, blocks: readonly Block[]): void {
  if (isSame(seal.last, blocks[seal.blocks - 1])) return;
  throw refuse(
    service,
    'provider/invalid',
    `the blocks do not extend the blocks of the last body at block ${seal.blocks - 1}: begin a new body with \`join\``,
  );
}

function isSame(a: Block | undefined, b: Block | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && a.head === b.head && a.tail === b.tail);
}

interface BodyContinuation {
  readonly form: BodyForm;
  readonly front: LoweredFront;
  readonly blocks: readonly Block[];
  readonly mark: (index: number) => string;
}

/**
 * Returns the body of a request that continues from an earlier answer: the tools and the blocks from index `from`. The
 * service already has the system texts and the earlier blocks.
 */
function continuationBody(
  { form, front, blocks, mark }: BodyContinuation,
  { from }: Answered,
  envelope: Envelope,
): string {
  const pieces = [form.header(front.front)];
  let last: Block | undefined;
  const add = (block: Block, index: number): void => {
    pieces.push(form.between(last, block), block.head, mark(index), block.tail);
    last = block;
  };
  front.blocks.filter(({ section }) => section === 'tools').forEach(add);
  blocks.slice(from).forEach((block, index) => add(block, from + index));
  pieces.push(form.between(last, undefined), form.end(front.front, envelope));
  return pieces.join('');
}

const FIRST_CAPACITY = 64 * 1024;

interface GrowingBytes {
  length(): number;
  append(text: string): void;
  cut(length: number): void;
  /** Returns the bytes from this offset to the end, as a view that the next append may change. */
  since(from: number): Uint8Array;
  copy(): Uint8Array;
}

function growingBytes(): GrowingBytes {
  let bytes = Buffer.allocUnsafeSlow(FIRST_CAPACITY);
  let used = 0;
  const reserve = (size: number): void => {
    if (used + size <= bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(bytes.length * 2, used + size));
    bytes.copy(larger, 0, 0, used);
    bytes = larger;
  };
  return {
    length: () => used,
    append(text) {
      reserve(Buffer.byteLength(text, 'utf8'));
      used += bytes.write(text, used, 'utf8');
    },
    cut(length) {
      used = length;
    },
    since: (from) => bytes.subarray(from, used),
    copy: () => {
      const copy = Buffer.allocUnsafeSlow(used);
      bytes.copy(copy, 0, 0, used);
      return copy;
    },
  };
}

/**
 * Calls that have no result yet, and the group of the message that made them. If a history contains a call without a
 * result, an API answers every later request with status 400 (provider facts 1.6, 2.5).
 */
interface OpenCalls {
  readonly group: number;
  readonly ids: ReadonlySet<string>;
}

const NO_CALLS: OpenCalls = { group: -1, ids: new Set() };

/**
 * Updates the open calls with one more block.
 *
 * @throws ProviderError `provider/unclosed-history` for a result without its call, or for another block between a call
 * and its result. If `callsLast` is false, blocks of the answer that made the call are allowed between them.
 */
function follow(open: OpenCalls, block: Block, form: BodyForm): OpenCalls {
  if (block.holds === 'call') return withCall(open, block, form);
  if (block.holds === 'result') return withResult(open, block, form);
  const sameAnswer = block.group === open.group && block.role === 'assistant' && !form.callsLast;
  if (open.ids.size > 0 && !sameAnswer) throw unansweredError(open, form);
  return open;
}

function requireClosed(form: BodyForm, open: OpenCalls): void {
  if (open.ids.size > 0) throw unansweredError(open, form);
}

function withCall(open: OpenCalls, block: Block, form: BodyForm): OpenCalls {
  if (open.ids.size > 0 && block.group !== open.group) throw unansweredError(open, form);
  return { group: block.group, ids: new Set([...open.ids, idAfter(form.callPrefix, block)]) };
}

function withResult(open: OpenCalls, block: Block, form: BodyForm): OpenCalls {
  const id = idAfter(form.resultPrefix, block);
  if (!open.ids.has(id)) {
    throw refuse(
      form.service,
      'provider/unclosed-history',
      `the result of "${id}" has no open call before it: repair the history before the request`,
    );
  }
  return { group: block.group, ids: new Set([...open.ids].filter((other) => other !== id)) };
}

function idAfter(prefix: string, block: Block): string {
  return block.head.slice(prefix.length, block.head.indexOf('"', prefix.length));
}

function unansweredError(open: OpenCalls, { service }: BodyForm): Error {
  const ids = [...open.ids].join(', ');
  return refuse(
    service,
    'provider/unclosed-history',
    `no result follows the calls ${ids}: close them before the request`,
  );
}

/** Form of an API's request bodies: the text before, between and after the blocks. Each block contains its own text. */
export interface BodyForm {
  /** Service of the API, for errors. */
  readonly service: Service;
  /** Returns the text before all blocks: the model and the render parameters. */
  header(front: Front): string;
  /**
   * Returns the text between two neighboring blocks. `before` is `undefined` for the text before the first block, and
   * `after` is `undefined` for the text after the last block.
   */
  between(before: Block | undefined, after: Block | undefined): string;
  /** True if two neighboring blocks belong to the content of one message. */
  joins(before: Block, after: Block): boolean;
  /** True if the system texts are the first message. False if they are outside the messages. */
  readonly systemIsMessage: boolean;
  /**
   * Returns the fields that vary by call, and the closing brace. Throws `provider/invalid` for a field that the body
   * already contains.
   */
  end(front: Front, envelope: Envelope): string;
  /**
   * Marker text for each lifetime that the API offers, placed between the head and the tail of a block. Missing if the
   * API accepts no markers.
   */
  readonly marks?: { readonly [ttl in Marker['ttl']]?: string };
  /** Text with which the block of a call begins. The id of the call follows and ends at the next quotation mark. */
  readonly callPrefix: string;
  /** Text with which the block of a result begins. The id of its call follows and ends at the next quotation mark. */
  readonly resultPrefix: string;
  /** True if the calls of an answer must come after all other content of the message. */
  readonly callsLast: boolean;
  /**
   * Returns the fields that make a request continue from an earlier answer. Missing if the API does not support this.
   */
  readonly continuationFields?: (answered: Answered) => Envelope['fields'];
}

/**
 * Returns the indexes, in ascending order, of the blocks at the place that an API reported when it refused a request.
 * Without a content index, returns all blocks of the message. Returns an empty list if the place does not exist.
 */
export function locateBlocks(form: BodyForm, { message, content }: RefusedPlace, blocks: readonly Block[]): number[] {
  const found: number[] = [];
  let at = { message: -1, content: 0 };
  let before: Block | undefined;
  for (const [index, block] of blocks.entries()) {
    if (block.section === 'tools' || (block.section === 'system' && !form.systemIsMessage)) continue;
    const joins = before !== undefined && form.joins(before, block);
    at = joins ? { ...at, content: at.content + 1 } : { message: at.message + 1, content: 0 };
    before = block;
    if (at.message === message && (content ?? at.content) === at.content) found.push(index);
  }
  return found;
}
