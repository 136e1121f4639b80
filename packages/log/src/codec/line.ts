// Line format of one record: its fixed layout, its seal (the `chain` and `sum` fields), and the checks on raw bytes
// without parsing.
//
// {"v":1,"position":7,"at":"…","fence":1,"kind":"…","turn":"…","data":{…},"chain":"<16 hex>","sum":"<8 hex>"}⏎
//
// The layout is the same for every revision. `v` is the revision of the payload.

import type { Chain, Position, Timestamp, TurnId } from '../ids.ts';
import { chain as mintChain } from '../ids.ts';

/** Number of bytes from `,"chain"` to the closing brace. */
const SEAL = 45;
/** Number of bytes from `,"sum"` to the closing brace. */
const SUM = 18;
const CHAIN_KEY = ascii(',"chain":"');
const SUM_KEY = ascii('","sum":"');
const BLANK_SEAL = ',"chain":"0000000000000000","sum":"00000000"}\n';
const ZERO = 0x30;
const CLOSING = ascii('"}');
const VERSION_KEY = ascii('{"v":');
const POSITION_KEY = ascii(',"position":');
const AT_KEY = ascii(',"at":"');
const FENCE_KEY = ascii('","fence":');
const KIND_KEY = ascii(',"kind":');
const KIND_OPENING = ',"kind":"';
const TURN_OPENING = ',"turn":"';
const DATA_OPENING = ',"data":';
const AT_LENGTH = '2026-11-20T09:30:00.000Z'.length;

/** Values that a line contains before its payload. */
export interface LineHead {
  readonly position: Position;
  readonly at: Timestamp;
  readonly fence: number;
  readonly kind: string;
  readonly turn: TurnId | undefined;
}

/** Returns the part of a line before its chain field, as text. `data` is canonical JSON. */
export function writeHead(head: LineHead, data: string): string {
  const turn = head.turn === undefined ? '' : `,"turn":${JSON.stringify(head.turn)}`;
  return `{"v":1,"position":${head.position},"at":"${head.at}","fence":${head.fence},"kind":${JSON.stringify(head.kind)}${turn},"data":${data}`;
}

/**
 * Returns the chain value after a record: the first 16 hex digits of a SHA-256 digest. The digest is computed over
 * `before` and `head`. `before` is the chain value of the previous record. `head` contains the raw bytes of this record
 * before its chain field.
 */
export function chainBehind(before: Chain, head: string | Uint8Array, bytes: BytePort): Chain {
  return mintChain(bytes.sha256([before, head]).slice(0, 16));
}

/**
 * Returns the whole line, newline included: the part before the chain field (`head`), the chain value (`chain`), and
 * the CRC-32 of both.
 */
export function seal(head: Uint8Array, chain: Chain, bytes: BytePort): Uint8Array {
  const line = new Uint8Array(head.length + SEAL + 1);
  line.set(head);
  line.set(bytes.encode(BLANK_SEAL), head.length);
  fillSeal(line, chain, bytes);
  return line;
}

/**
 * Returns the line of a record, newline included, and its chain value. `before` is the chain value of the previous
 * record. The line is encoded only one time. Its digest and checksum are written into the encoded bytes.
 */
export function writeLine(
  head: LineHead,
  data: string,
  before: Chain,
  bytes: BytePort,
): { readonly line: Uint8Array; readonly chain: Chain } {
  // The previous chain value is placed before the line, so both are digested in one pass.
  const whole = bytes.encode(`${before}${writeHead(head, data)}${BLANK_SEAL}`);
  const chain = mintChain(bytes.sha256([whole.subarray(0, -BLANK_SEAL.length)]).slice(0, 16));
  const line = whole.subarray(before.length);
  fillSeal(line, chain, bytes);
  return { line, chain };
}

function fillSeal(line: Uint8Array, chain: Chain, bytes: BytePort): void {
  const end = line.length - 1;
  write(chain, line, end - SEAL + CHAIN_KEY.length);
  const sum = bytes
    .crc32(line.subarray(0, end - SUM))
    .toString(16)
    .padStart(8, '0');
  write(sum, line, end - CLOSING.length - sum.length);
}

function write(hex: string, into: Uint8Array, offset: number): void {
  for (let index = 0; index < hex.length; index += 1) into[offset + index] = hex.charCodeAt(index);
}

