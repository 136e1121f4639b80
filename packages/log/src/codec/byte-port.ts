// What a pure package cannot do with bytes by itself. A store brings it in as an argument.

/** Checksums, digests and text of bytes. Text means its UTF-8 form. */
export interface BytePort {
  /** CRC-32 (IEEE 802.3), unsigned. */
  crc32(data: string | Uint8Array): number;
  /** SHA-256 over the pieces, one after the other: 64 lower-case hex characters. */
  sha256(pieces: readonly (string | Uint8Array)[]): string;
  /** In memory of its own: it is written into. */
  encode(text: string): Uint8Array;
  decode(bytes: Uint8Array): string;
}
