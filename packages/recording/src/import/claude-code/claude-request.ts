// Reads the records in which Claude Code (from 2.1.330 on) states the requests that it sent. A request consists of
// three kinds of records: `api-request-shape` (system text and tools), `api-request-blob` (one message) and
// `api-request` (the parameters, the digests of the other two, the places of the cache markers, and the digest of the
// whole). A message whose content is already in user or assistant rows has no blob. Each digest is the SHA-256 of JSON
// with sorted keys, without markers, in which a text as content counts as a list with one text block.

import { createHash } from 'node:crypto';
import { defined } from '@tidemark/core';
import { sortedJson } from '@tidemark/agent';
import type { Digest, Json, ObservedMarker } from '@tidemark/log';
import { digest } from '@tidemark/log';
import type { JsonObject } from '../file/fields.ts';
import { countOf, hashText, isList, isObject, listOf, momentOf, nameOf, objectOf } from '../file/fields.ts';
import type { BranchSource, FileReading, MessageRun } from '../format/format.ts';
import type { From, ImportedMove } from '../format/move.ts';
import type { Sighting } from '../outline/outline.ts';

/** Returns what the first pass needs of a record of a request, or `undefined` for any other record. */
export function sightRequest(row: JsonObject): Sighting | undefined {
  const { type } = row;
  if (type !== 'api-request' && type !== 'api-request-shape' && type !== 'api-request-blob') return undefined;
  const agent = nameOf(row['agentId']);
  const at = momentOf(row['timestamp']);
  const session = nameOf(row['sessionId']);
  const place = { step: 'floats' as const, ...(agent === undefined ? {} : { side: true, agent }) };
  if (type !== 'api-request') return { ...place, ...defined({ at, session }) };
  const name = nameOf(row['id']);
  const id = name === undefined ? undefined : `request ${name}`;
  const wants = [row['shapeHash'], ...listOf(row['tail'])].flatMap((one) => asDigest(one) ?? []);
  return { ...place, wants, ...defined({ id, at, session }) };
}

/** Returns the moves of a record of a request. Contents that no request refers to are kept as foreign records. */
export function requestMoves(source: BranchSource, row: JsonObject, from: From): readonly ImportedMove[] {
  switch (row['type']) {
    case 'api-request-shape':
      return contentMoves(source, from, asDigest(row['shapeHash']), sortedJson(row['shape'], true));
    case 'api-request-blob':
      return contentMoves(source, from, asDigest(row['hash']), messageText(row['message']));
    default:
      return [requestMove(source, row, from) ?? { type: 'foreign', from, reason: 'an incomplete record of a request' }];
  }
}

function contentMoves(
  { keep, shared, outline }: BranchSource,
  from: From,
  stated: Digest | undefined,
  text: string,
): readonly ImportedMove[] {
  if (stated === undefined) return [{ type: 'foreign', from, reason: 'a content of a request without its digest' }];
  if (sha256(text) !== stated)
    return [{ type: 'foreign', from, reason: `the content does not match its digest ${stated}` }];
  if (shared.whole.isWanted(stated)) keepContent(shared, keep, stated, text);
  return outline.isWanted(stated)
    ? []
    : [{ type: 'foreign', from, reason: 'no recorded request refers to this content' }];
}

function keepContent({ kept }: FileReading, keep: BranchSource['keep'], named: Digest, text: string): void {
  if (kept.has(hashText(named))) return;
  kept.add(hashText(named));
  keep(new TextEncoder().encode(text));
}

// Requests. Claude Code writes each request against an earlier one of the same conversation: `keep` messages of `base`,
// then `tail`.

/** Maximum number of requests to which a later request can refer. Claude Code refers to the latest one of a chain. */
const REQUESTS_KEPT = 64;

/**
 * Maximum number of messages that a request can take over from an earlier one. No real request has as many: with 10,000
 * messages, each would have 100 tokens of the largest window. The number costs work even if the file names no message.
 */
const MAX_MESSAGES = 10_000;

/** Fields of `api-request` that have a field of the event, or that only place the record in the file. */
const READ: ReadonlySet<string> = new Set([
  'type',
  'sessionId',
  'agentId',
  'id',
  'timestamp',
  'version',
  'querySource',
  'shapeHash',
  'params',
  'base',
  'keep',
  'tail',
  'cacheControl',
  'requestDigest',
  'cutRequestDigest',
]);

