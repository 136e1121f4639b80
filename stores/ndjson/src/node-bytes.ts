// Checksums, digests and text by Node.

import { createHash, hash as digestOf } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { BytePort } from '@tidemark/log';

/** The byte port of this store. */
export const nodeBytes: BytePort = {
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
