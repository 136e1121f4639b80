// Rebuilds the requests that another program sent and recorded (`request.observed`). Their bodies are compared with the
// recorded digest. Their blocks are compared with the previous request.

import { defined } from '@tidemark/core';
import type { Sequence } from '@tidemark/context';
import { beginSequence, extendSequence, parameterDigests } from '@tidemark/context';
import type { Artifacts, Digest, Json, Log, Position, Recorded, RecordedOf, SessionId } from '@tidemark/log';
import { LogError } from '@tidemark/log';
import type { Block, RenderParameters, Section } from '@tidemark/model';
import { newHash, readArtifact } from '../session/materials.ts';
import type { BlockMaking } from './observed-blocks.ts';
import { frontBlocks, messageBlocks, missingBlock } from './observed-blocks.ts';
import type { ObservedBodyWriter, ObservedMessage } from './observed-body.ts';
import { createObservedBodyWriter } from './observed-body.ts';
import type { ObservedFields } from './observed-json.ts';
import { SORTED_JSON, fieldsOf } from './observed-json.ts';
import type { ObservedOrigins } from './observed-origins.ts';
import { createObservedOrigins } from './observed-origins.ts';

/** Request of another program, rebuilt from the log. */
export interface ObservedRequest {
  readonly record: RecordedOf<'request.observed'>;
  readonly sequence: Sequence;
  /** Lifetimes of the markers, by the index of the block. */
  readonly markers: ReadonlyMap<number, string>;
  /** Fields of the request that the cache depends on. */
  readonly parameters: RenderParameters;
  /** Parts whose content the recording does not contain: `front`, or `message` with its index. */
  readonly missing: readonly string[];
  /** True if the recording names all messages. Only then can this request be compared with another one. */
  readonly named: boolean;
  /** Digest of the rebuilt body. Absent if a part is missing or the form of the body is unknown. */
  readonly digest?: string;
  /** Returns the bytes of the body. Absent if `digest` is absent. */
  readonly body?: () => Uint8Array;
}

/** Reads the records of one session in order and rebuilds its observed requests. */
export interface ObservedReader {
  /**
   * Takes the next record. If the record is `request.observed`, returns the rebuilt request. The work is proportional
   * to the content that the previous request did not contain.
   *
   * @throws LogError as the store does.
   */
  read(record: Recorded): Promise<ObservedRequest | undefined>;
}

/** Message with its digest, and its blocks. `message` is absent if the recording does not contain its content. */
interface HeldMessage {
  readonly digest: Digest | undefined;
  readonly message: ObservedMessage | undefined;
  readonly blocks: readonly Block[];
}

interface HeldFront {
  readonly digest: Digest | undefined;
  readonly fields: ObservedFields | undefined;
  readonly blocks: readonly Block[];
}

interface HeldRequest {
  readonly position: Position;
  readonly front: HeldFront;
  readonly messages: readonly HeldMessage[];
  readonly sequence: Sequence;
}

interface Reading {
  readonly artifacts: Artifacts;
  readonly sized: boolean;
  readonly origins: ObservedOrigins;
  readonly writer: ObservedBodyWriter;
  session: string;
  held: HeldRequest | undefined;
}

/** Creates a reader. Without `sized`, the blocks have no estimated tokens, which is faster. */
export function createObservedReader(artifacts: Artifacts, { sized }: { readonly sized: boolean }): ObservedReader {
  const origins = createObservedOrigins();
  const writer = createObservedBodyWriter();
  const reading: Reading = { artifacts, sized, origins, writer, session: '', held: undefined };
  return {
    read: async (record) => {
      if (record.kind === 'session.created') reading.session = record.data.id;
      if (sized) origins.note(record);
      return record.kind === 'request.observed' ? readRequest(reading, record) : undefined;
    },
  };
}

