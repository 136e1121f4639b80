// What can be had back of a damaged log: every record that is still whole, wherever it stands, and each in which one byte
// changed, where the chain proves what it was. What is gone for good is said with its positions (L6).

import { decodeRecord } from './decode-record.ts';
import { findRecords } from './find-records.ts';
import type { BytePort, SoundLine } from './line.ts';
import { chainBehind, chainIn, checkLine, headOf } from './line.ts';
import { mendings } from './mend-line.ts';
import type { RawLine } from './split-lines.ts';
import type { Tip } from './tip.ts';

/** A record that was had back, or a stretch of positions that was not. */
export type Salvaged =
  | { readonly type: 'record'; readonly line: Uint8Array; readonly sound: SoundLine; readonly mended: boolean }
  | { readonly type: 'lost'; readonly from: number; readonly count: number; readonly place: LostPlace };

/** Where the bytes of lost records stood. */
export interface LostPlace {
  /** 1-based line. */
  readonly line: number;
  readonly offset: number;
  readonly bytes: number;
}

/** Takes the lines of a log in order, the tail without a newline last. What it gives comes in order, without gaps. */
export interface Salvager {
  take(raw: RawLine): Iterable<Salvaged>;
  end(tail: RawLine): Iterable<Salvaged>;
}

const NEWLINE = 0x0a;

/** Whole records, by position, that stand elsewhere in a log than where they are due. */
export type Strayed = ReadonlyMap<number, readonly Uint8Array[]>;

/**
 * Begins behind `tip`: the end of what stands before the file's first record. `strayed`: what may stand in the place of
 * records that are not where they are due, where the chain proves that it is theirs.
 */
export function createSalvager(tip: Tip, bytes: BytePort, strayed: Strayed = new Map()): Salvager {
  const place = createSalvagePlace(tip, bytes);
  let doubtful: RawLine[] = [];
  const doubt = (raw: RawLine): void => void doubtful.push({ ...raw, bytes: new Uint8Array(raw.bytes) });

  /** What was doubtful, now that the next position that is there is known; at the end none is. */
  function* settle(next: number | undefined): Generator<Salvaged> {
    const [first] = doubtful;
    if (first === undefined) return;
    const region = joinLines(doubtful);
    doubtful = [];
    const where = { line: first.number, offset: first.offset, bytes: region.length };
    yield* search(place, region, { next, where, strayed }, bytes);
  }

  return {
    *take(raw) {
      const sound = place.judge(raw.bytes);
      if (sound === undefined) return doubt(raw);
      if (doubtful.length > 0 || sound.position > place.due) {
        yield* settle(sound.position);
        const where = { line: raw.number, offset: raw.offset, bytes: 0 };
        yield* skip(place, { next: sound.position, where, strayed });
        if (place.judge(raw.bytes) === undefined) return doubt(raw);
      }
      yield pass(place, raw.bytes, sound, false);
    },
    *end(tail) {
      if (tail.bytes.length > 0) doubt(tail);
      yield* settle(undefined);
    },
  };
}

/** Up to which position something may be found, if that is known, where its bytes stand, and what strayed from there. */
interface Bounds {
  readonly next: number | undefined;
  readonly where: LostPlace;
  readonly strayed: Strayed;
}

/** Every record in a damaged region, in order. What is due before `next` and is not there is lost. */
function* search(
  place: SalvagePlace,
  region: Uint8Array,
  { next, where, strayed }: Bounds,
  bytes: BytePort,
): Generator<Salvaged> {
  let at = 0;
  for (const { line, sound, start, end } of findRecords(region, bytes)) {
    if (place.judge(line) === undefined || (next !== undefined && sound.position >= next)) continue;
    yield* mendAll(place, region.subarray(at, start), bytes);
    yield* skip(place, { next: sound.position, where, strayed });
    const fits = place.judge(line) !== undefined;
    if (fits) yield pass(place, line, sound, false);
    at = fits ? end : start;
  }
  yield* mendAll(place, region.subarray(at), bytes);
  yield* skip(place, { next, where, strayed });
}

