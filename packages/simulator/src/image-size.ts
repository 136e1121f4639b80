// The size of a picture from the first bytes of its base64 text: PNG, GIF and JPEG. Nothing else is decoded.

const HEAD_CHARACTERS = 256 * 1024;

/** Pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** Width and height as the header says them, or `undefined` when the bytes do not say. */
export function imageSize(base64: string): ImageSize | undefined {
  const bytes = Buffer.from(base64.slice(0, HEAD_CHARACTERS), 'base64');
  if (bytes.length < 24) return undefined;
  if (bytes.toString('latin1', 1, 4) === 'PNG')
    return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  if (bytes.toString('latin1', 0, 3) === 'GIF') return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  return bytes.readUInt16BE(0) === 0xffd8 ? jpegSize(bytes) : undefined;
}

/** Walks the segments to the first frame header (SOF0 to SOF15, without the three that are none). */
function jpegSize(bytes: Buffer): ImageSize | undefined {
  let at = 2;
  while (at + 9 < bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    const frame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (frame) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

const PIXELS_PER_TOKEN = 750;
const LONGEST_EDGE = 1568;
/** The most that a picture comes to, and what one does whose size cannot be read. */
const MOST_TOKENS = 1600;

/**
 * Tokens of a picture: pixels by 750, behind the service's own scaling to 1,568 pixels at the longer edge and about 1,600
 * tokens (docs.anthropic.com/en/docs/vision, "Evaluate image size").
 */
export function imageTokens(base64: string): number {
  const size = imageSize(base64);
  if (size === undefined) return MOST_TOKENS;
  const scale = Math.min(1, LONGEST_EDGE / Math.max(1, size.width, size.height));
  const pixels = size.width * scale * (size.height * scale);
  return Math.min(MOST_TOKENS, Math.max(1, Math.ceil(pixels / PIXELS_PER_TOKEN)));
}
