// The order desk joined with all that it imports: a few small files that start fast, and need no installation.

import { join } from 'node:path';
import { rolldown } from 'rolldown';

const desk = await rolldown({
  input: join(import.meta.dirname, 'order-desk.ts'),
  platform: 'node',
  // They bring files that are no JavaScript: who shows images or searches files installs them beside.
  external: ['sharp', '@vscode/ripgrep'],
});
await desk.write({ dir: 'built', minify: true, entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' });
await desk.close();
