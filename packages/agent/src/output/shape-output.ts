// Shortens an output for the model, and adds notices about the omitted parts (L6). Pure functions.

import { isUtf8 } from 'node:buffer';
import type { Digest, Shaping } from '@tidemark/log';
import { graphemeAt } from '@tidemark/model';
import type { OutputLimits } from './result-limits.ts';
import { LARGEST_RESULT } from './result-limits.ts';

interface OutputShape {
  readonly limits: OutputLimits;
  /** True if some bytes were not UTF-8 and were replaced. */
  readonly replaced: boolean;
  /** True if the program overwrote a part of its output, so that this part is not shown. */
  readonly overwrote: boolean;
}

interface OutputCut extends OutputShape {
  readonly keeps: 'head' | 'tail';
  readonly digest: Digest;
  /** Maximum bytes that the artifact contains. */
  readonly keep: number;
  /** True if the artifact contains the whole output. */
  readonly isStoredWhole: boolean;
}

const REPLACED = '[Bytes that are not UTF-8 are shown as U+FFFD.]';
const OVERWRITTEN = '[Text that the program overwrote, such as a progress bar, is left out.]';
const PICTURED = '[Control characters are shown as symbols: ␀ for NUL, ␛ for ESC.]';

/** Control characters: C0 without tab, line feed and carriage return, and DEL. */
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/g;
const PICTURES = 0x24_00;
const DELETE = { code: 0x7f, picture: '\u2421' } as const;

/**
 * Returns the whole output with its notices if it fits the limits. Otherwise returns `undefined`, and the output must
 * be shortened.
 */
export function wholeOutput(view: View, { limits, ...shape }: OutputShape): string | undefined {
  if (view.bytes > limits.bytes || view.lines > limits.lines) return undefined;
  const whole = withRemarks(view.head, shape);
  return Buffer.byteLength(whole) <= limits.bytes && linesIn(whole) <= limits.lines ? whole : undefined;
}

/**
 * Returns the size of a text that is shown whole. The size includes visible symbols for control characters, and the
 * notice about them.
 */
export function shownSize(text: string): OutputLimits {
  const shown = withRemarks(text, { replaced: false, overwrote: false });
  return { bytes: Buffer.byteLength(shown), lines: linesIn(shown) };
}

/**
 * Returns the beginning or the end of an output. A notice states the omitted part and explains how to read the rest.
 */
export function cutOutput(view: View, cut: OutputCut): { readonly text: string; readonly shaping: Shaping } {
  const { keeps, limits } = cut;
  const source = keeps === 'head' ? view.head : view.tail;
  const shown = pictureControls(source);
  const notices = remarks(shown !== source, cut);
  // Reserves room for the longest possible notice, which states the size of the whole output in bytes. A line break
  // separates the notice from the text.
  const reserved = `\n${joinLines([notice(view, cut, 'bytes', view.bytes), ...notices])}`;
  const room = {
    bytes: Math.max(0, limits.bytes - Buffer.byteLength(reserved)),
    lines: Math.max(0, limits.lines - notices.length - 1),
  };
  const piece = keeps === 'head' ? headOf(shown, room) : tailOf(shown, room);
  const { unit } = piece;
  const kept = unit === 'lines' ? linesIn(piece.text) : bytesOf(source, piece.text.length, keeps);
  const lines = [notice(view, cut, unit, kept), ...notices];
  const text = joinLines(keeps === 'head' ? [piece.text, ...lines] : [...lines, piece.text]);
  return { text, shaping: { by: keeps, kept, total: unit === 'lines' ? view.lines : view.bytes, unit } };
}

type Remarked = Pick<OutputShape, 'replaced' | 'overwrote'>;

function withRemarks(source: string, shape: Remarked): string {
  const text = pictureControls(source);
  return joinLines([text, ...remarks(text !== source, shape)]);
}

function remarks(isPictured: boolean, { replaced, overwrote }: Remarked): readonly string[] {
  return [...(overwrote ? [OVERWRITTEN] : []), ...(replaced ? [REPLACED] : []), ...(isPictured ? [PICTURED] : [])];
}

function notice(
  view: View,
  { keeps, digest, keep, isStoredWhole }: OutputCut,
  unit: 'lines' | 'bytes',
  kept: number,
): string {
  const side = keeps === 'head' ? 'first' : 'last';
  const where = !isStoredWhole
    ? `Only its beginning and its end, ${keep} bytes together, are stored: to read them,`
    : 'To read the complete output,';
  const total = unit === 'lines' ? view.lines : view.bytes;
  return `[The output is cut here: the ${side} ${kept} of ${total} ${unit} are shown. ${where} use output_read with output ${digest}.]`;
}

