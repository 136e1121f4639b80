// Reads lines of the log. It decodes the raw bytes of a line into a typed record. The layout and the checksum of the
// line must be valid.

import type { Json } from '@tidemark/core';
import type { Recorded, RecordedUnknown } from '../event.ts';
import { chain as mintChain, position as mintPosition, timestamp, turnId } from '../ids.ts';
import type { BytePort, SoundLine } from './line.ts';
import { partsOf } from './line.ts';
import type { RecordEnvelope } from './revision-1/decoder.ts';
import { DECODERS, isKind } from './revision-1/decoders.ts';

/**
 * Reason why a valid line cannot be decoded into a record. `parse`: the line is not a JSON object. `decode`: a field of
 * the record or its payload is not valid.
 */
export interface Undecodable {
  readonly phase: 'parse' | 'decode';
  readonly reason: string;
}

/**
 * Decodes a line that `checkLine` accepted. Returns the record, or the reason why the line cannot be decoded. A record
 * of a kind that this build does not know gets the kind `unknown`.
 */
export function decodeRecord(line: Uint8Array, sound: SoundLine, bytes: BytePort): Recorded | Undecodable {
  const text = bytes.decode(line);
  const parsed = parseParts(text, sound) ?? parse(text);
  if (parsed === undefined) return { phase: 'parse', reason: 'the line is not a JSON object' };
  const envelope = readEnvelope(sound, parsed);
  if (envelope === undefined)
    return { phase: 'decode', reason: 'the timestamp, turn or chain of the record is not valid' };
  const { kind, data } = parsed;
  if (typeof kind !== 'string' || data === undefined)
    return { phase: 'decode', reason: 'the kind or the payload of the record is missing' };
  if (!isKind(kind)) return unknownRecord(kind, envelope, data);
  const record = DECODERS[kind](envelope, data);
  if (!('unfit' in record)) return record;
  return { phase: 'decode', reason: record.unfit.map(({ path, expected }) => `${path}: ${expected}`).join('; ') };
}

interface ParsedLine {
  readonly at?: Json;
  readonly turn?: Json;
  readonly kind?: Json;
  readonly data?: Json;
  readonly chain?: Json;
}

/**
 * Parses only the JSON values of a line, without the fixed text around them. For small payloads, this takes half the
 * time of parsing the whole line. There are two cases in which it returns `undefined`. The kind is unknown, for example
 * because its name is written with escapes. Or a value is not JSON, because splitting by the layout cuts a string at an
 * escaped quote. The caller then parses the whole line.
 */
function parseParts(text: string, sound: SoundLine): ParsedLine | undefined {
  const parts = partsOf(text, sound);
  if (parts === undefined || !isKind(parts.kind)) return undefined;
  const { kind } = parts;
  try {
    const at: Json = JSON.parse(parts.at);
    const data: Json = JSON.parse(parts.data);
    const chain: Json = JSON.parse(parts.chain);
    if (parts.turn === undefined) return { at, kind, data, chain };
    const turn: Json = JSON.parse(parts.turn);
    return { at, kind, turn, data, chain };
  } catch {
    return undefined;
  }
}

function parse(text: string): ParsedLine | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function readEnvelope(sound: SoundLine, parsed: ParsedLine): RecordEnvelope | undefined {
  const { at, turn, chain } = parsed;
  if (typeof at !== 'string' || typeof chain !== 'string' || (turn !== undefined && typeof turn !== 'string'))
    return undefined;
  try {
    return {
      v: 1,
      position: mintPosition(sound.position),
      at: timestamp(at),
      fence: sound.fence,
      turn: turn === undefined ? undefined : turnId(turn),
      chain: mintChain(chain),
    };
  } catch {
    return undefined;
  }
}

function unknownRecord(name: string, envelope: RecordEnvelope, data: Json): RecordedUnknown {
  const { turn, ...placed } = envelope;
  const record = { ...placed, kind: 'unknown', name, data } as const;
  return turn === undefined ? record : { ...record, turn };
}
