import { expect, test } from 'vitest';
import { excerptOf } from './explain-observed.ts';
import type { BlockMaking } from './observed-blocks.ts';
import { frontBlocks } from './observed-blocks.ts';
import type { Block } from '@tidemark/model';
import { position } from '@tidemark/log';

const MAKING: BlockMaking = { sized: false, originOf: () => ({ from: 'event', session: 's', position: position(1) }) };

/** Returns the block of a system text. */
function systemBlock(text: string): Block {
  const [block] = frontBlocks({ system: text }, MAKING);
  if (block === undefined) throw new Error('no block');
  return block;
}

function excerpt(was: string, is: string): ReturnType<typeof excerptOf> {
  return excerptOf({ at: 0, byte: 0, was: systemBlock(was), is: systemBlock(is) });
}

const LONG = 'You work in a shop, and the shop is open. '.repeat(10);

test('an excerpt shows the text around the first different character, with marks where text was left out', () => {
  const found = excerpt(`${LONG}It is 12:00:02 now. ${LONG}`, `${LONG}It is 12:00:03 now. ${LONG}`);
  expect(found?.was).toMatch(/^….{0,23}12:00:02 now\..{0,48}…$/);
  expect(found?.is).toMatch(/^….{0,23}12:00:03 now\..{0,48}…$/);
  expect(found?.was.length).toBeLessThan(80);
});

test('an excerpt of a short text is the whole text', () => {
  expect(excerpt('A', 'AB')).toEqual({ was: '{"text":"A","type":"text"}', is: '{"text":"AB","type":"text"}' });
});

test('an excerpt that cuts an emoji in half is well-formed', () => {
  const found = excerpt(`${'🎉'.repeat(30)}a`, `${'🎉'.repeat(30)}b`);
  expect(found?.was.isWellFormed()).toBe(true);
});

test('there is no excerpt if only one of the requests has the block, or if the parameters differ', () => {
  expect(excerptOf({ at: 0, byte: 0, was: systemBlock('A'), is: undefined })).toBeUndefined();
  expect(excerptOf({ at: 'parameters', section: 'tools' })).toBeUndefined();
});
