// Tests what the slash commands say when there is nothing to show, or when something is wrong.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { ScriptedAnswer } from '@tidemark/provider-scripted';
import { expect, test } from 'vitest';

import { says } from '../../../tests/scripted-terminal.ts';
import { call } from '../../../tests/terminal-scene.ts';
import { openSlashTerminal, terminalAfterTurn } from '../../../tests/slash-terminal.ts';

/** Rows that an explanation may have at 80 columns. */
const MOST_ROWS = 3;

test.each([
  ['/skills', /no skill is installed\n.*\.agents\/skills/],
  [
    '/memory',
    /There is none\.\n`\/memory edit` writes .*\nThe model reads them only in a trusted folder: `tidemark trust`/,
  ],
  ['/mcp', /This session has none\.\n`\/mcp add <name> <address>`/],
  ['/agents', /no subagents\. .*\nYou have no own agents: Markdown files in \.agents\/agents/],
])('`%s` before the first prompt explains in at most three rows what there can be', async (command, expected) => {
  const terminal = await openSlashTerminal();
  terminal.type(command);
  const [, text = ''] = (await terminal.untilLines(expected)).split(`${command}\n`);
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(MOST_ROWS);
});

test('`/skills` of a session without skills names the command that lists the installed ones', async () => {
  const terminal = await terminalAfterTurn();
  terminal.type('/skills');
  await terminal.untilLines(/no skill was loaded in .*\nit lists no skills for the model; `tidemark skills`/);
});

test('`/agents` reports an unknown subagent', async () => {
  const terminal = await terminalAfterTurn();
  terminal.type('/agents none');
  await terminal.untilLines(/no subagent none/);
});

test('`/agents` lists subagents by their role and task, and shows the conversation of one by its role', async () => {
  const delegates = (role: string, task: string): ScriptedAnswer => ({ parts: [call(role, 'agent', { role, task })] });
  const terminal = await terminalAfterTurn({
    answers: [
      delegates('reviewer', 'find the wrong tax'),
      says('It is 19.'),
      delegates('second', 'find it again'),
      says('It is 20.'),
      says('Done.'),
    ],
    subagents: {},
  });
  terminal.type('/agents');
  const shown = await terminal.untilLines(/`\/agents second` shows its conversation/);
  expect(shown).toMatch(/^subagent reviewer: completed · find the wrong tax$/m);
  expect(shown).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}/);
  terminal.type('/agents reviewer');
  expect(await terminal.untilLines(/\/agents reviewer: find the wrong tax/)).toContain('It is 19.');
});

test('`/memory` shows the files, and says if they are not read', async () => {
  const terminal = await terminalAfterTurn();
  mkdirSync(join(terminal.stage.folder, '.tidemark'), { recursive: true });
  writeFileSync(join(terminal.stage.folder, '.tidemark', 'MEMORY.md'), 'Tests run with npm test.\n');
  terminal.type('/memory');
  expect(await terminal.untilLines(/trusted folder/)).toMatch(
    /Tests run with npm test\.\n.*USER\.md.*\n {2}\(no file\)/s,
  );
});

test('`/memory` of a trusted folder says that the model reads the files', async () => {
  const terminal = await openSlashTerminal({ trusted: true });
  terminal.type('/memory');
  await terminal.untilLines(/The model reads them\./);
});

test('`/doctor` shows only problems and counts the rest, and `--all` shows every check', async () => {
  const terminal = await openSlashTerminal();
  terminal.type('/doctor');
  const shown = await terminal.untilLines(/checks good, \d+ not/);
  expect(shown).not.toContain('good     ');
  expect(shown).toContain('`/doctor --all` shows each check');
  expect(shown).not.toContain('tidemark doctor');
  terminal.type('/doctor --all');
  expect(await terminal.untilLines(/good {5}node/)).toContain('key: ANTHROPIC_API_KEY is set');
});