/** Line whose layout and checksum are valid. */
export interface SoundLine {
  /** Codec revision of the payload. */
  readonly v: number;
  readonly position: number;
  readonly fence: number;
  /** Offset of the opening quote of the timestamp. */
  readonly dated: number;
  /** Offset of the first byte after the fence. */
  readonly named: number;
  /** Number of raw bytes before the chain field. */
  readonly sealed: number;
}

/** Returns the raw bytes of a valid line before its chain field. */
export function headOf(line: Uint8Array, { sealed }: SoundLine): Uint8Array {
  return line.subarray(0, sealed);
}

/**
 * Returns the chain value that a valid line contains.
 *
 * @throws TypeError if the field is not a valid chain value.
 */
export function chainIn(line: Uint8Array, { sealed }: SoundLine, bytes: BytePort): Chain {
  const start = sealed + CHAIN_KEY.length;
  return mintChain(bytes.decode(line.subarray(start, start + 16)));
}

/** Values of a line: the name of the kind, and every other value as raw JSON text. */
interface LineParts {
  readonly kind: string;
  readonly at: string;
  readonly turn: string | undefined;
  readonly data: string;
  readonly chain: string;
}

/**
 * Splits the text of a valid line into its values by the fixed layout, without parsing. Returns `undefined` if the text
 * does not have that layout.
 */
export function partsOf(text: string, { dated, named }: SoundLine): LineParts | undefined {
  if (!text.startsWith(KIND_OPENING, named)) return undefined;
  const kind = named + KIND_OPENING.length;
  const kindEnd = text.indexOf('"', kind) + 1;
  const turn = kindEnd + TURN_OPENING.length - 1;
  const hasTurn = text.startsWith(TURN_OPENING, kindEnd);
  const turnEnd = hasTurn ? text.indexOf('"', turn + 1) + 1 : kindEnd;
  if (!text.startsWith(DATA_OPENING, turnEnd)) return undefined;
  const sealed = text.length - SEAL;
  const chain = sealed + CHAIN_KEY.length - 1;
  return {
    kind: text.slice(kind, kindEnd - 1),
    at: text.slice(dated, dated + AT_LENGTH + 2),
    turn: hasTurn ? text.slice(turn, turnEnd) : undefined,
    data: text.slice(turnEnd + DATA_OPENING.length, sealed),
    chain: text.slice(chain, chain + 18),
  };
}

/** Reason why a line is not valid. `frame`: its layout is wrong. `checksum`: its bytes do not match its checksum. */
export type LineFault = 'frame' | 'checksum';

/**
 * Checks the raw bytes of a line, without its newline. If the line is valid, returns its revision, position, fence and
 * offsets. Otherwise returns the check that failed.
 */
export function checkLine(line: Uint8Array, bytes: BytePort): SoundLine | LineFault {
  const end = line.length;
  const sealed = end - SEAL;
  if (sealed < 0 || !stands(CHAIN_KEY, line, sealed) || !stands(CLOSING, line, end - CLOSING.length)) return 'frame';
  if (!stands(SUM_KEY, line, end - SUM - 1)) return 'frame';
  const sum = readHex(line, end - CLOSING.length - 8, 8);
  if (sum === undefined) return 'frame';
  if (bytes.crc32(line.subarray(0, end - SUM)) !== sum) return 'checksum';
  if (!isHex(line, sealed + CHAIN_KEY.length, 16)) return 'frame';
  return readNumbers(line, sealed) ?? 'frame';
}

/**
 * Yields each offset at which a line may end, in order. It searches for the fixed text of the `sum` field and for the
 * closing brace. It does not check the checksum.
 */
export function* endsIn(within: Uint8Array): Generator<number> {
  const quote = SUM_KEY[0] ?? 0;
  for (let at = within.indexOf(quote); at !== -1; at = within.indexOf(quote, at + 1)) {
    const end = at + 1 + SUM;
    if (stands(SUM_KEY, within, at) && stands(CLOSING, within, end - CLOSING.length)) yield end;
  }
}

/**
 * Returns a copy of the line in which the fixed text of the seal (the `chain` and `sum` fields) is restored. Returns
 * `undefined` if the line is shorter than a seal.
 */
