// Tests that the guide to the terminal lists exactly the slash commands and the keys of the program.

import { readFileSync } from 'node:fs';

import { expect, test } from 'vitest';

import { KEYS } from './keys.ts';
import { slashCommandTable } from './slash-commands.ts';

const GUIDE = readFileSync(new URL('../../../../../docs/guides/08-terminal.md', import.meta.url), 'utf8');

/** Returns the rows of the tables in a section of the guide, without their heads. */
function rowsIn(section: string): readonly string[] {
  const [, text = ''] = GUIDE.split(`\n## ${section}\n`);
  const [own = ''] = text.split('\n## ');
  return own.split('\n').filter((line) => line.startsWith('| ') && !/^\| (?:key|command) +\| effect/.test(line));
}

test('the guide lists each slash command with its arguments and its summary', () => {
  const none = { commands: () => [], own: async () => Promise.reject(new Error('not used')) };
  const table = slashCommandTable({
    ...none,
    userCommands: { run: async () => undefined, lastOutput: () => undefined, close: () => undefined },
  });
  const rows = table.map(({ name, argument, summary }) => {
    const line = argument === undefined ? name : `${name} ${argument.replaceAll('|', String.raw`\|`)}`;
    return `| \`/${line}\` | ${summary} |`;
  });
  expect(rowsIn('Slash commands').map(withoutPadding)).toEqual(rows);
});

test('the guide lists each key with its effect', () => {
  const rows = KEYS.flatMap(([, keys]) => keys.map(([key, effect]) => `| ${key} | ${effect} |`));
  expect(rowsIn('Keys').map(withoutPadding)).toEqual(rows);
});

function withoutPadding(row: string): string {
  return row.replaceAll(/ +\|/g, ' |');
}
