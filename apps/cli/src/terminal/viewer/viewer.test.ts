// Tests the viewer on the alternate screen of a terminal emulator.

import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Event, Log } from '@tidemark/log';
import { callId, position, sessionId, timestamp } from '@tidemark/log';
import { createMemoryStore } from '@tidemark/store-memory';
import { expect, onTestFinished, test } from 'vitest';

import { linesSource } from '../control/line-sources.ts';
import type { TerminalScene } from '../../../tests/terminal-scene.ts';
import { answer, call, openScene } from '../../../tests/terminal-scene.ts';

const SESSION = sessionId('viewed');
const LINES = Array.from({ length: 1_000 }, (_, index) => `output ${index + 1}${index === 699 ? ' Wanted' : ''}`);
const CONTROL = { o: '\u000f', t: '\u0014' };

/** Opens a scene with a session: a prompt, a checkpoint, a short output and an output of 1,000 lines. */
async function openSession(): Promise<TerminalScene & { readonly log: Log }> {
  const log = createMemoryStore();
  const { digest: output } = await log.artifacts.put(Buffer.from(`${LINES.join('\n')}\n`));
  const at = timestamp('2026-11-20T12:00:00.000Z');
  const text = (words: string): { readonly type: 'text'; readonly text: string } => ({ type: 'text', text: words });
  const events: readonly Event[] = [
    { kind: 'session.created', at, data: { id: SESSION, root: SESSION, workspace: '/work' } },
    { kind: 'prompt.given', at, data: { parts: [text('an early question')], presenter: 'cli' } },
    {
      kind: 'answer.received',
      at,
      data: answer(call('c1', 'read', { path: 'a' }), call('c2', 'bash', { command: 'ls' })),
    },
    { kind: 'tool.returned', at, data: { call: callId('c1'), parts: [text('the short output\u001b[2J')] } },
    { kind: 'tool.returned', at, data: { call: callId('c2'), parts: [text('cut')], output } },
    {
      kind: 'history.compacted',
      at,
      data: {
        range: { from: position(1), to: position(4) },
        strategy: 'deterministic',
        trigger: 'user',
        checkpoint: '',
        limitations: [],
      },
    },
  ];
  const writer = await log.create(SESSION);
  const appended = await writer.append(events, 0);
  await writer.close();
  if (!appended.ok) throw new Error('the records were not appended');
  const scene = await openScene({ log, before: 'the shell\n' });
  onTestFinished(scene.end);
  scene.controller.state.set({ ...scene.controller.state.get(), session: SESSION });
  scene.emit(...appended.records.map((record) => ({ type: 'recorded' as const, record })));
  await scene.terminal.until(/compacted/);
  return { ...scene, log };
}

test('Ctrl-O shows the whole output of the last call, and leaves the main screen as it was', async () => {
  const { terminal } = await openSession();
  await terminal.until(/\n>/);
  const before = await terminal.all();
  terminal.press(CONTROL.o);
  expect(await terminal.until(/output 23\n/)).toMatch(/^output 1\n[^]*bash ls .*2% of 1,000 lines {2}2\/2 n p/);
  terminal.press(' ');
  await terminal.until(/^output 24\n/);
  terminal.press('jj\u001b[B');
  await terminal.until(/^output 27\n/);
  terminal.press('b');
  await terminal.until(/^output 4\n/);
  terminal.press('G');
  await terminal.until(/output 1000\n.*100% of 1,000 lines/);
  terminal.press('g');
  await terminal.until(/^output 1\n/);
  terminal.press('q');
  await terminal.until(/compacted[^]*\n>/);
  expect(await terminal.all()).toEqual(before);
});

test('keys that are typed while the viewer closes are in the editor', async () => {
  const { terminal } = await openSession();
  terminal.press(CONTROL.o);
  await terminal.until(/^output 1\n/);
  terminal.press('qone ');
  for (const key of 'two three') {
    terminal.press(key);
    await nextTurn();
  }
  await terminal.until(/> one two three$/m);
});

test('a search goes to the matching line, and says if nothing matches', async () => {
  const { terminal } = await openSession();
  terminal.press(CONTROL.o);
  await terminal.until(/^output 1\n/);
  terminal.press('/wantex\u007fd');
  await terminal.until(/\/wanted {2}Enter searches, Esc cancels$/);
  terminal.press('\u001b');
  await terminal.until(/bash ls .*\/ search {2}Esc back$/);
  terminal.press('/wanted');
  await terminal.until(/\/wanted /);
  terminal.press('\r');
  await terminal.until(/^output 700 Wanted\n/);
  terminal.press('n');
  await terminal.until(/continued at the beginning/);
  terminal.press('/wANTED\r');
  await terminal.until(/"wANTED" does not occur/);
  terminal.press('\u001b');
  await terminal.until(/compacted/);
});

