// Tests the lists of the slash commands from which the user chooses.

import { describe, expect, test } from 'vitest';

import type { SlashTerminal } from '../../../tests/slash-terminal.ts';
import { openSlashTerminal, sessionOf, terminalAfterTurn } from '../../../tests/slash-terminal.ts';

describe('`/sessions`', () => {
  test('lists the sessions of the folder newest first, marks the shown one, and shows the chosen one', async () => {
    const terminal = await terminalAfterTurn();
    const first = sessionOf(terminal);
    terminal.type('/new');
    await terminal.until(({ session }) => session === undefined);
    terminal.type('second');
    await terminal.until(({ running, session }) => !running && session !== undefined);
    terminal.type('/sessions');
    const { panel } = await terminal.until((state) => state.panel?.kind === 'choice');
    expect(panel).toMatchObject({
      options: [
        { label: 'second', note: expect.stringContaining('shown now') },
        { label: 'hello', note: expect.stringContaining(first.slice(0, 8)) },
      ],
    });
    await terminal.choose(/^hello$/);
    await terminal.until(({ session }) => session === first);
  });

  test('with a text lists the sessions whose title contains it, and says if there is none', async () => {
    const terminal = await terminalAfterTurn();
    terminal.type('/sessions parser');
    await terminal.untilLines(/No session of this folder has the id or the title "parser"/);
    terminal.type('/sessions hel');
    const { panel } = await terminal.until((state) => state.panel?.kind === 'choice');
    expect(panel).toMatchObject({ options: [{ label: 'hello' }] });
  });

  test('cuts a title to the width of the terminal', async () => {
    const terminal = await openSlashTerminal();
    terminal.type(`Read ${'the whole parser '.repeat(5)}`);
    await terminal.until(({ running, session }) => !running && session !== undefined);
    terminal.type('/sessions');
    const { panel } = await terminal.until((state) => state.panel?.kind === 'choice');
    const [option] = panel?.kind === 'choice' ? panel.options : [];
    const row = `> ${option?.label ?? ''}  ${option?.note ?? ''}`;
    expect(row).toMatch(/^> Read the whole .*…  \d{4}-/);
    expect(row.length).toBeLessThan(80);
  });

  test('with `--tree` prints what the command prints', async () => {
    const terminal = await terminalAfterTurn();
    terminal.type('/sessions --tree');
    expect(await terminal.untilLines(/1 session in/)).toContain(sessionOf(terminal).slice(0, 8));
  });
});

describe('the list of a setting marks the current value', () => {
  async function listOf(terminal: SlashTerminal, command: string): Promise<readonly [string, string | undefined]> {
    terminal.type(command);
    const { panel } = await terminal.until((state) => state.panel?.kind === 'choice');
    if (panel?.kind !== 'choice') return ['', undefined];
    const { label = '', note } = panel.options[panel.selected ?? 0] ?? {};
    expect(panel.options.filter((option) => option.note?.startsWith('in use') === true)).toHaveLength(1);
    panel.choose(undefined);
    return [label, note];
  }

  test('of `/mode`, `/theme` and `/model`', async () => {
    const terminal = await terminalAfterTurn({ simulated: true });
    expect(await listOf(terminal, '/mode')).toEqual([
      'auto',
      'in use, changes files and runs commands in the sandbox without a question',
    ]);
    // The output of the test has no colours.
    expect(await listOf(terminal, '/theme')).toEqual(['none', 'in use, no colours']);
    expect(await listOf(terminal, '/model')).toEqual(['claude-sonnet-5-5', 'in use, 1,000,000 tokens']);
  });

  test('of `/effort` after it was set, and says before that it is not set', async () => {
    const terminal = await terminalAfterTurn({ simulated: true });
    terminal.type('/effort');
    const { panel } = await terminal.until((state) => state.panel?.kind === 'choice');
    expect(panel).toMatchObject({ title: [expect.anything(), expect.stringMatching(/^No effort is set/)] });
    if (panel?.kind === 'choice') panel.choose(undefined);
    terminal.type('/effort high');
    await terminal.untilLines(/The effort is high/);
    expect(await listOf(terminal, '/effort')).toEqual(['high', 'in use']);
  });

  test('of `/effort` before the first prompt, with the effort of the settings', async () => {
    const terminal = await openSlashTerminal({ simulated: true, effort: 'medium' });
    expect(await listOf(terminal, '/effort')).toEqual(['medium', 'in use']);
  });
});