/**
 * Replaces control characters by visible symbols. Each symbol is one character, like the control character that it
 * replaces. A length in the new text is therefore also valid in the original text.
 */
function pictureControls(text: string): string {
  return text.replaceAll(CONTROL, (control) =>
    control.charCodeAt(0) === DELETE.code ? DELETE.picture : String.fromCharCode(PICTURES + control.charCodeAt(0)),
  );
}

function bytesOf(source: string, length: number, keeps: 'head' | 'tail'): number {
  return Buffer.byteLength(keeps === 'head' ? source.slice(0, length) : source.slice(source.length - length));
}

function joinLines(texts: readonly string[]): string {
  let whole = '';
  for (const text of texts) {
    if (text === '') continue;
    whole += whole === '' || whole.endsWith('\n') ? text : `\n${text}`;
  }
  return whole;
}

/** Parts and sizes of an output. Nothing else is needed to shorten it. */
export interface View {
  /**
   * Beginning and end of the output. Each is the whole output, or more than twice as long as the part that can be
   * shown.
   */
  readonly head: string;
  readonly tail: string;
  /** Size of the whole output in bytes and in lines. */
  readonly bytes: number;
  readonly lines: number;
}

/** Collects the beginning, the end and the size of an output. */
export interface Ends {
  /** Adds a chunk, which must be well-formed UTF-8. */
  add(chunk: Uint8Array): void;
  view(): View;
}

/**
 * Number of bytes kept from the beginning and from the end of an output. A line that is longer than this number exceeds
 * the limit of any result.
 */
const HELD = 2 * LARGEST_RESULT + 4_096;
const NEWLINE = 0x0a;

/** Starts collecting the ends of an output. */
export function openEnds(): Ends {
  const last = lastBytes(HELD);
  const first: Uint8Array[] = [];
  let room = HELD;
  let bytes = 0;
  let newlines = 0;
  let isOpen = false;
  return {
    add(chunk) {
      if (chunk.length === 0) return;
      if (room > 0) {
        const taken = Buffer.from(chunk.subarray(0, wholeCharacters(chunk, room)));
        first.push(taken);
        room = taken.length < chunk.length ? 0 : room - taken.length;
      }
      last.add(chunk);
      bytes += chunk.length;
      newlines += newlinesIn(chunk);
      isOpen = chunk.at(-1) !== NEWLINE;
    },
    view: () => ({
      head: Buffer.concat(first).toString(),
      tail: Buffer.from(last.take()).toString(),
      bytes,
      lines: newlines + (isOpen ? 1 : 0),
    }),
  };
}

/** Returns the parts and sizes of a text that is complete. */
export function viewOf(text: string): View {
  return { head: text, tail: text, bytes: Buffer.byteLength(text), lines: linesIn(text) };
}

/** Counts the lines of a text. A last line without a line break counts too. */
function linesIn(text: string): number {
  if (text === '') return 0;
  let lines = text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

function newlinesIn(chunk: Uint8Array): number {
  let count = 0;
  for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}

/** Last bytes of a stream, in a ring buffer. A million small chunks need no more memory than one large chunk. */
export interface LastBytes {
  add(bytes: Uint8Array): void;
  /**
   * Returns all bytes added so far, or the last `limit` bytes if more were added. If earlier bytes are lost, the result
   * begins with a whole character.
   */
  take(): Uint8Array;
}

/** Creates a buffer for the last `limit` bytes. */
export function lastBytes(limit: number): LastBytes {
  const ring = Buffer.alloc(limit);
  let total = 0;
  return {
    add(bytes) {
      const kept = bytes.subarray(-limit);
      const at = (total + bytes.length - kept.length) % limit;
      ring.set(kept.subarray(0, limit - at), at);
      ring.set(kept.subarray(limit - at), 0);
      total += bytes.length;
    },
    take() {
      if (total <= limit) return Buffer.from(ring.subarray(0, total));
      const at = total % limit;
      const last = Buffer.concat([ring.subarray(at), ring.subarray(0, at)]);
      const start = last.findIndex((byte) => byte < 0x80 || byte >= 0xc0);
      return last.subarray(start === -1 ? limit : start);
    },
  };
}

/**
 * Converts the bytes of an output into well-formed UTF-8. Invalid bytes are replaced by U+FFFD, and `replaced` reports
 * this.
 */
interface Utf8 {
  /** Returns the bytes as UTF-8. An incomplete character at the end is kept until the next bytes arrive. */
  push(bytes: Uint8Array): Uint8Array;
  /** Ends the conversion. Returns the bytes that were kept, with U+FFFD in place of an incomplete character. */
  end(): Uint8Array;
  readonly replaced: boolean;
}

const NOTHING: Uint8Array = new Uint8Array();

/** Starts the conversion of an output. */
export function openUtf8(): Utf8 {
  let waiting = NOTHING;
  let replaced = false;
  const repair = (bytes: Uint8Array): Uint8Array => {
    if (isUtf8(bytes)) return bytes;
    replaced = true;
    return Buffer.from(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes));
  };
  return {
    push(bytes) {
      const all = waiting.length === 0 ? bytes : Buffer.concat([waiting, bytes]);
      const end = completeEnd(all);
      waiting = Buffer.from(all.subarray(end));
      return repair(all.subarray(0, end));
    },
    end() {
      const rest = repair(waiting);
      waiting = NOTHING;
      return rest;
    },
    get replaced() {
      return replaced;
    },
  };
}