async function readRequest(reading: Reading, record: RecordedOf<'request.observed'>): Promise<ObservedRequest> {
  const { data } = record;
  const before = reading.held?.position === data.base ? reading.held : undefined;
  const keep = before === undefined ? 0 : Math.min(data.keep, before.messages.length);
  const unnamed = data.keep - keep + (data.unnamed ?? 0);
  const making: BlockMaking = { sized: reading.sized, originOf: originsOf(reading, record) };
  const front = await loadFront(reading, record, making);
  const messages = [...(before?.messages.slice(0, keep) ?? [])];
  if (unnamed > 0) messages.push(unnamedMessage(messages.length, record, making));
  for (let index = 1; index < unnamed; index += 1) messages.push(NEXT_UNNAMED);
  for (const name of data.tail) messages.push(await loadMessage(reading, record, name, messages.length, making));
  const parameters = cacheParameters(data.parameters);
  const sequence = sequenceOf(reading.held, { front, messages, parameters, model: data.model });
  reading.held = { position: record.position, front, messages, sequence };
  return defined({
    record,
    sequence,
    markers: markersOf(record, front, messages),
    parameters,
    missing: missingParts(front, messages),
    named: messages.every(({ digest }) => digest !== undefined),
    ...bodyOf(reading, record, front, messages),
  });
}

function originsOf(
  { session, origins }: Reading,
  { position }: RecordedOf<'request.observed'>,
): BlockMaking['originOf'] {
  return (content) => ({ from: 'event', session, position: origins.find(content) ?? position });
}

async function loadFront(
  reading: Reading,
  { data }: RecordedOf<'request.observed'>,
  making: BlockMaking,
): Promise<HeldFront> {
  const before = reading.held?.front;
  if (before !== undefined && before.digest === data.front) return before;
  if (data.front === undefined) return { digest: undefined, fields: {}, blocks: [] };
  const json = await loadJson(reading, data.front, data.missing);
  if (json !== undefined) {
    const fields = fieldsOf(json.value);
    return { digest: data.front, fields, blocks: frontBlocks(fields, making) };
  }
  const blocks = [missingBlock(data.front, 'system', -1, making.originOf({}))];
  return { digest: data.front, fields: undefined, blocks };
}

async function loadMessage(
  reading: Reading,
  { data }: RecordedOf<'request.observed'>,
  name: Digest,
  index: number,
  making: BlockMaking,
): Promise<HeldMessage> {
  const message = await loadJson(reading, name, data.missing);
  const blocks =
    message === undefined
      ? [missingBlock(name, 'messages', index, making.originOf({}))]
      : messageBlocks(message.value, index, making);
  return { digest: name, message, blocks };
}

/**
 * Unnamed message after another unnamed message. The recording does not name these messages, so one block represents
 * all of them.
 */
const NEXT_UNNAMED: HeldMessage = { digest: undefined, message: undefined, blocks: [] };

// Nothing is known about the content of the block. The block contains the name of the request, so it differs from every
// other block.
function unnamedMessage(
  index: number,
  { data, position }: RecordedOf<'request.observed'>,
  { originOf }: BlockMaking,
): HeldMessage {
  const block = missingBlock(`${data.name} ${position} ${index}`, 'messages', index, originOf({}));
  return { digest: undefined, message: undefined, blocks: [block] };
}

/** Loads a part. Returns `undefined` if the recording does not contain the part, or if the store has lost it. */
async function loadJson(
  { artifacts }: Reading,
  name: Digest,
  missing: readonly Digest[] = [],
): Promise<ObservedMessage | undefined> {
  if (missing.includes(name)) return undefined;
  try {
    const text = new TextDecoder().decode(await readArtifact(artifacts, name));
    const value: Json = JSON.parse(text);
    return { value, text };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    if (error instanceof LogError && error.code.startsWith('artifact/')) return undefined;
    throw error;
  }
}

function missingParts({ fields }: HeldFront, messages: readonly HeldMessage[]): readonly string[] {
  const front = fields === undefined ? ['front'] : [];
  return [...front, ...messages.flatMap(({ message }, index) => (message === undefined ? [nameOf(index)] : []))];
}

/**
 * Names of the messages by their index. All requests of a session share this list, because a hostile file can contain
 * very many messages.
 */
const NAMES: string[] = [];

function nameOf(index: number): string {
  while (NAMES.length <= index) NAMES.push(`message ${NAMES.length}`);
  return NAMES[index] ?? '';
}

