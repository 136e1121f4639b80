// What image a file holds, by its content and not by its name, and how many pixels it has: providers count by them.

/** A picture that models take. */
export interface ImageKind {
  readonly mediaType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  /** `undefined` where the header is damaged. */
  readonly pixels: { readonly width: number; readonly height: number } | undefined;
}

/** `undefined` when the bytes begin like none of them. */
export function imageKind(bytes: Buffer): ImageKind | undefined {
  if (begins(bytes, 0, '\x89PNG\r\n\x1a\n')) return { mediaType: 'image/png', pixels: pngPixels(bytes) };
  if (begins(bytes, 0, '\xff\xd8\xff')) return { mediaType: 'image/jpeg', pixels: jpegPixels(bytes) };
  if (begins(bytes, 0, 'GIF87a') || begins(bytes, 0, 'GIF89a'))
    return { mediaType: 'image/gif', pixels: pixels(bytes, 10, (at) => [at.readUInt16LE(6), at.readUInt16LE(8)]) };
  if (begins(bytes, 0, 'RIFF') && begins(bytes, 8, 'WEBP'))
    return { mediaType: 'image/webp', pixels: webpPixels(bytes) };
  return undefined;
}

function begins(bytes: Buffer, at: number, magic: string): boolean {
  return bytes.toString('latin1', at, at + magic.length) === magic;
}

function pixels(
  bytes: Buffer,
  needed: number,
  read: (bytes: Buffer) => readonly [width: number, height: number],
): ImageKind['pixels'] {
  if (bytes.length < needed) return undefined;
  const [width, height] = read(bytes);
  return width > 0 && height > 0 ? { width, height } : undefined;
}

function pngPixels(bytes: Buffer): ImageKind['pixels'] {
  if (!begins(bytes, 12, 'IHDR')) return undefined;
  return pixels(bytes, 24, (at) => [at.readUInt32BE(16), at.readUInt32BE(20)]);
}

function webpPixels(bytes: Buffer): ImageKind['pixels'] {
  if (begins(bytes, 12, 'VP8X')) return pixels(bytes, 30, (at) => [at.readUIntLE(24, 3) + 1, at.readUIntLE(27, 3) + 1]);
  if (begins(bytes, 12, 'VP8L'))
    return pixels(bytes, 25, (at) => [(at.readUInt32LE(21) & 0x3fff) + 1, ((at.readUInt32LE(21) >>> 14) & 0x3fff) + 1]);
  if (!begins(bytes, 12, 'VP8 ')) return undefined;
  return pixels(bytes, 30, (at) => [at.readUInt16LE(26) & 0x3fff, at.readUInt16LE(28) & 0x3fff]);
}

/** The frame header stands behind segments of any length; of the markers C0 to CF three are no frames. */
function jpegPixels(bytes: Buffer): ImageKind['pixels'] {
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      const frame = at;
      return pixels(bytes, at + 9, (all) => [all.readUInt16BE(frame + 7), all.readUInt16BE(frame + 5)]);
    }
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}
