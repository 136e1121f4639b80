// Tests the completion scripts in the real shells: bash and zsh at a terminal of tmux with real keys, fish by its own
// command `complete`, which prints what it would offer.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';

import type { PseudoTerminal } from '../../tests/pseudo-terminal.ts';
import { hasTmux, openTerminal } from '../../tests/pseudo-terminal.ts';
import { storeSession } from '../../tests/stored-session.ts';

const BIN = inject('command');

let root = '';
let environment: Record<string, string> = {};
let terminal: PseudoTerminal | undefined;

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'tidemark-shells-'));
  const home = join(root, 'home');
  mkdirSync(join(root, 'bin'));
  mkdirSync(join(root, 'talks'));
  writeFileSync(join(root, 'talk one.jsonl'), '');
  const words = [process.execPath, BIN].map((word) => `'${word}'`).join(' ');
  writeFileSync(join(root, 'bin', 'tidemark'), `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
  environment = {
    HOME: root,
    TIDEMARK_HOME: home,
    PATH: `${join(root, 'bin')}:${process.env['PATH'] ?? ''}`,
    ZDOTDIR: root,
  };
  await storeSession(home, { id: 'a-first', title: 'Fix the parser' });
  await storeSession(home, { id: 'b-second', title: "it's $(touch made) `touch made`; *" });
});

afterEach(() => {
  terminal?.close();
  terminal = undefined;
  rmSync(root, { recursive: true, force: true, maxRetries: 10 });
});

/** Returns true if the programs are installed. Otherwise prints that the tests of the shell are skipped. */
function hasShell(shell: string, needsTmux = true): boolean {
  const found = spawns(shell) && (!needsTmux || hasTmux());
  if (!found) process.stdout.write(`the tests of ${shell} are skipped: ${shell} or tmux is not installed\n`);
  return found;
}

function spawns(shell: string): boolean {
  try {
    execFileSync(shell, ['-c', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Starts a shell with the completion script, and returns its terminal. */
async function openShell(shell: 'bash' | 'zsh'): Promise<PseudoTerminal> {
  const load = `source <(tidemark completion ${shell})`;
  if (shell === 'zsh') writeFileSync(join(root, '.zshrc'), `PS1='> '; autoload -U compinit; compinit -u; ${load}\n`);
  else writeFileSync(join(root, 'rc'), `PS1='> '; ${load}\n`);
  const command = shell === 'zsh' ? ['zsh', '-i'] : ['bash', '--noprofile', '--rcfile', join(root, 'rc'), '-i'];
  terminal = openTerminal(command, root, environment);
  await terminal.until(/^> /m);
  return terminal;
}

describe.skipIf(!hasShell('bash') || !hasShell('zsh'))('completion at a terminal', () => {
  describe.each(['bash', 'zsh'] as const)('%s', (shell) => {
    test('completes a command, an option, a choice and an id', async () => {
      const shown = await openShell(shell);
      shown.type('tidemark veri', 'Tab');
      await shown.until(/^> tidemark verify *$/m);
      shown.type('a-', 'Tab');
      await shown.until(/verify a-first *$/m);
      shown.type('C-u');
      shown.type('tidemark verify a-first --ful', 'Tab');
      await shown.until(/a-first --full *$/m);
      shown.type('C-u');
      shown.type('tidemark --mode re', 'Tab');
      await shown.until(/--mode read-only *$/m);
      shown.type('C-u');
      shown.type('tidemark run --mode=re', 'Tab');
      await shown.until(/run --mode=read-only *$/m);
    });

    test('lists sessions with their titles, and runs nothing in a title', async () => {
      const shown = await openShell(shell);
      shown.type('tidemark show ', 'Tab', 'Tab');
      await shown.until(/a-first {2}\(Fix the parser, 0 min ago\)/);
      await shown.until(/b-second {2}\(it's \$\(touch made\) `touch made`; \*, 0 min ago\)/);
      shown.type('C-u');
      shown.type('echo the end', 'Enter');
      await shown.until(/^the end$/m);
      expect(existsSync(join(root, 'made'))).toBe(false);
    });

    test('replaces a word of a title by the id of its only session', async () => {
      const shown = await openShell(shell);
      shown.type('tidemark show pars', 'Tab');
      await shown.until(/show a-first *$/m);
    });

    test('lists the sessions of a title that several have, and leaves the word', async () => {
      await storeSession(environment['TIDEMARK_HOME'] ?? '', { id: 'a-third', title: 'Fix the printer' });
      const shown = await openShell(shell);
      shown.type('tidemark show fix', 'Tab', 'Tab');
      await shown.until(/a-first {2}\(Fix the parser, 0 min ago\)/);
      await shown.until(/a-third {2}\(Fix the printer, 0 min ago\)/);
      shown.type('!');
      await shown.until(/tidemark show fix! *$/m);
    });

    test('completes files and folders where an argument expects them', async () => {
      const shown = await openShell(shell);
      shown.type('tidemark import talk', 'Tab', String.raw`\ `, 'Tab');
      await shown.until(/import talk\\ one\.jsonl *$/m);
      shown.type('C-u');
      shown.type('tidemark trust ta', 'Tab');
      await shown.until(/trust talks\/ *$/m);
      shown.type('C-u');
      shown.type('tidemark run --config=talk', 'Tab', String.raw`\ `, 'Tab');
      await shown.until(/run --config=talk\\ one\.jsonl *$/m);
    });
  });
});

describe.skipIf(!hasShell('fish', false))('fish', () => {
  /** Returns what fish offers for a line: each value, and its description after a tab. */
  function offers(line: string): readonly string[] {
    const script = `source (tidemark completion fish | psub); complete -C ${JSON.stringify(line)}`;
    const out = execFileSync('fish', ['--no-config', '-c', script], { env: environment, cwd: root, encoding: 'utf8' });
    return out.trimEnd().split('\n');
  }

  test('completes commands, options, choices and ids', () => {
    expect(offers('tidemark veri')).toEqual([expect.stringMatching(/^verify\trebuild every request/)]);
    expect(offers('tidemark verify --ful')).toEqual([expect.stringMatching(/^--full\t/)]);
    expect(offers('tidemark run --mode=re')).toEqual(['--mode=read-only']);
    expect(offers('tidemark --mode re')).toEqual(['read-only']);
    expect(offers('tidemark show a-')).toEqual(['a-first\tFix the parser, 0 min ago']);
  });

  test('completes files and folders where an argument expects them', () => {
    expect(offers('tidemark import tal')).toEqual(expect.arrayContaining(['talk one.jsonl', 'talks/']));
    expect(offers('tidemark trust tal').map((line) => line.split('\t')[0])).toEqual(['talks/']);
    expect(offers('tidemark show a-first ta')).toEqual(['']);
  });
});
