// Width and height from the first bytes of an image: PNG, GIF, JPEG, WebP. Nothing is decoded.

/** Pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** The size, or nothing when the bytes are of another kind or cut. */
export function imageSize(bytes: Uint8Array): ImageSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const found = png(view) ?? gif(view) ?? webp(view) ?? jpeg(view);
    return found === undefined || found.width === 0 || found.height === 0 ? undefined : found;
  } catch (error) {
    // A header that ends early is an image of unknown size.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function png(view: DataView): ImageSize | undefined {
  if (view.getUint32(0) !== 0x89504e47) return undefined;
  return { width: view.getUint32(16), height: view.getUint32(20) };
}

function gif(view: DataView): ImageSize | undefined {
  if (view.getUint32(0) !== 0x47494638) return undefined;
  return { width: view.getUint16(6, true), height: view.getUint16(8, true) };
}

const RIFF = 0x52494646;
const WEBP = 0x57454250;

function webp(view: DataView): ImageSize | undefined {
  if (view.getUint32(0) !== RIFF || view.getUint32(8) !== WEBP) return undefined;
  switch (view.getUint32(12)) {
    case 0x56503820:
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    case 0x5650384c: {
      const bits = view.getUint32(21, true);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 0x56503858:
      return { width: uint24(view, 24) + 1, height: uint24(view, 27) + 1 };
    default:
      return undefined;
  }
}

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) + view.getUint8(at + 2) * 0x10000;
}

function jpeg(view: DataView): ImageSize | undefined {
  if (view.getUint16(0) !== 0xffd8) return undefined;
  let at = 2;
  while (at < view.byteLength) {
    const marker = view.getUint16(at);
    if (marker === 0xffff) {
      at += 1;
    } else if (isFrame(marker)) {
      return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    } else {
      at += 2 + view.getUint16(at + 2);
    }
  }
  return undefined;
}

// Start-of-frame markers but for the tables and arithmetic codings among them.
function isFrame(marker: number): boolean {
  return marker >= 0xffc0 && marker <= 0xffcf && marker !== 0xffc4 && marker !== 0xffc8 && marker !== 0xffcc;
}
