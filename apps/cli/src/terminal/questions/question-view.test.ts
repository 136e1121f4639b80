// Tests questions and lists on the screen of a terminal emulator. The clock of the panels is set by the tests.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';

import type { PermissionAnswer, Question } from '@tidemark/kit';
import { callId } from '@tidemark/log';
import { render } from 'ink';
import type { ReactElement } from 'react';
import { createElement as h } from 'react';
import { expect, onTestFinished, test } from 'vitest';

import { openStage } from '../../../tests/scenario.ts';
import { draftOf, openScriptedTerminal } from '../../../tests/scripted-terminal.ts';
import type { VirtualTerminal } from '../../../tests/virtual-terminal.ts';
import { createVirtualTerminal } from '../../../tests/virtual-terminal.ts';
import { createController } from '../control/create-controller.ts';
import { showScreen } from '../screen/show-screen.ts';
import type { ChoiceOption } from '../state/terminal-state.ts';
import { ChoiceView } from './choice-view.ts';
import { createKeyGuard } from './key-guard.ts';
import { QuestionView } from './question-view.ts';

const QUESTION = {
  about: 'call',
  call: callId('call-1'),
  tool: 'bash',
  effect: 'execute',
  title: 'bash npm test',
  rule: 'ask/execute',
  preview: { kind: 'command', text: 'npm test' },
} as const;

interface Shown<Answer> {
  readonly terminal: VirtualTerminal;
  readonly answer: Promise<Answer>;
  /** Moves the clock of the panel. */
  pass(ms: number): void;
}

function showQuestion(question: Question, rows = 24): Shown<PermissionAnswer> {
  const { promise, resolve } = Promise.withResolvers<PermissionAnswer>();
  let time = 0;
  const panel = { kind: 'question', question, answer: resolve } as const;
  const terminal = createVirtualTerminal(80, rows);
  const view = h(QuestionView, { panel, columns: 80, rows: rows - 2, colour: false, now: () => time });
  const { unmount } = render(view, { ...terminal, interactive: true, patchConsole: false });
  onTestFinished(() => unmount());
  return { terminal, answer: promise, pass: (ms) => void (time += ms) };
}

function showChoice(options: readonly ChoiceOption[], selected: number): Shown<number | undefined> {
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  let time = 0;
  const panel = { kind: 'choice', title: ['Which one?'], options, selected, choose: resolve } as const;
  const terminal = createVirtualTerminal();
  const view = h(ChoiceView, { panel, columns: 80, rows: 20, colour: false, now: () => time });
  const { unmount } = render(view, { ...terminal, interactive: true, patchConsole: false });
  onTestFinished(() => unmount());
  return { terminal, answer: promise, pass: (ms) => void (time += ms) };
}

/** Presses keys one after the other, as a user does. */
async function type(terminal: VirtualTerminal, keys: Iterable<string>): Promise<void> {
  for (const key of keys) {
    terminal.press(key);
    await nextTurn();
    await nextTurn();
  }
}

test('keys that are typed while a question appears do not answer it', async () => {
  const { terminal, answer, pass } = showQuestion(QUESTION);
  await terminal.until(/bash npm test[^]*…/);
  await type(terminal, 'nyn');
  expect(await terminal.until(/bash npm test/)).not.toContain('because');
  pass(300);
  await terminal.until(/y: allow once/);
  await type(terminal, 'y');
  expect(await answer).toBe('allowed');
});

test('a paste does not answer a question', async () => {
  const { terminal, answer, pass } = showQuestion(QUESTION);
  pass(300);
  await terminal.until(/y: allow once/);
  await type(terminal, ['yy', 'n', 'use pnpm']);
  await terminal.until(/no, because[^]*use pnpm/);
  await type(terminal, '\r');
  expect(await answer).toEqual({ decision: 'denied', reason: 'use pnpm' });
});

test('a question that is longer than the screen is allowed only after its last page', async () => {
  const text = Array.from({ length: 30 }, (_, index) => `echo ${index}`).join('\n');
  const { terminal, answer, pass } = showQuestion({ ...QUESTION, preview: { kind: 'command', text } }, 12);
  pass(300);
  await terminal.until(/page 1 of 4/);
  await type(terminal, 'y');
  await terminal.until(/space shows the rest first/);
  await type(terminal, '   ');
  await terminal.until(/allow once.* · page 4 of 4/);
  await type(terminal, 'y');
  expect(await answer).toBe('allowed');
});

test('a long question stays at its place when the terminal is resized', async () => {
  const text = Array.from({ length: 60 }, (_, index) => `echo ${index} ${'x'.repeat(60)}`).join('\n');
  const { promise: answer, resolve } = Promise.withResolvers<PermissionAnswer>();
  const question = { ...QUESTION, preview: { kind: 'command', text } } as const;
  const panel = { kind: 'question', question, answer: resolve } as const;
  const terminal = createVirtualTerminal(90, 40);
  let time = 0;
  const sized = (columns: number, rows: number): ReactElement =>
    h(QuestionView, { panel, columns, rows, colour: false, now: () => time });
  const { rerender, unmount } = render(sized(80, 22), { ...terminal, interactive: true, patchConsole: false });
  onTestFinished(() => unmount());
  time = 300;
  await terminal.until(/page 1 of 4/);
  await type(terminal, ' ');
  await terminal.until(/^│ echo 19 [^]*page 2 of 4/m);
  // Each line has two rows now. The pages end elsewhere, and the first line of the shown page stays visible.
  rerender(sized(60, 22));
  await terminal.until(/^│ echo 19 [^]*page 2 of 7/m);
  await type(terminal, 'y');
  await terminal.until(/space shows the rest first/);
  await type(terminal, '     ');
  await terminal.until(/page 7 of 7/);
  rerender(sized(80, 10));
  await terminal.until(/page 8 of 8/);
  rerender(sized(80, 32));
  await terminal.until(/^│ echo 59 [^]*y: allow once[^]*page 3 of 3/m);
  await type(terminal, 'y');
  expect(await answer).toBe('allowed');
});

