// Reads the version of this package from its `package.json`.

import { readFileSync } from 'node:fs';
import { ownFile } from './own-file.ts';

/** Version of `tidemark`, or `unknown` if `package.json` has none. */
export const VERSION: string = versionIn(readFileSync(ownFile('package.json'), 'utf8'));

function versionIn(manifest: string): string {
  const fields: unknown = JSON.parse(manifest);
  const version = typeof fields === 'object' && fields !== null && 'version' in fields ? fields.version : undefined;
  return typeof version === 'string' ? version : 'unknown';
}
