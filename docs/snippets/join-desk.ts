// Bundles the order desk and everything it imports into a few small files, which start fast and need no installation.

import { join } from 'node:path';
import { rolldown } from 'rolldown';

const desk = await rolldown({
  input: join(import.meta.dirname, 'order-desk.ts'),
  platform: 'node',
  // These packages contain files that are not JavaScript. To show images or search files, install them separately. To
  // read PDFs, install unpdf.
  external: ['sharp', '@vscode/ripgrep'],
});
await desk.write({ dir: 'built', minify: true, entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' });
await desk.close();
