// File format of a snapshot: a digest over the header and the state, then the header line, then the state. A damaged
// snapshot is treated as absent (L9).

import { canonicalJson } from '@tidemark/core';
import { chain as mintChain } from '../ids.ts';
import type { Snapshot } from '../port.ts';
import type { BytePort } from './line.ts';

/**
 * A snapshot. `offset` is the end of its last record in the session's own log file. It is absent if the store does not
 * know it.
 */
export interface KeptSnapshot {
  readonly snapshot: Snapshot;
  readonly offset?: number;
}

const DIGEST_LENGTH = 64;
const NEWLINE = 0x0a;
const SPACE = 0x20;

/** Returns the bytes `<digest> <header>⏎<state>`. The digest covers the header and the state. */
export function encodeSnapshot({ snapshot, offset }: KeptSnapshot, bytes: BytePort): Uint8Array {
  const { length, chain, revision } = snapshot;
  const header = canonicalJson({ length, chain, revision, offset }).text;
  const digest = bytes.sha256([header, snapshot.bytes]);
  const front = bytes.encode(`${digest} ${header}\n`);
  const whole = new Uint8Array(front.length + snapshot.bytes.length);
  whole.set(front);
  whole.set(snapshot.bytes, front.length);
  return whole;
}

/** Decodes bytes that `encodeSnapshot` returned. Returns `undefined` for any other bytes. */
export function decodeSnapshot(whole: Uint8Array, bytes: BytePort): KeptSnapshot | undefined {
  const end = whole.indexOf(NEWLINE);
  if (end <= DIGEST_LENGTH || whole[DIGEST_LENGTH] !== SPACE) return undefined;
  const header = whole.subarray(DIGEST_LENGTH + 1, end);
  const state = new Uint8Array(whole.subarray(end + 1));
  if (bytes.sha256([header, state]) !== bytes.decode(whole.subarray(0, DIGEST_LENGTH))) return undefined;
  return readHeader(bytes.decode(header), state);
}

/**
 * Reads the header of a snapshot file from the first bytes of the file. Returns the number of records of the snapshot
 * and its log offset, or `undefined` if the header is not valid or has no offset. The digest is not checked, so the
 * result is only a hint.
 */
export function snapshotPlace(
  front: Uint8Array,
  bytes: BytePort,
): { readonly length: number; readonly offset: number } | undefined {
  const end = front.indexOf(NEWLINE);
  const header = readHeader(bytes.decode(front.subarray(DIGEST_LENGTH + 1, Math.max(end, 0))), new Uint8Array());
  if (header?.offset === undefined) return undefined;
  return { length: header.snapshot.length, offset: header.offset };
}

interface Header {
  readonly length?: unknown;
  readonly chain?: unknown;
  readonly revision?: unknown;
  readonly offset?: unknown;
}

function readHeader(text: string, state: Uint8Array): KeptSnapshot | undefined {
  try {
    const { length, chain, revision, offset }: Header = JSON.parse(text);
    if (typeof length !== 'number' || typeof chain !== 'string' || typeof revision !== 'string') return undefined;
    const snapshot = { length, chain: mintChain(chain), revision, bytes: state };
    return isPlace(offset) ? { snapshot, offset } : { snapshot };
  } catch {
    return undefined;
  }
}

function isPlace(offset: unknown): offset is number {
  return typeof offset === 'number' && Number.isSafeInteger(offset) && offset > 0;
}
