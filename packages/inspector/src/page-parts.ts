// Script and style of the page. A release contains them in a file. A clone of the project bundles them from the sources.

import { readFile } from 'node:fs/promises';

/** Script and style of the page. */
export interface PageParts {
  readonly script: string;
  readonly style: string;
}

/** Name of the file in a release. It is next to the code that reads it. */
const FILE = 'inspector-parts.json';
/** Place of the bundler in a clone. A release does not contain it, so its name must not be known to a bundler. */
const BUNDLER = '../page/build-parts.ts';

/**
 * Returns the parts of the page.
 *
 * @throws TypeError if the file of the release is damaged.
 */
export async function readPageParts(): Promise<PageParts> {
  const built = await readFile(new URL(FILE, import.meta.url), 'utf8').catch(unlessMissing);
  if (built !== undefined) return partsIn(JSON.parse(built));
  const bundler: unknown = await import(new URL(BUNDLER, import.meta.url).href);
  if (typeof bundler === 'object' && bundler !== null && 'buildParts' in bundler) {
    const { buildParts } = bundler;
    if (typeof buildParts === 'function') return partsIn(await buildParts());
  }
  throw new TypeError(`${BUNDLER} exports no function buildParts`);
}

function partsIn(value: unknown): PageParts {
  if (typeof value === 'object' && value !== null && 'script' in value && 'style' in value) {
    const { script, style } = value;
    if (typeof script === 'string' && typeof style === 'string') return { script, style };
  }
  throw new TypeError(`${FILE} is damaged: install tidemark again`);
}

function unlessMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}
