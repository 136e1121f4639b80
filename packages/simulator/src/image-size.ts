// Pixels of a picture from the first bytes of its base64 text: PNG, GIF and JPEG. Nothing else is decoded.

const HEAD_CHARACTERS = 256 * 1024;

/** Width × height, or `undefined` when the bytes do not say. */
export function imagePixels(base64: string): number | undefined {
  const bytes = Buffer.from(base64.slice(0, HEAD_CHARACTERS), 'base64');
  if (bytes.length < 24) return undefined;
  if (bytes.toString('latin1', 1, 4) === 'PNG') return bytes.readUInt32BE(16) * bytes.readUInt32BE(20);
  if (bytes.toString('latin1', 0, 3) === 'GIF') return bytes.readUInt16LE(6) * bytes.readUInt16LE(8);
  return bytes.readUInt16BE(0) === 0xffd8 ? jpegPixels(bytes) : undefined;
}

/** Walks the segments to the first frame header (SOF0 to SOF15, without the three that are none). */
function jpegPixels(bytes: Buffer): number | undefined {
  let at = 2;
  while (at + 9 < bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    const frame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (frame) return bytes.readUInt16BE(at + 5) * bytes.readUInt16BE(at + 7);
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}
