// Call trees in the architecture pages of `agent` and `context`: tests that each file named in a tree exists.

import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const ROOT = new URL('../../', import.meta.url);

test.each(['agent', 'context'])('the call tree of %s names only existing files', (room) => {
  const page = readFileSync(new URL(`docs/architecture/${room}.md`, ROOT), 'utf8');
  const blocks = page.split('```').filter((_, index) => index % 2 === 1);
  const named = [...blocks.join('\n').matchAll(/(?<![\w./-])[a-z]+\/[a-z-]+(?![\w/])/g)].map(([path]) => path);
  expect(named.length).toBeGreaterThan(15);
  const isThere = (path: string): boolean =>
    ['.ts', ''].some((end) => existsSync(new URL(`packages/${room}/src/${path}${end}`, ROOT)));
  expect(named.filter((path) => !isThere(path))).toEqual([]);
});
