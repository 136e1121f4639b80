// Recovers records from a damaged log: every record that is still whole, at any offset. A record with one changed byte
// is recovered if the chain can prove the repair. Lost records are reported with their positions (L6).

import { decodeRecord } from './decode-record.ts';
import { findRecords } from './find-records.ts';
import type { BytePort, SoundLine } from './line.ts';
import { chainBehind, chainIn, checkLine, headOf } from './line.ts';
import { repairCandidates } from './repair-line.ts';
import type { RawLine } from './split-lines.ts';
import type { Tip } from './tip.ts';

/**
 * A recovered record, or a range of positions whose records are lost. `mended` is true if a changed byte was corrected.
 */
export type Salvaged =
  | { readonly type: 'record'; readonly line: Uint8Array; readonly sound: SoundLine; readonly mended: boolean }
  | { readonly type: 'lost'; readonly from: number; readonly count: number; readonly place: LostPlace };

/** Location of the bytes of lost records. */
export interface LostPlace {
  /** 1-based line number. */
  readonly line: number;
  readonly offset: number;
  readonly bytes: number;
}

/**
 * Recovers records from the lines of a log. `take` gets the lines in order, and `end` gets the last bytes without a
 * newline. The results are in order of position, without gaps.
 */
export interface Salvager {
  take(raw: RawLine): Iterable<Salvaged>;
  end(tail: RawLine): Iterable<Salvaged>;
}

const NEWLINE = 0x0a;

/** Whole records that were found at a wrong place in a log, by position. */
export type Strayed = ReadonlyMap<number, readonly Uint8Array[]>;

/**
 * Creates a salvager that starts at `tip`, the state of the log before the file's first record. `strayed` contains
 * records found at wrong places. Such a record replaces a missing one if the chain proves that it belongs there.
 */
export function createSalvager(tip: Tip, bytes: BytePort, strayed: Strayed = new Map()): Salvager {
  const place = createSalvagePlace(tip, bytes);
  let doubtful: RawLine[] = [];
  const doubt = (raw: RawLine): void => void doubtful.push({ ...raw, bytes: new Uint8Array(raw.bytes) });

  /**
   * Searches the lines in `doubtful` for records, and empties the list. `next` is the position of the next valid
   * record, or `undefined` at the end of the file.
   */
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

/**
 * Bounds of a search: the position of the next valid record if it is known, the location of the bytes, and the strayed
 * records.
 */
interface Bounds {
  readonly next: number | undefined;
  readonly where: LostPlace;
  readonly strayed: Strayed;
}

/**
 * Yields every record in a damaged region, in order. If a position before `next` is not found, it is reported as lost.
 */
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

/**
 * Tries to repair the bytes as one record. If a byte changed into a newline, it can cut a record into two lines. If the
 * repair fails, tries to repair each line separately.
 */
function* mendAll(place: SalvagePlace, gap: Uint8Array, bytes: BytePort): Generator<Salvaged> {
  const before = place.due;
  yield* mend(place, gap.at(-1) === NEWLINE ? gap.subarray(0, -1) : gap, bytes);
  if (place.due === before) for (const piece of linesOf(gap)) yield* mend(place, piece, bytes);
}

/**
 * Tries to repair one changed byte in `piece`. Yields the record if it is at the position `place.due`. If the chain
 * value of the previous record is unknown, it yields nothing, because only the chain can prove a repair.
 */
function* mend(place: SalvagePlace, piece: Uint8Array, bytes: BytePort): Generator<Salvaged> {
  if (!place.proves) return;
  for (const candidate of repairCandidates(piece, bytes)) {
    const sound = place.judge(candidate);
    if (sound?.position !== place.due) continue;
    yield pass(place, candidate, sound, true);
    return;
  }
}

function pass(place: SalvagePlace, line: Uint8Array, sound: SoundLine, repaired: boolean): Salvaged {
  place.pass(line, sound);
  return { type: 'record', line: new Uint8Array(line), sound, mended: repaired };
}

function* skip(place: SalvagePlace, { next, where, strayed }: Bounds): Generator<Salvaged> {
  yield* strayedHere(place, next, strayed);
  const from = place.due;
  if (next === undefined || from >= next) return;
  place.skipTo(next);
  yield { type: 'lost', from, count: next - from, place: where };
}

/**
 * Yields the next missing records that are in `strayed`. The chain must prove each of them, because a record at a wrong
 * place can belong to another log.
 */
function* strayedHere(place: SalvagePlace, next: number | undefined, strayed: Strayed): Generator<Salvaged> {
  const isDue = (due: number): boolean => place.proves && (next === undefined || due < next);
  for (let { due } = place; isDue(due); { due } = place) {
    const line = strayed.get(due)?.find((one) => place.judge(one)?.position === due);
    const sound = line && place.judge(line);
    if (line === undefined || sound === undefined) return;
    yield pass(place, line, sound, false);
  }
}

/**
 * Joins the lines in the form that they had in the file, each with its newline. If the last line had no newline in the
 * file, the added newline has no effect.
 */
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

/**
 * State of a salvage: the position and the minimum fence of the next record. If the previous record is known, the state
 * also contains the chain value that the next record must follow.
 */
interface SalvagePlace {
  /** Position of the next record. */
  readonly due: number;
  /** True if the previous record was recovered, so its chain value can prove the next record. */
  readonly proves: boolean;
  /** Returns the checked line if it can be the next record or a later one, else `undefined`. */
  judge(line: Uint8Array): SoundLine | undefined;
  pass(line: Uint8Array, sound: SoundLine): void;
  /** Moves to a later position. The records before that position are lost. */
  skipTo(position: number): void;
}

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
      // All revisions have the same layout, so a line of a later revision is copied without decoding.
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
