// Bundles the script of the page, and reads its style. A release contains the result.

import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import type { PageParts } from './inspector-page.ts';

const PAGE = new URL('../page/', import.meta.url);

/** Bundles the sources of the page. */
export async function buildParts(): Promise<PageParts> {
  const bundle = await rolldown({
    input: fileURLToPath(new URL('main.tsx', PAGE)),
    platform: 'browser',
    transform: { target: 'es2022', jsx: { runtime: 'automatic', importSource: 'preact' } },
  });
  try {
    const { output } = await bundle.generate({ format: 'esm', minify: true, codeSplitting: false });
    const [{ code }] = output;
    // The script is inside of a page, where these characters would end it.
    return { script: code.replaceAll('</script', '<\\/script'), style: await readFile(new URL('style.css', PAGE), 'utf8') };
  } finally {
    await bundle.close();
  }
}