/** The bytes as one record, for one that a false newline cuts in two; else each line of them. */
function* mendAll(place: SalvagePlace, gap: Uint8Array, bytes: BytePort): Generator<Salvaged> {
  const before = place.due;
  yield* mend(place, gap.at(-1) === NEWLINE ? gap.subarray(0, -1) : gap, bytes);
  if (place.due === before) for (const piece of linesOf(gap)) yield* mend(place, piece, bytes);
}

/** The record that is due, if a changed byte is all that is wrong with it: only the chain can prove that. */
function* mend(place: SalvagePlace, piece: Uint8Array, bytes: BytePort): Generator<Salvaged> {
  if (!place.proves) return;
  for (const candidate of mendings(piece, bytes)) {
    const sound = place.judge(candidate);
    if (sound?.position !== place.due) continue;
    yield pass(place, candidate, sound, true);
    return;
  }
}

function pass(place: SalvagePlace, line: Uint8Array, sound: SoundLine, mended: boolean): Salvaged {
  place.pass(line, sound);
  return { type: 'record', line: new Uint8Array(line), sound, mended };
}

function* skip(place: SalvagePlace, { next, where, strayed }: Bounds): Generator<Salvaged> {
  yield* strayedHere(place, next, strayed);
  const from = place.due;
  if (next === undefined || from >= next) return;
  place.skipTo(next);
  yield { type: 'lost', from, count: next - from, place: where };
}

/** What is due and stands elsewhere. Only the chain can tell it from a record of another log. */
function* strayedHere(place: SalvagePlace, next: number | undefined, strayed: Strayed): Generator<Salvaged> {
  const isDue = (due: number): boolean => place.proves && (next === undefined || due < next);
  for (let { due } = place; isDue(due); { due } = place) {
    const line = strayed.get(due)?.find((one) => place.judge(one)?.position === due);
    const sound = line && place.judge(line);
    if (line === undefined || sound === undefined) return;
    yield pass(place, line, sound, false);
  }
}

/** The lines as they stood, each with its newline; the tail has none of its own, and one more does no harm. */
function joinLines(lines: readonly RawLine[]): Uint8Array {
  const whole = new Uint8Array(lines.reduce((sum, { bytes }) => sum + bytes.length + 1, 0)).fill(NEWLINE);
  let at = 0;
  for (const { bytes } of lines) {
    whole.set(bytes, at);
    at += bytes.length + 1;
  }
  return whole;
}

function* linesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length;) {
    const end = bytes.indexOf(NEWLINE, start);
    yield bytes.subarray(start, end === -1 ? bytes.length : end);
    start = end === -1 ? bytes.length : end + 1;
  }
}

/** The place of a salvage: the position, the fence and, while it is known, the chain that the next record must have. */
interface SalvagePlace {
  /** Position of the next record. */
  readonly due: number;
  /** Whether the record before it was had back, so that the chain can prove this one. */
  readonly proves: boolean;
  /** The line, if it can stand here or further on. */
  judge(line: Uint8Array): SoundLine | undefined;
  /** Goes on behind a line that was judged so. */
  pass(line: Uint8Array, sound: SoundLine): void;
  /** Goes on at a position: what is due before it is lost. */
  skipTo(position: number): void;
}

/** Returns the place after the last sound record. */
function createSalvagePlace(tip: Tip, bytes: BytePort): SalvagePlace {
  let { length: due, fence } = tip;
  let chain: Tip['chain'] | undefined = tip.chain;
  const follows = (line: Uint8Array, sound: SoundLine): boolean =>
    chain === undefined || chainBehind(chain, headOf(line, sound), bytes) === chainIn(line, sound, bytes);
  return {
    get due() {
      return due;
    },
    get proves() {
      return chain !== undefined;
    },
    judge(line) {
      const sound = checkLine(line, bytes);
      if (typeof sound === 'string' || sound.position < due || sound.fence < fence) return undefined;
      if (sound.position === due && !follows(line, sound)) return undefined;
      // The layout holds for every revision; what a later build wrote is copied as it is.
      return sound.v === 1 && 'phase' in decodeRecord(line, sound, bytes) ? undefined : sound;
    },
    pass(line, sound) {
      due = sound.position + 1;
      fence = sound.fence;
      chain = chainIn(line, sound, bytes);
    },
    skipTo(position) {
      due = position;
      chain = undefined;
    },
  };
}
