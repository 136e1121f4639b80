import { defaultCatalog, findModel } from '@tidemark/model';
import { createMemoryStore } from '@tidemark/store-memory';
import { describe, expect, test } from 'vitest';
import type { ImageFitter } from '../ports/image-fitter.ts';
import type { ImageKeeper } from './keep-images.ts';
import { keepGivenImages, keepToolImages } from './keep-images.ts';

const FULL_SIZE = { width: 4_000, height: 1_000 } as const;

/** Test fitter. It treats every image as an image of 4,000 by 1,000 pixels, and refuses an empty one. */
const fitter: ImageFitter = {
  fit(data, { sizeFor }) {
    if (data.length === 0) return Promise.resolve({ problem: 'it is empty' });
    const size = sizeFor(FULL_SIZE);
    const changes = [`scaled down from ${FULL_SIZE.width} x ${FULL_SIZE.height}`];
    return Promise.resolve({ data: Buffer.from(`${size.width}`), mediaType: 'image/png', ...size, changes });
  },
};

function keeper(model = 'claude-sonnet-5-5', images: ImageFitter | undefined = fitter): ImageKeeper {
  const capabilities = findModel(defaultCatalog(), model) ?? expect.unreachable(model);
  return { artifacts: createMemoryStore().artifacts, capabilities, ...(images && { images }) };
}

const given = (...bytes: readonly number[]): { readonly type: 'image'; readonly data: Uint8Array } => ({
  type: 'image',
  data: Uint8Array.from(bytes),
});

describe('an image in the log', () => {
  test('is stored in its fitted form, with a line that describes the change', async () => {
    expect(await keepGivenImages(keeper(), [{ type: 'text', text: 'Look.' }, given(1)])).toEqual([
      { type: 'text', text: 'Look.' },
      { type: 'image', artifact: expect.any(String), mediaType: 'image/png', bytes: 4, width: 2_000, height: 500 },
      {
        type: 'text',
        text: '[the image above is shown at 2000 x 500 pixels: scaled down from 4000 x 1000]',
      },
    ]);
  });

  test.each([
    ['claude-haiku-4-5', 1_568],
    ['claude-sonnet-5-5', 2_000],
    ['gpt-6.1-sol', 2_000],
    ['gemini-2.5-pro', 2_000],
  ])('has the size that %s is shown, and never more than 2,000 pixels per side', async (model, width) => {
    expect(await keepToolImages(keeper(model), [{ data: Uint8Array.of(1), mediaType: 'image/png' }])).toMatchObject([
      { width },
      {},
    ]);
  });

  test('is stored unchanged without a fitter if its media type is given', async () => {
    const { images: _none, ...blind } = keeper();
    expect(await keepToolImages(blind, [{ data: Uint8Array.of(1, 2), mediaType: 'image/gif' }])).toEqual([
      { type: 'image', artifact: expect.any(String), mediaType: 'image/gif', bytes: 2 },
    ]);
    await expect(keepGivenImages(blind, [given(1)])).rejects.toMatchObject({ code: 'agent/unfit-image' });
  });
});

describe('an image that cannot be sent', () => {
  test('becomes a line of text at its place in a tool result', async () => {
    const empty = { data: new Uint8Array(), mediaType: 'image/png' };
    const kept = await keepToolImages(keeper(), [empty, { ...empty, data: Uint8Array.of(1) }]);
    expect(kept.map(({ type }) => type)).toEqual(['text', 'image', 'text']);
    expect(kept[0]).toEqual({ type: 'text', text: '[image omitted: it is empty]' });
  });

  test('is an error with the name of the image if it comes from a prompt', async () => {
    await expect(keepGivenImages(keeper(), [{ ...given(), name: 'dot.png' }])).rejects.toMatchObject({
      code: 'agent/unfit-image',
      message: 'the image dot.png cannot be sent: it is empty',
    });
  });
});
