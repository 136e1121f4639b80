// Every page of the house, and the links in it.

import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** A link of a page to a place in the house. */
export interface Link {
  /** 1-based. */
  readonly line: number;
  /** The path as it is written, without what stands behind `#`; empty for the page itself. */
  readonly path: string;
  /** What stands behind `#`. */
  readonly anchor: string | undefined;
}

const NO_PAGES = new Set(['node_modules', 'dist', '.git', 'coverage', '.tidemark']);

/** Paths of all pages below a folder, relative to it. */
export async function pagesBelow(root: string, folder = ''): Promise<readonly string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  const pages = await Promise.all(
    entries.map(async (entry): Promise<readonly string[]> => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return NO_PAGES.has(entry.name) ? [] : pagesBelow(root, path);
      return entry.name.endsWith('.md') ? [path] : [];
    }),
  );
  return pages.flat().toSorted();
}

/** The links of a page that do not leave the house. Code is no link. */
export function linksIn(page: string): readonly Link[] {
  return withoutCode(page).flatMap((text, index) =>
    [...text.matchAll(/\]\(([^()\s]+)\)/g)].flatMap(([, target = '']) => {
      if (/^[a-z]+:/.test(target)) return [];
      const [path = '', anchor] = target.split('#');
      return [{ line: index + 1, path, anchor }];
    }),
  );
}

/** What `#` may name in a page: each heading, as GitHub writes it. */
export function anchorsIn(page: string): ReadonlySet<string> {
  const headings = withoutFences(page).flatMap((line) => /^#{1,6} (.*)$/.exec(line)?.[1] ?? []);
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .trim()
        .replaceAll(' ', '-'),
    ),
  );
}

/** The text of a page, or nothing where there is no such page. */
export function readPage(root: string, path: string): Promise<string> {
  return readFile(join(root, path), 'utf8');
}

function withoutCode(page: string): readonly string[] {
  return withoutFences(page).map((line) => line.replaceAll(/`[^`]*`/g, (code) => '`'.repeat(code.length)));
}

function withoutFences(page: string): readonly string[] {
  let fenced = false;
  return page.split('\n').map((line) => {
    const isFence = line.startsWith('```');
    const hidden = fenced || isFence;
    if (isFence) fenced = !fenced;
    return hidden ? '' : line;
  });
}