function requestMove({ shared }: BranchSource, row: JsonObject, from: From): ImportedMove | undefined {
  const name = nameOf(row['id']);
  const { params } = row;
  const tail = listOf(row['tail']).map(asDigest);
  if (name === undefined || !isObject(params) || !isList(row['tail']) || tail.includes(undefined)) return undefined;
  const keptCount = countOf(row['keep']) ?? 0;
  if (keptCount > MAX_MESSAGES) return undefined;
  const before = shared.requests.get(nameOf(row['base']) ?? '') ?? [];
  const messages = [...Array.from({ length: keptCount }, (_, index) => before[index]), ...tail];
  rememberRequest(shared, name, messages);
  const rest = Object.fromEntries(Object.entries(row).filter(([field]) => !READ.has(field)));
  return defined({
    type: 'request',
    from,
    name,
    provider: 'anthropic',
    model: nameOf(params['model']) ?? 'unknown',
    purpose: nameOf(row['querySource']),
    version: nameOf(row['version']),
    parameters: definedFields(params),
    front: asDigest(row['shapeHash']),
    messages,
    isKept: (one: Digest) => shared.kept.has(hashText(one)),
    markers: markersOf(row),
    digest: asDigest(row['requestDigest'] ?? row['cutRequestDigest']),
    leftOut: leftOutOf(row),
    rest: Object.keys(rest).length === 0 ? undefined : definedFields(rest),
  });
}

function rememberRequest({ requests }: FileReading, name: string, messages: readonly (Digest | undefined)[]): void {
  requests.set(name, messages);
  const [oldest] = requests.keys();
  if (requests.size > REQUESTS_KEPT && oldest !== undefined) requests.delete(oldest);
}

function markersOf(row: JsonObject): readonly ObservedMarker[] {
  return listOf(row['cacheControl']).flatMap((one): readonly ObservedMarker[] => {
    const { path, value } = objectOf(one);
    const steps = listOf(path).flatMap((step) => (typeof step === 'string' || typeof step === 'number' ? [step] : []));
    return value === undefined || steps.length === 0 ? [] : [{ path: steps, value }];
  });
}

// Claude Code omits some parts of a request from its record: texts from the memory of the account (`cut`), and fields
// that the user added to each request (`withheld`). The record states the omissions.
function leftOutOf(row: JsonObject): readonly string[] | undefined {
  const withheld = listOf(row['withheld']).flatMap((one) => nameOf(one) ?? []);
  const cuts = countOf(objectOf(row['cut'])['cuts']);
  const cut =
    row['cut'] === undefined ? [] : [`${cuts ?? 'some'} texts (${nameOf(objectOf(row['cut'])['kind']) ?? 'cut'})`];
  const all = [...cut, ...withheld.map((field) => `the field ${field}`)];
  return all.length === 0 ? undefined : all;
}

function definedFields(fields: JsonObject): { readonly [name: string]: Json } {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]): readonly (readonly [string, Json])[] =>
      value === undefined ? [] : [[name, value]],
    ),
  );
}

// Messages in rows. Claude Code writes no blob for a message if rows of the transcript have the same content: one or
// more user rows in a row, or the rows of one answer up to any of them.

/** Takes a user or assistant row. If a request refers to the message that ends with this row, stores the message. */
export function noteRow({ shared, keep }: BranchSource, row: JsonObject): void {
  if (!shared.whole.hasRequests || (row['type'] !== 'user' && row['type'] !== 'assistant')) return;
  const { role, content, id } = objectOf(row['message']);
  if (typeof role !== 'string' || content === undefined || content === null) {
    shared.run = undefined;
    return;
  }
  const run = runWith(shared.run, role, nameOf(id));
  shared.run = run;
  for (const block of blocksOf(content)) addBlock(run, sortedJson(block, true));
  const end = `],"role":${JSON.stringify(role)}}`;
  const found = digest(run.hash.copy().update(end).digest('hex'));
  if (run.characters > MAX_HELD_TEXT || !shared.whole.isWanted(found)) return;
  keepContent(shared, keep, found, `${CONTENT}${run.blocks.join(',')}${end}`);
}

/** Maximum text of one message that is held, in characters. A longer message is not stored. */
const MAX_HELD_TEXT = 32 * 1024 * 1024;

const CONTENT = '{"content":[';

function runWith(run: MessageRun | undefined, role: string, id: string | undefined): MessageRun {
  if (run?.role === role && (role === 'user' || (id !== undefined && run.id === id))) return run;
  return { role, id, hash: createHash('sha256').update(CONTENT), blocks: [], count: 0, characters: 0 };
}

function addBlock(run: MessageRun, text: string): void {
  run.hash.update(run.count === 0 ? text : `,${text}`);
  run.count += 1;
  run.characters += text.length;
  if (run.characters <= MAX_HELD_TEXT) run.blocks.push(text);
  else run.blocks = [];
}

/** Returns the text of a message in the form that its digest covers. */
function messageText(message: Json | undefined): string {
  const fields = objectOf(message);
  const { content } = fields;
  return sortedJson(typeof content === 'string' ? { ...fields, content: blocksOf(content) } : fields, true);
}

function blocksOf(content: Json): readonly Json[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return isList(content) ? content : [content];
}

function asDigest(value: Json | undefined): Digest | undefined {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value) ? digest(value) : undefined;
}

function sha256(text: string): Digest {
  return digest(createHash('sha256').update(text).digest('hex'));
}
