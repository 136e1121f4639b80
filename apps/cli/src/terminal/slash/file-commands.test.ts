import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';

import type { FoundFileCommands } from './file-commands.ts';
import { expandCommand, findFileCommands } from './file-commands.ts';

let root: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'tidemark-file-commands-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
});

function write(path: string, text: string | Uint8Array): void {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text);
}

function found(...folders: readonly string[]): Promise<FoundFileCommands> {
  return findFileCommands(
    folders.map((folder) => ({ folder: join(root, folder), inside: root })),
    new Set(['cost']),
  );
}

async function reasonFor(name: string, text: string | Uint8Array): Promise<string | undefined> {
  write(`own/${name}`, text);
  const { commands, bad } = await found('own');
  expect(commands).toEqual([]);
  return bad[0]?.reason;
}

test('a Markdown file is a command with the description and the arguments of its front matter', async () => {
  write(
    'own/review.md',
    '---\r\ndescription: "Review a file"\r\nargument-hint: <file>\r\nmodel: any\r\n---\r\nReview $1.\r\n',
  );
  write('own/plain.md', 'Look around.\nThen stop.');
  write('own/notes.txt', 'not a command');
  expect(await found('own', 'missing')).toEqual({
    commands: [
      { name: 'plain', summary: 'Look around.', body: 'Look around.\nThen stop.', path: join(root, 'own/plain.md') },
      {
        name: 'review',
        summary: 'Review a file',
        argument: '<file>',
        body: 'Review $1.',
        path: join(root, 'own/review.md'),
      },
    ],
    bad: [],
  });
});

test('a file in an earlier folder takes precedence, and the other one is reported', async () => {
  write('own/go.md', 'mine');
  write('theirs/go.md', 'theirs');
  const { commands, bad } = await found('own', 'theirs');
  expect(commands.map(({ body }) => body)).toEqual(['mine']);
  expect(bad).toEqual([{ path: join(root, 'theirs/go.md'), reason: expect.stringContaining('same name') }]);
});

describe('a hostile file is not used:', () => {
  test.each([
    ['cost.md', 'x', '/cost is a command of Tidemark'],
    ['Ünï.md', 'x', /characters other than/],
    ['a b.md', 'x', /characters other than/],
    ['-rf.md', 'x', /characters other than/],
    ['empty.md', '---\ndescription: nothing\n---\n', 'it has no text'],
    ['escape.md', 'Say \u001b[2J hello', 'it contains control characters'],
    ['bidi.md', 'Delete \u202e nothing', 'it contains control characters'],
    ['large.md', 'x'.repeat(70_000), 'it is larger than 65536 bytes'],
    ['bytes.md', new Uint8Array([0xff, 0xfe, 0x41]), 'it is not UTF-8'],
  ])('%s', async (name, text, reason) => {
    expect(await reasonFor(name, text)).toMatch(reason);
  });

  test('a symbolic link', async () => {
    write('secret.txt', 'secret');
    mkdirSync(join(root, 'own'));
    symlinkSync(join(root, 'secret.txt'), join(root, 'own', 'link.md'));
    expect((await found('own')).bad[0]?.reason).toBe('it is a symbolic link');
  });

  test('a folder that is a link out of the workspace', async () => {
    write('outside/go.md', 'theirs');
    mkdirSync(join(root, 'workspace'));
    symlinkSync(join(root, 'outside'), join(root, 'workspace', 'commands'));
    const folder = { folder: join(root, 'workspace', 'commands'), inside: join(root, 'workspace') };
    expect(await findFileCommands([folder], new Set())).toEqual({ commands: [], bad: [] });
  });
});

test.each([
  ['Review $1 and $2, all: $ARGUMENTS.', 'a "b c"', ['a', 'b c'], 'Review a and b c, all: a "b c".'],
  ['Review $1, $2.', 'a', ['a'], 'Review a, .'],
  ['Say $1.', '$ARGUMENTS', ['$ARGUMENTS'], 'Say $ARGUMENTS.'],
  ['Cost: $10 and $x', 'five', ['five'], 'Cost: five0 and $x'],
  ['Look around.', '', [], 'Look around.'],
  ['Look around.', 'in src', ['in', 'src'], 'Look around.\n\nin src'],
])('`expandCommand` of %j with %j', (body, text, words, expanded) => {
  expect(expandCommand(body, text, words)).toBe(expanded);
});
