// Image rules of a model, as the catalog describes them: the largest size that the model sees, and the published rule
// that counts the tokens. Tokens depend on the pixels of an image, never on the length of its base64 text.

/** Image rules of a model: the maximum size in pixels, and the rule that computes the tokens. */
export interface ImageInput {
  /** Maximum length of the longer side in pixels. The provider scales down larger images. Absent: no maximum. */
  readonly side?: number;
  readonly count: PatchCount | TileCount;
}

/** Counts tokens by the patches that an image covers. An image with more than `most` patches is scaled down. */
export interface PatchCount {
  readonly by: 'patches';
  /** Side of a square patch, in pixels. */
  readonly size: number;
  readonly most?: number;
  /** Tokens per patch. Default: 1. */
  readonly each?: number;
}

/**
 * Counts tokens by tiles. The image is scaled down to fit 2,048 pixels a side, then to 768 pixels at the shorter side.
 * The tokens of the image are `base`, plus `each` for every tile of 512 pixels.
 *
 * @see https://developers.openai.com/api/docs/guides/images-vision
 */
export interface TileCount {
  readonly by: 'tiles';
  readonly base: number;
  readonly each: number;
}

/** Width and height of an image, in pixels. */
export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/**
 * Maximum length of the longer side of a sent image in pixels, for every model. If a request has more than 20 images,
 * Anthropic refuses longer sides, and a growing session can reach that number. Text of usual size stays readable for
 * every model of the catalog.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/vision
 */
export const SENT_SIDE = 2_000;

/**
 * Returns the size at which an image is sent. If the image is within `SENT_SIDE` and the limits of the model (`side`,
 * the number of patches), this is its own size. Otherwise it is the largest size of the same shape within these limits.
 */
export function sentSize(input: ImageInput | undefined, size: ImageSize): ImageSize {
  return largest(size, { ...input, side: Math.min(SENT_SIDE, input?.side ?? SENT_SIDE) });
}

/** Returns the tokens of an image by the rule of the model; at least 1. */
export function imageTokens(input: ImageInput, size: ImageSize): number {
  const { count } = input;
  if (count.by === 'tiles') return count.base + count.each * tilesOf(size);
  const patches = patchesOf(largest(size, input), count);
  return Math.max(1, Math.ceil(patches * (count.each ?? 1)));
}

/** Providers scale an image to "the largest possible size that preserves the aspect ratio". */
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
