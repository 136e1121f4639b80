// What a picture is and how large, from the first bytes of its base64 text. Nothing else is decoded.

const HEAD_CHARACTERS = 256 * 1024;

/** Pixels. */
export interface PixelSize {
  readonly width: number;
  readonly height: number;
}

/** Width and height as the header says them, or `undefined` when the bytes do not say. */
export function imageSize(base64: string): PixelSize | undefined {
  const bytes = Buffer.from(base64.slice(0, HEAD_CHARACTERS), 'base64');
  if (bytes.length < 24) return undefined;
  if (bytes.toString('latin1', 1, 4) === 'PNG')
    return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  if (bytes.toString('latin1', 0, 3) === 'GIF') return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  return bytes.readUInt16BE(0) === 0xffd8 ? jpegSize(bytes) : undefined;
}

/** Walks the segments to the first frame header (SOF0 to SOF15, without the three that are none). */
function jpegSize(bytes: Buffer): PixelSize | undefined {
  let at = 2;
  while (at + 9 < bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    const frame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (frame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

/** What a picture is by how it begins; `undefined` for anything else. */
export function imageType(base64: string): string | undefined {
  const head = Buffer.from(base64.slice(0, 24), 'base64').toString('latin1');
  return BEGINNINGS.find(([, begins]) => begins.test(head))?.[0];
}

const BEGINNINGS: readonly (readonly [mediaType: string, begins: RegExp])[] = [
  ['image/png', /^\u0089PNG/],
  ['image/jpeg', /^\u00FF\u00D8\u00FF/],
  ['image/gif', /^GIF8/],
  ['image/webp', /^RIFF[^]{4}WEBP/],
];
