// Messages of the library name no flag of the command: an author of an agent cannot use them.

import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { globSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

/** Packages that a program of an author runs. The command itself and its settings may name flags. */
const LIBRARY = ['core', 'log', 'model', 'context', 'agent', 'kit', 'files'].map((name) =>
  join(root, 'packages', name),
);

/** Matches a flag after the name of the command, or a flag in quotes or brackets. */
const FLAG = /tidemark [^'"\n]*--[a-z]|[`(]--[a-z][a-z-]+[^`)\n|]*[`)]/;

function flagsIn(text: string): readonly string[] {
  return text
    .split('\n')
    .filter((line) => !/^\s*(?:\/\/|\*|\/\*)/.test(line) && !/[/]\^?\(/.test(line))
    .filter((line) => FLAG.test(line))
    .map((line) => line.trim());
}

test('no message of the library names a flag of the command', () => {
  const files = LIBRARY.flatMap((folder) => globSync(join(folder, 'src', '**', '*.ts'))).filter(
    (file) => !file.endsWith('.test.ts'),
  );
  expect(files.length).toBeGreaterThan(200);
  const found = files.flatMap((file) =>
    flagsIn(readFileSync(file, 'utf8')).map((line) => `${relative(root, file)}: ${line}`),
  );
  expect(found).toEqual([]);
});

test.each([
  ['next: `See: tidemark compact ${id} --dry-run --json`,', 1],
  ["'`tidemark doctor --repair <session>` copies them'", 1],
  ["'start a session with `--mode auto`'", 1],
  ["'Check the address (--base-url, or the settings)'", 1],
  ['// `--fresh` of the command', 0],
  ["'`tidemark doctor` lists them'", 0],
])('the check of messages sees %s', (line, count) => {
  expect(flagsIn(line)).toHaveLength(count);
});