test('`p` and the arrows go to the outputs of other calls', async () => {
  const { terminal } = await openSession();
  terminal.press(CONTROL.o);
  await terminal.until(/^output 1\n/);
  terminal.press('p');
  await terminal.until(/^the short output\n[^]*read a .*1\/2/);
  terminal.press('p');
  await terminal.until(/this is the first one/);
  terminal.press('\u001b[C');
  await terminal.until(/^output 1\n/);
  terminal.press('q');
});

test('the viewer follows the size of the terminal', async () => {
  const { terminal } = await openSession();
  terminal.press(CONTROL.o);
  await terminal.until(/^output 1\n/);
  terminal.resize(40, 10);
  await terminal.until(/output 9\n.*0% of 1,000 lines/);
  terminal.resize(20, 6);
  await terminal.until(/^output 1\n.*\n.*\n.*\noutput 5\n.*$/);
  terminal.press('q');
  await terminal.until(/>/);
});

test('what arrives while the viewer is open is printed once after it is left', async () => {
  const { terminal, controller } = await openSession();
  terminal.press(CONTROL.o);
  await terminal.until(/^output 1\n/);
  // The screen takes new blocks about every third time.
  for (let index = 1; index <= 20; index += 1) {
    controller.print([`meanwhile ${index}`]);
    terminal.press('j');
    await terminal.until(new RegExp(`^output ${index + 1}\n`));
  }
  terminal.press('q');
  await terminal.until(/meanwhile 20/);
  const rows = (await terminal.all()).filter((row) => row.startsWith('meanwhile'));
  expect(rows).toEqual(Array.from({ length: 20 }, (_, index) => `meanwhile ${index + 1}`));
  terminal.press('typed');
  await terminal.until(/> typed/);
});

test('a question that waits is named in the last row of the viewer', async () => {
  const { terminal, controller } = await openSession();
  terminal.press(CONTROL.o);
  await terminal.until(/^output 1\n/);
  void controller.choose(['Which one?'], [{ label: 'this' }]);
  await terminal.until(/1 more question waits .*Esc back$/);
  terminal.press('q');
  await terminal.until(/Which one\?/);
});

test('Ctrl-T shows the whole session, also the messages that a checkpoint replaced', async () => {
  const { terminal } = await openSession();
  terminal.press(CONTROL.t);
  await terminal.until(/> an early question\n[^]*bash ls\n[^]*compacted[^]*session viewed/);
  terminal.press('q');
  await terminal.until(/>/);
});

test('the end of the screen leaves the alternate screen', async () => {
  const { terminal, end } = await openSession();
  terminal.press(CONTROL.o);
  await terminal.until(/^output 1\n/);
  await end();
  await terminal.until(/the shell/);
});

test('an output that is missing in the store is reported in the viewer, and the viewer can be left', async () => {
  const { terminal, log } = await openSession();
  Object.assign(log.artifacts, {
    get: () => {
      throw new Error('artifact/missing: no such output');
    },
  });
  terminal.press(CONTROL.o);
  await terminal.until(/no such output/);
  terminal.press('q');
  await terminal.until(/compacted/);
});

test('a text that grows is shown from its end, and its new lines are followed there', async () => {
  const { terminal, controller } = await openScene({ before: 'the shell\n' });
  const lines = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`);
  let changed: () => void = () => undefined;
  let watches = 0;
  const shown = controller.viewEntries(
    [
      {
        title: 'p1 serve',
        open: async () => linesSource([...lines]),
        watch(callback) {
          changed = callback;
          watches += 1;
          return () => void (watches -= 1);
        },
      },
    ],
    0,
  );
  await terminal.until(/line 100\n.*100% of 100 lines/);
  lines.push('line 101');
  changed();
  await terminal.until(/line 101\n.*100% of 101 lines/);
  terminal.press('g');
  await terminal.until(/^line 1\n/);
  lines.push('line 102');
  changed();
  expect(await terminal.until(/of 102 lines/)).toMatch(/^line 1\n/);
  expect(watches).toBe(1);
  terminal.press('q');
  await shown;
  expect(watches).toBe(0);
});

test('the terminal stays in raw mode when the viewer gives it back, so no key is read as a line', async () => {
  const { terminal } = await openSession();
  await terminal.until(/\n>/);
  const modes: boolean[] = [];
  Object.assign(terminal.stdin, { setRawMode: (mode: boolean) => void modes.push(mode) });
  terminal.press(CONTROL.o);
  await terminal.until(/Esc back/);
  const before = modes.length;
  terminal.press('q\u001b\u001b');
  await terminal.until(/no earlier prompt|Go back to/);
  expect(modes.slice(before)).not.toContain(false);
  expect(modes.at(-1)).toBe(true);
});
