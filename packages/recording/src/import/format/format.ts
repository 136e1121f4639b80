// What a format brings: how the first pass sees a record, and how the second reads the records of one branch.

import type { Digest } from '@tidemark/log';
import type { RawRecord } from '../file/read-records.ts';
import type { From, ImportedMove } from './move.ts';
import type { Outline } from '../outline/outline.ts';
import type { Sighting } from '../outline/sighting.ts';

/** The formats known here. */
export type FormatName = 'pi-1' | 'pi-2' | 'pi-3' | 'claude-code';

/** Keeps bytes outside the log and names them. */
export type Keep = (bytes: Uint8Array) => Digest;

/** Reads the records of one branch in order. It may hold moves back until what they belong to is whole. */
export interface BranchReader {
  read(raw: RawRecord, from: From): readonly ImportedMove[];
  /** Puts a move of somebody else at its place among what is held. */
  pass(move: ImportedMove): readonly ImportedMove[];
  /** Lets go of everything that is held. */
  release(): readonly ImportedMove[];
}

/** What a reader is given. */
export interface BranchSource {
  readonly branch: number;
  readonly isSubagent: boolean;
  readonly outline: Outline;
  readonly keep: Keep;
}

/** One recording format. */
export interface Format {
  readonly name: FormatName;
  sight(raw: RawRecord): Sighting;
  reader(source: BranchSource): BranchReader;
}
