// Functions on bytes that the codec of the log needs, as Node has them.

import { createHash, hash as digestOf } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Functions on bytes. They have the shape of the log's `BytePort`. */
export interface NodeBytes {
  crc32(data: string | Uint8Array): number;
  /** Returns the SHA-256 of all pieces together, in hex. */
  sha256(pieces: readonly (Uint8Array | string)[]): string;
  encode(text: string): Uint8Array;
  decode(bytes: Uint8Array): string;
}

/** Computes checksums, digests and text encodings with Node. */
export const nodeBytes: NodeBytes = {
  crc32: (data) => crc32(data),
  sha256(pieces) {
    const [only] = pieces;
    if (only !== undefined && pieces.length === 1) return digestOf('sha256', only, 'hex');
    const hash = createHash('sha256');
    for (const piece of pieces) hash.update(piece);
    return hash.digest('hex');
  },
  encode: (text) => Buffer.from(text, 'utf8'),
  decode: (bytes) =>
    (Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)).toString('utf8'),
};
