// Bytes of an output as well-formed UTF-8, whatever a program wrote: what is none is replaced by U+FFFD, and that is said.

import { isUtf8 } from 'node:buffer';

/** See the head of this file. */
export interface Utf8 {
  /** The bytes as UTF-8. A character that is cut at the end waits for the next bytes. */
  push(bytes: Uint8Array): Uint8Array;
  /** What still waits. */
  end(): Uint8Array;
  /** Whether anything was replaced so far. */
  readonly replaced: boolean;
}

const NOTHING: Uint8Array = new Uint8Array();

/** The beginning of an output. */
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

/** Where the last character begins that more bytes may complete; the end where there is none. */
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

/** Where a text may be cut at most so many bytes in, so that no character is halved. The bytes are well-formed. */
export function wholeCharacters(bytes: Uint8Array, most: number): number {
  if (most >= bytes.length) return bytes.length;
  let end = Math.max(0, most);
  while (end > 0 && isContinuation(bytes[end] ?? 0)) end -= 1;
  return end;
}

function isContinuation(byte: number): boolean {
  return byte >= 0x80 && byte < 0xc0;
}
