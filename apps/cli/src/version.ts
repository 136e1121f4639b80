// The version of this package, as its manifest says it.

import { readFileSync } from 'node:fs';

/** The version of `tidemark`. */
export const VERSION: string = versionIn(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

function versionIn(manifest: string): string {
  const fields: unknown = JSON.parse(manifest);
  const version = typeof fields === 'object' && fields !== null && 'version' in fields ? fields.version : undefined;
  return typeof version === 'string' ? version : 'unknown';
}