function bodyOf(
  { writer }: Reading,
  { data }: RecordedOf<'request.observed'>,
  { fields }: HeldFront,
  held: readonly HeldMessage[],
): Pick<ObservedRequest, 'digest' | 'body'> {
  const messages = held.flatMap(({ message }) => (message === undefined ? [] : [message]));
  if (fields === undefined || messages.length < held.length || data.form !== SORTED_JSON) return {};
  const { parameters, markers } = data;
  const { digest, text } = writer.write({ parameters, front: fields, messages, markers });
  return { digest, body: () => new TextEncoder().encode(text()) };
}

// The sequence is extended if the request extends the previous one. Otherwise a new sequence begins.

interface SequenceParts {
  readonly model: string;
  readonly parameters: RenderParameters;
  readonly front: HeldFront;
  readonly messages: readonly HeldMessage[];
}

function sequenceOf(before: HeldRequest | undefined, { model, parameters, front, messages }: SequenceParts): Sequence {
  const digests = parameterDigests(model, parameters, { renderParameters: PARAMETERS }, newHash);
  const extendsIt =
    before !== undefined &&
    before.front === front &&
    before.messages.every((message, index) => message === messages[index]) &&
    (['tools', 'system', 'messages'] as const).every(
      (section) => before.sequence.parameters[section] === digests[section],
    );
  const begun = extendsIt ? before.sequence : beginSequence(digests, front.blocks, newHash);
  const added = extendsIt ? messages.slice(before.messages.length) : messages;
  return extendSequence(
    begun,
    added.flatMap(({ blocks }) => blocks),
  );
}

/**
 * Fields of a request to Anthropic that affect the cache. Each field has the first section whose cache it changes (as
 * `renderParameters` of the catalog). Other fields, such as `max_tokens`, are not part of the prefix.
 */
const PARAMETERS: { readonly [name: string]: Section } = {
  speed: 'system',
  output_format: 'system',
  tool_choice: 'messages',
  thinking: 'messages',
  effort: 'messages',
};

function cacheParameters(fields: { readonly [name: string]: Json }): RenderParameters {
  const { speed, tool_choice, thinking, output_config: output } = fields;
  const { effort, format } = fieldsOf(output);
  return defined({ speed, tool_choice, thinking, effort, output_format: format });
}

/** Returns the lifetimes of the markers by block. A marker inside a result counts as a marker on the result. */
function markersOf(
  { data: { markers } }: RecordedOf<'request.observed'>,
  front: HeldFront,
  messages: readonly HeldMessage[],
): ReadonlyMap<number, string> {
  const tools = front.blocks.filter(({ section }) => section === 'tools').length;
  const starts: number[] = [];
  let next = front.blocks.length;
  for (const { blocks } of messages) {
    starts.push(next);
    next += blocks.length;
  }
  const found = new Map<number, string>();
  for (const { path, value } of markers) {
    const [field, index, , part] = path;
    const ttl = fieldsOf(value)['ttl'];
    const lifetime = typeof ttl === 'string' ? ttl : '5m';
    if (typeof index !== 'number') continue;
    if (field === 'tools') found.set(index, lifetime);
    if (field === 'system') found.set(tools + index, lifetime);
    if (field === 'messages') found.set((starts[index] ?? 0) + (typeof part === 'number' ? part : 0), lifetime);
  }
  return found;
}

/** Observed request of a step, with the request before it on its stream. */
export interface ObservedStep {
  readonly before?: ObservedRequest;
  readonly found?: ObservedRequest;
}

/**
 * Rebuilds the observed request of a step of the main stream, and the previous request. If the step has several
 * observed requests, returns the last one.
 *
 * @throws LogError as the store does.
 */
export async function readObservedStep(log: Log, session: SessionId, step: number): Promise<ObservedStep> {
  const reader = createObservedReader(log.artifacts, { sized: true });
  let last: ObservedRequest | undefined;
  let asked: ObservedStep = {};
  for await (const record of log.read(session)) {
    const observed = await reader.read(record);
    if (observed === undefined || observed.record.data.stream !== 'main') continue;
    if (observed.record.data.step === step) asked = defined({ before: last, found: observed });
    else if (asked.found !== undefined) return asked;
    last = observed;
  }
  return asked;
}
