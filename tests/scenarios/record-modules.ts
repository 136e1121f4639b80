// Preloaded into a process (`node --import`): writes the address of every module that was loaded into the file that
// TIDEMARK_LOADED names, one to a line, when the process ends.

import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

const into = process.env['TIDEMARK_LOADED'];
const loaded: string[] = [];
registerHooks({
  load(url, context, next) {
    loaded.push(url);
    return next(url, context);
  },
});
process.on('exit', () => {
  if (into !== undefined) writeFileSync(into, loaded.join('\n'));
});
