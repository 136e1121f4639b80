// Links in the documents: every link leads to an existing place, and every package is in the README and in the
// architecture page.

import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { anchorsIn, linksIn, pagesBelow, readPage } from './documents.ts';
import type { Link } from './documents.ts';
import { ROOT } from './run-tidemark.ts';

const pages = await pagesBelow(ROOT);

describe.each(pages)('%s', (page) => {
  test('has only links to existing files and headings', async () => {
    const links = linksIn(await readPage(ROOT, page));
    const broken = await Promise.all(links.map(async (link) => ((await leadsSomewhere(page, link)) ? [] : [link])));
    expect(broken.flat()).toEqual([]);
  });
});

async function leadsSomewhere(page: string, { path, anchor }: Link): Promise<boolean> {
  const target = path === '' ? page : normalize(join(dirname(page), path));
  if (target.startsWith('..') || !existsSync(join(ROOT, target))) return false;
  return anchor === undefined || anchorsIn(await readPage(ROOT, target)).has(anchor);
}

describe('the packages of the repository', async () => {
  const rooms = await roomsIn(['packages', 'stores', 'providers', 'tools', 'apps']);
  const readme = await readPage(ROOT, 'README.md');
  const overview = await readPage(ROOT, join('docs', 'architecture', 'README.md'));

  test('are found', () => expect(rooms.length).toBeGreaterThan(8));

  test.each(rooms)('%s is in the README and in the architecture page', (room) => {
    const [, name = ''] = room.split('/');
    expect(readme).toContain(`${name}/`);
    expect(overview).toContain(`\`${room}\``);
  });
});

async function roomsIn(folders: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(
    folders.map(async (folder) => {
      const names = await readdir(join(ROOT, folder));
      return names.map((name) => `${folder}/${name}`).filter((room) => existsSync(join(ROOT, room, 'package.json')));
    }),
  );
  return found.flat();
}

test('`linksIn` ignores links inside code, and `anchorsIn` names headings as GitHub does', () => {
  expect(linksIn('[a](b.md#c) `[d](e.md)`\n```\n[f](g.md)\n```\n[h](https://example.org)')).toEqual([
    { line: 1, path: 'b.md', anchor: 'c' },
  ]);
  expect(anchorsIn('# What is kept, and is it well?\n')).toEqual(new Set(['what-is-kept-and-is-it-well']));
});
