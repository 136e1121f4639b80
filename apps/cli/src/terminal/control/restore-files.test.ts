// Tests that a rewind restores the files that tools changed, and only on request.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { AnswerPart } from '@tidemark/log';
import { callId } from '@tidemark/log';
import { expect, onTestFinished, test } from 'vitest';

import { openStage } from '../../../tests/scenario.ts';
import type { ScriptedTerminal } from '../../../tests/scripted-terminal.ts';
import { draftOf, openScriptedTerminal, says } from '../../../tests/scripted-terminal.ts';
import { render } from '../../frame/shown.ts';
import type { ChoicePanel } from '../state/terminal-state.ts';
import { withoutReturns } from './restore-files.ts';

let calls = 0;

function callOf(name: string, input: object): AnswerPart {
  calls += 1;
  return { type: 'call', call: callId(`call-${calls}`), name, arguments: JSON.stringify(input) };
}

async function untilChoice({ until }: ScriptedTerminal, title: string): Promise<ChoicePanel> {
  const { panel } = await until(
    (state) => state.panel?.kind === 'choice' && render(state.panel.title[0] ?? '', false).includes(title),
  );
  if (panel?.kind !== 'choice') throw new Error('the terminal shows no list');
  return panel;
}

interface Changed {
  readonly terminal: ScriptedTerminal;
  /** Returns the content of a file in the workspace. */
  read(name: string): string | undefined;
  write(name: string, text: string): void;
}

/** A session whose second prompt edited one file and created another. */
async function changeFiles(): Promise<Changed> {
  const stage = openStage();
  onTestFinished(() => stage.clear());
  stage.write('tax.js', 'one\n');
  const terminal = await openScriptedTerminal({
    folder: stage.folder,
    answers: [
      says('Ready.'),
      {
        parts: [callOf('read', { path: 'tax.js' }), callOf('write', { path: 'new.js', content: 'created\n' })],
      },
      { parts: [callOf('edit', { path: 'tax.js', old_text: 'one', new_text: 'two' })] },
      says('Changed.'),
    ],
  });
  for (const text of ['look', 'change it']) {
    terminal.controller.send(draftOf(text));
    await terminal.until(({ running }) => running);
    await terminal.until(({ running }) => !running);
  }
  const path = (name: string): string => join(stage.folder, name);
  return {
    terminal,
    read: (name) => (existsSync(path(name)) ? readFileSync(path(name), 'utf8') : undefined),
    write: (name, text) => writeFileSync(path(name), text),
  };
}

async function rewindToLast(terminal: ScriptedTerminal): Promise<void> {
  terminal.controller.rewind();
  (await untilChoice(terminal, 'which prompt')).choose(1);
}

test('each file is restored only after a yes, with its diff', async () => {
  const { terminal, read } = await changeFiles();
  expect([read('tax.js'), read('new.js')]).toEqual(['two\n', 'created\n']);
  await rewindToLast(terminal);
  const created = await untilChoice(terminal, 'Delete new.js');
  created.choose(1);
  const edited = await untilChoice(terminal, 'Restore tax.js');
  expect(edited.title.map((line) => render(line, false))).toEqual(expect.arrayContaining(['-two', '+one']));
  edited.choose(0);
  await terminal.untilPrinted('1 of 2 files');
  expect([read('tax.js'), read('new.js')]).toEqual(['one\n', 'created\n']);
});

test('`all` restores every file, and Esc none', async () => {
  const { terminal, read } = await changeFiles();
  await rewindToLast(terminal);
  (await untilChoice(terminal, 'Delete new.js')).choose(undefined);
  await terminal.untilPrinted('0 of 2 files');
  expect([read('tax.js'), read('new.js')]).toEqual(['two\n', 'created\n']);
  const other = await changeFiles();
  await rewindToLast(other.terminal);
  (await untilChoice(other.terminal, 'Delete new.js')).choose(2);
  await other.terminal.untilPrinted('2 of 2 files');
  expect([other.read('tax.js'), other.read('new.js')]).toEqual(['one\n', undefined]);
});

test('a file that changed since then is not restored, and is listed', async () => {
  const { terminal, read, write } = await changeFiles();
  write('tax.js', 'by hand\n');
  await rewindToLast(terminal);
  (await untilChoice(terminal, 'Delete new.js')).choose(2);
  await terminal.untilPrinted('1 of 1 file');
  expect(terminal.printed()).toContain('cannot be restored');
  expect([read('tax.js'), read('new.js')]).toEqual(['by hand\n', undefined]);
});

test('a change that is made while the question is shown is not overwritten', async () => {
  const { terminal, read, write } = await changeFiles();
  await rewindToLast(terminal);
  const created = await untilChoice(terminal, 'Delete new.js');
  write('new.js', 'by hand\n');
  created.choose(0);
  (await untilChoice(terminal, 'Restore tax.js')).choose(1);
  await terminal.untilPrinted('0 of 2 files');
  expect(read('new.js')).toBe('by hand\n');
});

test('the diff of a file with CRLF shows no carriage return, and a change of the line ends shows them', () => {
  expect(withoutReturns('--- a\n+++ b\n@@ -1 +1 @@\n-one\r\n+two\r\n end\r')).toBe(
    '--- a\n+++ b\n@@ -1 +1 @@\n-one\n+two\n end',
  );
  expect(withoutReturns('@@ -1 +1 @@\n-one\r\n+one')).toContain('\r');
});
