// Tests Ctrl-Z at a real terminal with a shell that controls jobs.

import { globSync, mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { describe, expect, onTestFinished, test } from 'vitest';

import { hasTmux, openTerminal } from '../../../tests/pseudo-terminal.ts';
import { openStage } from '../../../tests/scenario.ts';

// The command from its sources. Only its first process stores the compiled code.
const BIN = fileURLToPath(new URL('../../../bin/tidemark.cjs', import.meta.url));

const skips = !hasTmux();
if (skips) process.stdout.write('suspend-key.int.test.ts is skipped: there is no tmux, which makes its terminal\n');

describe.skipIf(skips)('Ctrl-Z', () => {
  test('stops the process without doing the work of its end, and `fg` continues it', async () => {
    const stage = openStage();
    onTestFinished(() => stage.clear());
    mkdirSync(stage.home, { recursive: true });
    const given = { TIDEMARK_HOME: stage.home, HOME: stage.home, PS1: 'shell$ ' };
    const terminal = openTerminal(['bash', '--norc', '--noprofile', '-i'], stage.folder, given);
    onTestFinished(() => terminal.close());
    await terminal.until(/^shell\$/m);
    terminal.type('-l', `${process.execPath} ${BIN} --provider simulator`);
    terminal.type('Enter');
    await terminal.until(/^>/m);
    terminal.type('-l', 'a draft');
    await terminal.until(/^> a draft/m);
    terminal.type('C-z');
    await terminal.until(/Stopped[^]*^shell\$/m);
    expect(globSync('.cache/tidemark/compiled/*/*', { cwd: stage.home })).toEqual([]);
    terminal.type('-l', 'clear; fg');
    terminal.type('Enter');
    await terminal.until(/^> a draft/m);
    terminal.type('-l', ' goes on');
    await terminal.until(/^> a draft goes on/m);
    terminal.type('C-z');
    await terminal.until(/Stopped[^]*^shell\$/m);
  });

  test('stops the process in the viewer, and `fg` shows the viewer again', async () => {
    const stage = openStage();
    onTestFinished(() => stage.clear());
    const given = { TIDEMARK_HOME: stage.home, HOME: stage.home, PS1: 'shell$ ' };
    const terminal = openTerminal(['bash', '--norc', '--noprofile', '-i'], stage.folder, given);
    onTestFinished(() => terminal.close());
    await terminal.until(/^shell\$/m);
    terminal.type('-l', `${process.execPath} ${BIN} --provider simulator`);
    terminal.type('Enter');
    await terminal.until(/^>/m);
    terminal.type('-l', '/help');
    await terminal.until(/^[>/] \/help/m);
    terminal.type('Enter');
    await terminal.until(/^session\n[^]*Esc back/);
    terminal.type('C-z');
    await terminal.until(/Stopped[^]*^shell\$/m);
    expect(terminal.screen()).not.toContain('Esc back');
    terminal.type('-l', 'echo typed in the shell');
    terminal.type('Enter');
    await terminal.until(/^typed in the shell/m);
    terminal.type('-l', 'fg');
    terminal.type('Enter');
    await terminal.until(/^session\n[^]*Esc back/);
    terminal.type('Escape');
    await terminal.until(/typed in the shell[^]*^>/m);
  });

  test('has no effect without a shell that could continue the process', async () => {
    const stage = openStage();
    onTestFinished(() => stage.clear());
    const given = { TIDEMARK_HOME: stage.home, HOME: stage.home };
    const terminal = openTerminal([process.execPath, BIN, '--provider', 'simulator'], stage.folder, given);
    onTestFinished(() => terminal.close());
    await terminal.until(/^>/m);
    terminal.type('C-z');
    await terminal.until(/^>/m);
    terminal.type('-l', 'still here');
    await terminal.until(/^> still here/m);
    // The test removes the home, so it waits for the end of the terminal.
    terminal.type('C-c', 'C-c', 'C-c');
    await terminal.until(/exit: 0/);
  });
});
