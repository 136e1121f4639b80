// Documentation pages of the repository, and the links in them.

import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Link from a page to a place in the repository. */
export interface Link {
  /** Line number, counted from 1. */
  readonly line: number;
  /** Path as it is written, without `#` and the anchor. Empty for a link within the page. */
  readonly path: string;
  /** Anchor after `#`. Undefined without a `#`. */
  readonly anchor: string | undefined;
}

const NO_PAGES = new Set(['node_modules', 'dist', '.git', 'coverage', '.tidemark']);

/** Returns the paths of all Markdown pages below a folder, sorted and relative to `root`. */
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

/** Returns the links of a page to places in the repository or in the page itself. A link in code does not count. */
export function linksIn(page: string): readonly Link[] {
  return withoutCode(page).flatMap((text, index) =>
    [...text.matchAll(/\]\(([^()\s]+)\)/g)].flatMap(([, target = '']) => {
      if (/^[a-z]+:/.test(target)) return [];
      const [path = '', anchor] = target.split('#');
      return [{ line: index + 1, path, anchor }];
    }),
  );
}

/** Returns the anchors of a page: one for each heading, in GitHub's form. */
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

/** Reads the text of a page. Rejects if the page does not exist. */
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
