// Bundles the script of the page, and reads its style. The script of a release writes the result to a file.

import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import type { PageParts } from '../src/page-parts.ts';

/** Bundles the sources of the page. */
export async function buildParts(): Promise<PageParts> {
  const bundle = await rolldown({
    input: fileURLToPath(new URL('main.tsx', import.meta.url)),
    platform: 'browser',
    tsconfig: false,
    // Modules of the packages have no side effects, so those that the page does not use are left out.
    treeshake: { moduleSideEffects: false },
    transform: { target: 'es2022', jsx: { runtime: 'automatic', importSource: 'preact' } },
  });
  try {
    const { output } = await bundle.generate({ format: 'esm', minify: true, codeSplitting: false });
    const [{ code }] = output;
    // The script is inside of a page, where these characters would end it.
    return {
      script: code.replaceAll('</script', '<\\/script'),
      style: await readFile(new URL('style.css', import.meta.url), 'utf8'),
    };
  } finally {
    await bundle.close();
  }
}
