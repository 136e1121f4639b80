// Records the loaded modules of a process, when preloaded with `node --import`. At exit, writes the URL of each module
// to the file named by TIDEMARK_LOADED, one per line.

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
