// How a model takes images, as a row of the catalog says it: how large it is shown them, and by which published rule they
// are counted. An image is counted by its pixels, never by the length of its base64.

/** How a model takes images: the size it is shown, in pixels, and the rule that gives the tokens. */
export interface ImageInput {
  /** Longest side that the model is shown; the provider scales down what is longer. Absent: any. */
  readonly side?: number;
  readonly count: PatchCount | TileCount;
}

/** Every patch that an image covers is a token, or so many of one; what has more patches than `most` is scaled down. */
export interface PatchCount {
  readonly by: 'patches';
  /** Pixels of a patch's side. */
  readonly size: number;
  readonly most?: number;
  /** Tokens of a patch. Default: 1. */
  readonly each?: number;
}

/**
 * Scaled to fit 2,048 pixels a side, then to 768 at the shorter one; `base` tokens, and `each` for every tile of 512 pixels.
 * @see https://developers.openai.com/api/docs/guides/images-vision
 */
export interface TileCount {
  readonly by: 'tiles';
  readonly base: number;
  readonly each: number;
}

/** Pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/**
 * Longest side of an image that is sent, whatever the model: with more than 20 images in a request Anthropic refuses longer
 * ones, and sessions grow. No model of the catalog loses by it what a text of usual size needs.
 * @see https://platform.claude.com/docs/en/build-with-claude/vision
 */
export const SENT_SIDE = 2_000;

/** The size at which an image is sent: as it is, or the largest of its shape that no provider scales down again. */
export function sentSize(input: ImageInput | undefined, size: ImageSize): ImageSize {
  return largest(size, { ...input, side: Math.min(SENT_SIDE, input?.side ?? SENT_SIDE) });
}

/** Tokens of an image by the rule of the model: at least 1. */
export function imageTokens(input: ImageInput, size: ImageSize): number {
  const { count } = input;
  if (count.by === 'tiles') return count.base + count.each * tilesOf(size);
  const patches = patchesOf(largest(size, input), count);
  return Math.max(1, Math.ceil(patches * (count.each ?? 1)));
}

/** The rule of the providers, "the largest possible size that preserves the aspect ratio": the longer side is searched. */
function largest(size: ImageSize, { side = Infinity, count }: Partial<ImageInput>): ImageSize {
  const most = count?.by === 'patches' ? (count.most ?? Infinity) : Infinity;
  const fits = (one: ImageSize): boolean =>
    Math.max(one.width, one.height) <= side && (count?.by !== 'patches' || patchesOf(one, count) <= most);
  if (fits(size)) return size;
  let [least, tooLong] = [1, Math.max(size.width, size.height)];
  while (tooLong - least > 1) {
    const middle = Math.floor((least + tooLong) / 2);
    if (fits(scaleToLonger(size, middle))) least = middle;
    else tooLong = middle;
  }
  return scaleToLonger(size, least);
}

function scaleToLonger({ width, height }: ImageSize, longer: number): ImageSize {
  const scale = longer / Math.max(width, height);
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

function patchesOf({ width, height }: ImageSize, { size }: PatchCount): number {
  return Math.ceil(width / size) * Math.ceil(height / size);
}

const TILE = { size: 512, longer: 2_048, shorter: 768 } as const;

function tilesOf({ width, height }: ImageSize): number {
  const shrink = Math.min(1, TILE.longer / Math.max(width, height, 1));
  const shorter = Math.min(width, height) * shrink;
  const scale = shrink * Math.min(1, TILE.shorter / Math.max(shorter, 1));
  return Math.ceil((width * scale) / TILE.size) * Math.ceil((height * scale) / TILE.size);
}