test('Esc answers a question that belongs to no turn with no', async () => {
  const { terminal, answer, pass } = showQuestion(QUESTION);
  pass(300);
  await terminal.until(/y: allow once · n: deny · Esc: cancel/);
  await type(terminal, '\u001b');
  expect(await answer).toBe('denied');
});

test('Esc at a question of a turn interrupts the turn, and the call does not run', async () => {
  const stage = openStage();
  onTestFinished(stage.clear);
  const write = {
    type: 'call',
    call: callId('c1'),
    name: 'write',
    arguments: '{"path":"new.js","content":"x"}',
  } as const;
  const { controller, until, log } = await openScriptedTerminal({
    mode: 'ask',
    folder: stage.folder,
    answers: [{ parts: [write] }],
  });
  const terminal = createVirtualTerminal();
  onTestFinished(showScreen(controller, { ...terminal, colour: false }));
  controller.send(draftOf('write it'));
  await terminal.until(/y: allow once · n: deny · a: session · Esc: interrupt$/m);
  terminal.press('\u001b');
  const shown = await until(({ running, session }) => !running && session !== undefined);
  if (shown.session === undefined) throw new Error('the terminal has no session');
  const records = await Array.fromAsync(log.read(shown.session));
  expect(records.map(({ kind }) => kind)).not.toContain('tool.started');
  expect(records.find(({ kind }) => kind === 'tool.abandoned')?.data).toMatchObject({ reason: 'unstarted' });
  expect(records.at(-1)).toMatchObject({ kind: 'turn.ended', data: { outcome: 'interrupted' } });
  expect(existsSync(join(stage.folder, 'new.js'))).toBe(false);
});

test('the key that answers a panel does not reach the editor, also if the panel is in the first frame', async () => {
  const terminal = createVirtualTerminal();
  const controller = createController();
  const first = controller.choose(['Resume?'], [{ label: 'leave it', key: 'n' }]);
  onTestFinished(showScreen(controller, { ...terminal, colour: false }));
  await terminal.until(/Enter: choose/);
  terminal.press('n');
  expect(await first).toBe(0);
  await terminal.until(/^>$/m);
  const second = controller.choose(['Again?'], [{ label: 'leave it', key: 'n' }]);
  await terminal.until(/Enter: choose/);
  await type(terminal, 'nmore');
  expect(await second).toBe(0);
  await terminal.until(/^> more$/m);
});

test('the note that the terminal is too small goes when the terminal grows', async () => {
  const terminal = createVirtualTerminal(80, 5);
  const controller = createController();
  onTestFinished(showScreen(controller, { ...terminal, colour: false }));
  const answer = controller.ask(QUESTION, new AbortController().signal);
  await terminal.until(/too small to show the question\.\nn: deny/);
  await type(terminal, 'y');
  terminal.resize(80, 24);
  expect(await terminal.until(/bash npm test/)).not.toContain('too small');
  await type(terminal, 'n\r');
  expect(await answer).toBe('denied');
});

test('a list is searched by typing', async () => {
  const options = Array.from({ length: 60 }, (_, index) => ({ label: `prompt ${index}` }));
  const { terminal, answer } = showChoice(options, 59);
  await terminal.until(/> prompt 59[^]*type to search/);
  // The user opened the list, so its first keys count.
  await type(terminal, '42');
  await terminal.until(/> prompt 42[^]*1 found/);
  await type(terminal, '\r');
  expect(await answer).toBe(42);
});

test('questions wait for each other, an aborted question is closed, and the editor keeps its text', async () => {
  const terminal = createVirtualTerminal();
  const controller = createController();
  onTestFinished(showScreen(controller, { ...terminal, colour: false }));
  terminal.press('hello');
  await terminal.until(/> hello/);
  const [first, second] = [new AbortController(), new AbortController()];
  const answer = controller.ask(QUESTION, first.signal);
  const other = controller.ask({ ...QUESTION, title: 'bash npm start' }, second.signal);
  await terminal.until(/bash npm test/);
  first.abort();
  expect(await terminal.until(/bash npm start/)).not.toContain('> hello');
  second.abort();
  await terminal.until(/> hello/);
  expect([await answer, await other]).toEqual(['denied', 'denied']);
});

test('a key counts only after the user was quiet', () => {
  let time = 0;
  const { counts } = createKeyGuard(() => time);
  const at = (ms: number): boolean => {
    time = ms;
    return counts();
  };
  expect([at(100), at(350), at(640), at(940), at(950)]).toEqual([false, false, false, true, true]);
});
