// Tests the commands of the user's own: files, skills, and command lines after `!`.

import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { pretendRun } from '../../../tests/pretend-run.ts';
import { openSlashTerminal } from '../../../tests/slash-terminal.ts';

function write(path: string, text: string): void {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
}

describe('commands of the user', () => {
  test('a file in the configuration folder is a prompt with its arguments', async () => {
    const terminal = await openSlashTerminal();
    write(join(`${terminal.stage.home}-own`, 'tidemark', 'commands', 'review.md'), 'Review $1 with care.');
    terminal.type('/review "src/a b.ts"');
    await expect.poll(() => terminal.requests()[0]).toContain('Review src/a b.ts with care.');
  });

  test('a file cannot run a command of the user', async () => {
    const terminal = await openSlashTerminal();
    const mark = join(terminal.stage.folder, 'mark');
    write(join(`${terminal.stage.home}-own`, 'tidemark', 'commands', 'go.md'), `!touch ${mark}`);
    terminal.type('/go');
    await expect.poll(() => terminal.requests()[0]).toContain('!touch');
    expect(existsSync(mark)).toBe(false);
  });

  test('a file of a workspace is used only after the workspace was trusted', async () => {
    const terminal = await openSlashTerminal();
    const { folder, home } = terminal.stage;
    write(join(folder, '.agents', 'commands', 'deploy.md'), '---\ndescription: Deploy it\n---\nDeploy.');
    terminal.type('/help');
    expect(await terminal.untilLines(/\/help\n/)).toContain('not used, because it is not trusted');
    terminal.type('/deploy');
    await terminal.untilLines(/no command \/deploy/);
    expect(terminal.requests()).toEqual([]);
    await pretendRun(['trust', '--yes'], { folder, environment: { TIDEMARK_HOME: home } });
    terminal.type('/deploy');
    await expect.poll(() => terminal.requests()[0]).toContain('Deploy.');
    terminal.type('/help');
    await terminal.untilLines(/\/deploy +Deploy it/);
  });

  test('with `--trust`, the files of a workspace are used for this run without a recorded decision', async () => {
    const terminal = await openSlashTerminal({ trusted: true });
    write(join(terminal.stage.folder, '.agents', 'commands', 'deploy.md'), 'Deploy.');
    terminal.type('/deploy');
    await expect.poll(() => terminal.requests()[0]).toContain('Deploy.');
  });

  test('an installed skill is a command of its name', async () => {
    const terminal = await openSlashTerminal();
    const skill = '---\nname: tax\ndescription: Taxes.\n---\nRound down.';
    write(join(`${terminal.stage.home}-own`, 'tidemark', 'skills', 'tax', 'SKILL.md'), skill);
    terminal.type('/tax fill it in');
    // The scripted agent has no skills, so the prompt names one that it cannot load.
    await terminal.untilLines(/tax/);
    expect(terminal.controller.state.get().refill?.text).toBe('/skill tax fill it in');
  });

  test('the draft that a command sends is known before it is sent, and another command sends none', async () => {
    const terminal = await openSlashTerminal();
    const own = join(`${terminal.stage.home}-own`, 'tidemark');
    write(join(own, 'commands', 'review.md'), 'Review $1 with care.');
    write(join(own, 'skills', 'tax', 'SKILL.md'), '---\nname: tax\ndescription: Taxes.\n---\nRound down.');
    const meant = async (text: string): Promise<string> => (await terminal.slash.meantBy({ text, attached: [] })).text;
    expect(await meant('/review it')).toBe('Review it with care.');
    expect(await meant('/tax fill it in')).toBe('/skill tax fill it in');
    expect([await meant('/cost'), await meant('/unknown'), await meant('!ls')]).toEqual(['', '', '']);
    expect(await meant('a prompt')).toBe('a prompt');
  });

  test('every command is completed, with a summary', async () => {
    const terminal = await openSlashTerminal();
    const all = terminal.slash.completions();
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
    expect(all.every(({ summary }) => summary.length > 0 && summary.length < 100)).toBe(true);
  });
});

describe('`!`', () => {
  test('runs a command in the workspace, and the model is told with the next prompt', async () => {
    const terminal = await openSlashTerminal({ environment: { API_TOKEN: 'tm-secret-value-0123456789' } });
    terminal.type('!pwd; echo "$API_TOKEN"; exit 3');
    expect(await terminal.untilLines(/exit 3/)).toMatch(/! pwd; .* exit 3, .*\n.*\/shop\n\[.*API_TOKEN.*\]/);
    expect(terminal.requests()).toEqual([]);
    terminal.type('why?');
    await expect.poll(() => terminal.requests()[0]).toContain('Command: pwd;');
    expect(terminal.requests()[0]).toMatch(/The user ran this command in the workspace.*Exit code: 3.*\/shop/s);
    expect(terminal.requests().join('')).not.toContain('tm-secret-value');
    expect(terminal.printed()).not.toContain('tm-secret-value');
  });

  test('prints the end of a long output, and `/output` shows all of it', async () => {
    const terminal = await openSlashTerminal();
    terminal.type('!seq 1 100');
    expect(await terminal.untilLines(/earlier lines/)).toMatch(/… 80 earlier lines: .*\n81\n.*\n100$/s);
    terminal.type('/output');
    expect(await terminal.viewed()).toMatch(/^! seq 1 100\n1\n2\n.*\n100$/s);
  });

  test('prints the beginning of a long line, and `/output` shows all of it', async () => {
    const terminal = await openSlashTerminal();
    terminal.type(`!printf 'x%.0s' $(seq 1 5000)`);
    const printed = await terminal.untilLines(/more characters/);
    expect(printed.match(/x+(?=\n)/g)?.join('')).toHaveLength(2_000);
    expect(printed).toContain('… 3,000 more characters of this line: /output shows all');
    terminal.type('/output');
    expect((await terminal.viewed()).split('\n').slice(1).join('')).toMatch(/^x{5000}$/);
  });

  test('shows only the last text of a line that was overwritten', async () => {
    const terminal = await openSlashTerminal();
    terminal.type(`!printf '10%%\\r50%%\\r100%%\\r\\nend\\n'`);
    expect(await terminal.untilLines(/end/)).toMatch(/\n100%\nend$/);
  });

  test('Esc stops the command and not the turn', async () => {
    const terminal = await openSlashTerminal();
    terminal.hold();
    terminal.type('hello');
    await terminal.until(({ running }) => running);
    terminal.type('!sleep 600');
    await terminal.until(({ command }) => command !== undefined);
    terminal.type('!ls');
    await terminal.untilLines(/a command runs already/);
    terminal.controller.interrupt();
    await terminal.untilLines(/sleep 600 {2}stopped/);
    expect(terminal.controller.state.get().running).toBe(true);
    terminal.release();
  });

  test('without a command is refused, and a shell that does not exist is reported', async () => {
    const terminal = await openSlashTerminal({ environment: { SHELL: '/nowhere/sh' } });
    terminal.type('!');
    await terminal.untilLines(/needs a command/);
    terminal.type('!ls');
    expect(await terminal.untilLines(/cannot be started/)).toContain('check the variable SHELL');
    expect(terminal.controller.state.get().command).toBeUndefined();
  });
});

test('`!` in a folder that was removed reports the folder, and not the shell', async () => {
  const terminal = await openSlashTerminal();
  rmSync(terminal.stage.folder, { recursive: true });
  terminal.type('!ls');
  expect(await terminal.untilLines(/next:/)).toMatch(/error: the folder .* does not exist\nnext: create it again/);
});
