// Where a salvage stands: what the next record must be, by its position, its fence and, while it is known, the chain.

import type { BytePort } from './byte-port.ts';
import { decodeRecord } from './decode-record.ts';
import { chainBehind, chainIn, checkLine, headOf } from './line.ts';
import type { SoundLine } from './line.ts';
import type { Tip } from './tip.ts';

/** See the head of this file. */
export interface SalvagePlace {
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

/** Begins behind the end of what is sound. */
export function createSalvagePlace(tip: Tip, bytes: BytePort): SalvagePlace {
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