/** Returns the index of an incomplete character at the end. If the last character is complete, returns the length. */
function completeEnd(bytes: Uint8Array): number {
  for (let back = 1; back <= 3; back += 1) {
    const byte = bytes.at(-back);
    if (byte === undefined) break;
    if (!isContinuation(byte)) return lengthOf(byte) > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

function lengthOf(lead: number): number {
  if (lead < 0xc0) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

/**
 * Returns the largest index up to `most` at which the bytes can be cut without splitting a character. The bytes must be
 * well-formed UTF-8.
 */
export function wholeCharacters(bytes: Uint8Array, most: number): number {
  if (most >= bytes.length) return bytes.length;
  let end = Math.max(0, most);
  while (end > 0 && isContinuation(bytes[end] ?? 0)) end -= 1;
  return end;
}

function isContinuation(byte: number): boolean {
  return byte >= 0x80 && byte < 0xc0;
}

// Cuts texts between lines. If a single line exceeds the limit, the text is cut inside this line, between graphemes.
// Pure functions.

/** The kept part of a text, and the unit of its size. */
export interface TextPiece {
  readonly text: string;
  /** `lines` if the part consists of whole lines, otherwise `bytes`. */
  readonly unit: 'lines' | 'bytes';
}

/**
 * Returns the longest beginning of a text within the limits. It ends after a whole line. If a line alone exceeds the
 * limit in bytes, it is cut.
 */
export function headOf(text: string, limits: OutputLimits): TextPiece {
  let end = 0;
  let bytes = 0;
  for (let lines = 0; lines < limits.lines && end < text.length; lines += 1) {
    const newline = text.indexOf('\n', end);
    const next = newline === -1 ? text.length : newline + 1;
    const size = Buffer.byteLength(text.slice(end, next));
    if (bytes + size > limits.bytes) {
      if (size <= limits.bytes) break;
      return { text: text.slice(0, beginning(text, end, limits.bytes - bytes)), unit: 'bytes' };
    }
    bytes += size;
    end = next;
  }
  return { text: text.slice(0, end), unit: 'lines' };
}

/**
 * Returns the longest end of a text within the limits. It begins with a whole line. If a line alone exceeds the limit
 * in bytes, it is cut.
 */
export function tailOf(text: string, limits: OutputLimits): TextPiece {
  let start = text.length;
  let bytes = 0;
  for (let lines = 0; lines < limits.lines && start > 0; lines += 1) {
    const next = start < 2 ? 0 : text.lastIndexOf('\n', start - 2) + 1;
    const size = Buffer.byteLength(text.slice(next, start));
    if (bytes + size > limits.bytes) {
      if (size <= limits.bytes) break;
      return { text: text.slice(ending(text, start, limits.bytes - bytes)), unit: 'bytes' };
    }
    bytes += size;
    start = next;
  }
  return { text: text.slice(start), unit: 'lines' };
}

/** Returns the last index after `from` that splits no grapheme and is at most `bytes` bytes after `from`. */
function beginning(text: string, from: number, bytes: number): number {
  let at = from;
  for (let room = bytes; at < text.length;) {
    room -= sizeAt(text, at);
    if (room < 0) break;
    at += unitsAt(text, at);
  }
  return Math.max(from, graphemeAt(text, at)?.index ?? at);
}

/** Returns the first index before `to` that splits no grapheme and is at most `bytes` bytes before `to`. */
function ending(text: string, to: number, bytes: number): number {
  let at = to;
  for (let room = bytes; at > 0;) {
    const before = at - (isLow(text.charCodeAt(at - 1)) ? 2 : 1);
    room -= sizeAt(text, before);
    if (room < 0) break;
    at = before;
  }
  const cut = graphemeAt(text, at);
  return Math.min(to, cut === undefined || cut.index === at ? at : cut.index + cut.segment.length);
}

function unitsAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

function sizeAt(text: string, at: number): number {
  const code = text.codePointAt(at) ?? 0;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code <= 0xffff ? 3 : 4;
}

function isLow(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
