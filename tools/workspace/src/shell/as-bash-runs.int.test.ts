// Checks lines for which `readCommands` finds only plain commands. Runs them in a real bash that cannot find any
// program. Bash records each program that it looks for.

import fc from 'fast-check';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readCommands } from './read-commands.ts';

const folder = mkdtempSync(join(tmpdir(), 'tidemark-plain-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const BASH = '/bin/bash';
// Commands may run in parallel. Therefore each record is written in one piece. If the format of `printf` contained a
// line end, bash would write the first half of the record too early.
const HANDLE = 'command_not_found_handle() { printf "%s\\0" "$@" $\'\\1\' >> "$RECORD"; }\n';
let runs = 0;

/** Runs the line in a bash that finds no programs. Returns the commands that bash looked for, in sorted order. */
function ran(source: string): readonly string[] {
  runs += 1;
  const record = join(folder, String(runs));
  // The handler is defined outside the tested line. Therefore `eval` runs exactly the text that `readCommands` read.
  spawnSync(BASH, ['-c', `${HANDLE}eval "$1"`, 'bash', source], {
    cwd: folder,
    env: { PATH: '', RECORD: record },
    timeout: 5_000,
  });
  if (!existsSync(record)) return [];
  return readFileSync(record, 'utf8').split('\0\u0001\0').slice(0, -1).toSorted();
}

const PIECES = [
  'xa',
  'xb',
  'xc-1',
  "'y z'",
  '"y z"',
  "'",
  '"',
  '\\',
  '$',
  '`',
  '(',
  ')',
  '{',
  '}',
  '#',
  '!',
  '~',
  '*',
  '=',
  '%',
  '+',
  ',',
  '^',
  ' ',
  ' ',
  ' ',
  '\t',
  '\n',
  ';',
  '&&',
  '||',
  '|',
  '&',
  '2>&1',
  '>/dev/null',
  '\r',
  '\u00a0',
  '\u2028',
  'é',
  'then',
  '[',
  ']',
];

test('bash runs only the commands that `readCommands` lists for a plain line', { timeout: 120_000 }, (context) => {
  if (!existsSync(BASH)) return context.skip('there is no /bin/bash here');
  let plainOnes = 0;
  const line = fc
    .array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 9 })
    .map((pieces) => `xa ${pieces.join('')}`);
  for (const source of fc.sample(line, { numRuns: 4_000, seed: 7 })) {
    const { plain } = readCommands(source);
    if (plain === undefined || plainOnes >= 150) continue;
    plainOnes += 1;
    const said = plain.map((words) => words.join('\0'));
    expect(said, JSON.stringify(source)).toEqual(expect.arrayContaining([...ran(source)]));
  }
  expect(plainOnes).toBeGreaterThan(50);
});