export function stampSeal(line: Uint8Array): Uint8Array | undefined {
  if (line.length < SEAL) return undefined;
  const stamped = new Uint8Array(line);
  stamped.set(CHAIN_KEY, line.length - SEAL);
  stamped.set(SUM_KEY, line.length - SUM - 1);
  stamped.set(CLOSING, line.length - CLOSING.length);
  return stamped;
}

/** Returns the bytes of a line that its checksum covers. */
export function summedOf(line: Uint8Array): Uint8Array {
  return line.subarray(0, line.length - SUM);
}

/** Returns the checksum that a line contains, or `undefined` if the field is not hexadecimal. */
export function sumIn(line: Uint8Array): number | undefined {
  return readHex(line, line.length - CLOSING.length - 8, 8);
}

/** Returns a copy of the line with a newly computed checksum. */
export function reseal(line: Uint8Array, bytes: BytePort): Uint8Array {
  const summed = summedOf(line);
  const sum = bytes.crc32(summed).toString(16).padStart(8, '0');
  const sealed = new Uint8Array(line);
  sealed.set(bytes.encode(`,"sum":"${sum}"}`), summed.length);
  return sealed;
}

function readNumbers(head: Uint8Array, sealed: number): SoundLine | undefined {
  if (!stands(VERSION_KEY, head, 0)) return undefined;
  const v = readInteger(head, VERSION_KEY.length);
  if (v === undefined || !stands(POSITION_KEY, head, v.end)) return undefined;
  const position = readInteger(head, v.end + POSITION_KEY.length);
  if (position === undefined || !stands(AT_KEY, head, position.end)) return undefined;
  const behindAt = position.end + AT_KEY.length + AT_LENGTH;
  if (!stands(FENCE_KEY, head, behindAt)) return undefined;
  const fence = readInteger(head, behindAt + FENCE_KEY.length);
  if (fence === undefined || !stands(KIND_KEY, head, fence.end)) return undefined;
  const dated = position.end + AT_KEY.length - 1;
  return { v: v.value, position: position.value, fence: fence.value, dated, named: fence.end, sealed };
}

function readInteger(from: Uint8Array, start: number): { readonly value: number; readonly end: number } | undefined {
  let value = 0;
  let end = start;
  for (let digit = digitAt(from, end); digit !== undefined; digit = digitAt(from, end)) {
    value = value * 10 + digit;
    end += 1;
  }
  const isPadded = end > start + 1 && from[start] === ZERO;
  return end === start || isPadded || !Number.isSafeInteger(value) ? undefined : { value, end };
}

function digitAt(from: Uint8Array, index: number): number | undefined {
  const byte = from[index];
  return byte !== undefined && byte >= 0x30 && byte <= 0x39 ? byte - 0x30 : undefined;
}

function isHex(from: Uint8Array, start: number, length: number): boolean {
  return readHex(from, start, length) !== undefined;
}

function readHex(from: Uint8Array, start: number, length: number): number | undefined {
  let value = 0;
  for (let index = start; index < start + length; index += 1) {
    const byte = from[index] ?? 0;
    const digit = byte >= 0x61 && byte <= 0x66 ? byte - 0x57 : digitAt(from, index);
    if (digit === undefined) return undefined;
    value = value * 16 + digit;
  }
  return value;
}

function stands(word: readonly number[], at: Uint8Array, offset: number): boolean {
  for (let index = 0; index < word.length; index += 1) {
    if (at[offset + index] !== word[index]) return false;
  }
  return true;
}

function ascii(text: string): readonly number[] {
  return Array.from(text, (character) => character.charCodeAt(0));
}

// Operations on bytes that a pure package cannot do itself. A store passes them in as an argument.

/** Checksums, digests and text encoding of bytes. Text is encoded as UTF-8. */
export interface BytePort {
  /** CRC-32 (IEEE 802.3), unsigned. */
  crc32(data: string | Uint8Array): number;
  /** SHA-256 over all pieces in order, as 64 lower-case hex characters. */
  sha256(pieces: readonly (string | Uint8Array)[]): string;
  /** Encodes the text into a newly allocated array, because the caller writes into it. */
  encode(text: string): Uint8Array;
  decode(bytes: Uint8Array): string;
}
