// Tests that the image library, 19 MB of machine code, is loaded only in a process that receives an image.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const SCRIPT = `
const { createImageFitter } = await import(process.argv[1]);
const isLoaded = () => process.report.getReport().sharedObjects.some((path) => path.includes('libvips'));
const fitter = createImageFitter();
const bounds = { sizeFor: (size) => size, bytes: 1_000_000 };
await fitter.fit(Buffer.from('<svg/>'), bounds);
const before = isLoaded();
await fitter.fit(Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64'), bounds);
console.log(JSON.stringify([before, isLoaded()]));
`;

test('the library is loaded with the first image that must be decoded, and not before', async () => {
  const face = new URL('./index.ts', import.meta.url).href;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', SCRIPT, face]);
  expect(JSON.parse(stdout)).toEqual([false, true]);
});
