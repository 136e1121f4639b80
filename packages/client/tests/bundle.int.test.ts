// Tests that the client can be bundled for a page.

import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';

/** Largest bundle that a page should load, in bytes after gzip. */
const LARGEST = 10_000;

test('the bundle of the client for a browser is small, and contains of this repository only `core`', async () => {
  const build = await rolldown({
    input: fileURLToPath(new URL('../src/index.ts', import.meta.url)),
    platform: 'browser',
    logLevel: 'silent',
  });
  const { output } = await build.generate({ format: 'es', minify: true });
  await build.close();
  const [chunk] = output;
  expect(output).toHaveLength(1);
  expect(chunk.imports).toEqual([]);
  const packages = chunk.moduleIds.map((id) => /.*\/(?:node_modules|packages)\/((?:@[^/]+\/)?[^/]+)/.exec(id)?.[1]);
  expect(new Set(packages)).toEqual(new Set(['client', 'core', 'eventsource-parser', 'openapi-fetch']));
  const { length } = gzipSync(chunk.code);
  expect(length).toBeLessThan(LARGEST);
  console.log(`bundle of the client: ${chunk.code.length} bytes, ${length} after gzip`);
});
