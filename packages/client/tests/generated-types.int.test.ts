// Tests that the stored types of the client fit the OpenAPI document of the server.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { TYPES_FILE } from './make-types.ts';

test('the types of the client are up to date; `npm run client` writes them', () => {
  const program = fileURLToPath(new URL('make-types.ts', import.meta.url));
  const { stdout, stderr, status } = spawnSync(process.execPath, [program, '-'], { encoding: 'utf8' });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  expect(readFileSync(TYPES_FILE, 'utf8'), 'run `npm run client`').toBe(stdout);
});
