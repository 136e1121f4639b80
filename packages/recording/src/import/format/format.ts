// Interface of a transcript format. The first pass collects facts about each record. The second pass reads the records
// of one branch.

import type { Hash } from 'node:crypto';
import type { Digest, ContentPart, Json } from '@tidemark/log';
import type { RawRecord } from '../file/read-records.ts';
import type { From, ImportedMove } from './move.ts';
import type { Outline, Sighting } from '../outline/outline.ts';
import { imageKind } from '@tidemark/model';
import type { JsonObject } from '../file/fields.ts';
import { isList, isObject, nameOf, objectOf, textOf, listOf } from '../file/fields.ts';

/** Names of the known formats. */
export type FormatName = 'pi-1' | 'pi-2' | 'pi-3' | 'claude-code' | 'codex' | 'opencode' | 'gemini-cli' | 'copilot';

/** Function that stores bytes outside the log and returns their digest. */
export type Keep = (bytes: Uint8Array) => Digest;

/**
 * Reads the records of one branch in order. The reader may hold moves until the answer to which they belong is
 * complete.
 */
export interface BranchReader {
  read(raw: RawRecord, from: From): readonly ImportedMove[];
  /**
   * Passes a move of another part of the import through the reader, for example the start of a subagent. Returns the
   * move, or an empty list if the reader holds it until an answer is complete.
   */
  pass(move: ImportedMove): readonly ImportedMove[];
  /** Returns all moves that the reader still holds. */
  release(): readonly ImportedMove[];
  /** Returns the task of the subagent, if the file states it before the first prompt of the subagent. */
  task?(): string | undefined;
}

/** Values that a branch reader needs: the branch, the outline of the file, and the function that stores bytes. */
export interface BranchSource {
  readonly branch: number;
  readonly isSubagent: boolean;
  readonly outline: Outline;
  readonly keep: Keep;
  /** State that the readers of all branches of a file share. */
  readonly shared: FileReading;
}

/** State of reading a whole file: the contents to which recorded requests refer. */
export interface FileReading {
  /** Outline of the whole file. `BranchSource.outline` can be the outline of an earlier state of the file. */
  readonly whole: Outline;
  /** Hashes of the digests whose contents are stored. */
  readonly kept: Set<number>;
  /** Messages of the latest recorded requests, by the name of the request. */
  readonly requests: Map<string, readonly (Digest | undefined)[]>;
  /** Rows that make up the message that is being read. */
  run: MessageRun | undefined;
  readonly stated: StatedFacts;
  /** Tasks of subagents that have not started yet, by the call that starts the subagent. */
  readonly tasks: Map<string, string>;
}

/** Latest facts that a file states in records of their own, for the records after them in all branches. */
export interface StatedFacts {
  provider?: string;
  model?: string;
  reasoning?: string;
  isSubagent?: boolean;
  /** True if the records have no types of their own, as in the first versions of Codex. */
  bare?: boolean;
  /** Latest running total of the token counts, as canonical text. */
  total?: string;
  /** Latest token counts of one call, as canonical text. */
  counts?: string;
  /** Hashes of the ids of the messages so far. */
  seen?: Set<number>;
  /** True after the first message that is not context of the client. */
  spoken?: boolean;
}

/** Message that is made of several rows: its blocks so far, and the hash of its text so far. */
export interface MessageRun {
  readonly role: string;
  readonly id: string | undefined;
  readonly hash: Hash;
  blocks: string[];
  count: number;
  characters: number;
}

/** Transcript format: its name, and the functions of the two passes. */
export interface Format {
  readonly name: FormatName;
  /** Returns the function of the first pass for one file. The function may remember earlier records. */
  sightings(): (raw: RawRecord) => Sighting;
  reader(source: BranchSource): BranchReader;
}

/**
 * Returns the parts of a prompt or a result. Programs write the content as a text or as a
 * list of blocks. Bytes of images and documents are stored outside the log, by digest. Any other block is kept as its
 * JSON text.
 */
export function contentParts(content: Json | undefined, keep: Keep): readonly ContentPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!isList(content)) return [];
  return content.map((block) => contentPart(block, keep));
}

/** Returns the texts of the parts, joined by line breaks, or `undefined` if a part is not text. */
export function plainText(parts: readonly ContentPart[]): string | undefined {
  const texts: string[] = [];
  for (const part of parts) {
    if (part.type !== 'text') return undefined;
    texts.push(part.text);
  }
  return texts.join('\n');
}

function contentPart(block: Json, keep: Keep): ContentPart {
  const fields = objectOf(block);
  const text = fields['type'] === 'text' ? textOf(fields['text']) : undefined;
  if (text !== undefined) return { type: 'text', text };
  return imagePart(fields, keep) ?? documentPart(fields, keep) ?? { type: 'text', text: asText(block) };
}

function asText(block: Json): string {
  return typeof block === 'string' ? block : JSON.stringify(block);
}

function imagePart(block: JsonObject, keep: Keep): ContentPart | undefined {
  if (block['type'] !== 'image') return undefined;
  const source = objectOf(block['source']);
  const mediaType = nameOf(block['mimeType']) ?? nameOf(source['media_type']);
  const bytes = decodeBase64(block['data'] ?? source['data']);
  if (mediaType === undefined || bytes === undefined) return undefined;
  return { type: 'image', artifact: keep(bytes), mediaType, bytes: bytes.length, ...imageKind(bytes)?.pixels };
}

function documentPart(block: JsonObject, keep: Keep): ContentPart | undefined {
  if (block['type'] !== 'document' || !isObject(block['source'])) return undefined;
  const bytes = decodeBase64(block['source']['data']);
  if (bytes === undefined || block['source']['type'] !== 'base64') return undefined;
  return { type: 'file', path: nameOf(block['title']) ?? 'document', artifact: keep(bytes) };
}

function decodeBase64(data: Json | undefined): Uint8Array | undefined {
  if (typeof data !== 'string') return undefined;
  const bytes = Buffer.from(data, 'base64');
  return bytes.length === 0 ? undefined : bytes;
}

const LONGEST = 80;

/**
 * Returns the first line that is not blank in a prompt, cut to 80 characters. This line becomes the title of a session
 * that has no title. Returns `undefined` if the line starts with an angle bracket, because a program wrote it.
 */
export function openingOf(content: Json | undefined): string | undefined {
  const text = textOf(content) ?? textOf(objectOf(listOf(content)[0])['text']);
  const line = text
    ?.slice(0, 4096)
    .split('\n')
    .find((one) => one.trim() !== '')
    ?.trim();
  if (line === undefined || line.startsWith('<')) return undefined;
  if (line.length <= LONGEST) return line.toWellFormed();
  // A surrogate pair that the cut would split is removed as a whole.
  return `${line
    .slice(0, LONGEST - 1)
    .replace(/[\uD800-\uDBFF]$/, '')
    .toWellFormed()}…`;
}
