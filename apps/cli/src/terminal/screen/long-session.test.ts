// Tests the screen with long sessions: no printed line is lost or repeated, the live part stays below the size of the
// terminal, and few bytes are written.

import { expect, onTestFinished, test } from 'vitest';

import type { TerminalScene } from '../../../tests/terminal-scene.ts';
import { answer, createRecords, openScene } from '../../../tests/terminal-scene.ts';

const numbered = (name: string, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${name} ${index + 1} of ${count}`);

/** Streams a text in pieces of about the same length, and lets the screen draw after each twentieth piece. */
async function stream({ emit }: TerminalScene, text: string, pieces: number): Promise<void> {
  const size = Math.ceil(text.length / pieces);
  for (let at = 0, piece = 0; at < text.length; at += size, piece += 1) {
    emit({ type: 'text.delta', text: text.slice(at, at + size) });
    if (piece % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function resize({ terminal }: TerminalScene, columns: number): Promise<void> {
  terminal.resize(columns, 24);
  await new Promise((resolve) => setTimeout(resolve, 60));
}

async function open(options: Parameters<typeof openScene>[0] = {}): Promise<TerminalScene> {
  const scene = await openScene(options);
  onTestFinished(scene.end);
  return scene;
}

test('a streamed answer of 300 lines after 400 lines of history keeps every line once, in at most 250 kB', async () => {
  const scene = await open();
  const { record } = createRecords();
  const history = numbered('history', 400);
  for (const line of history)
    scene.emit({
      type: 'recorded',
      record: record('prompt.given', { parts: [{ type: 'text', text: line }], presenter: 'cli' }),
    });
  await scene.terminal.until(/history 400 of 400/);
  const lines = numbered('answer line with some more words', 300);
  const text = lines.map((line) => `${line}  `).join('\n');
  await stream(scene, text, 1_500);
  await scene.terminal.until(/words 300 of 300/);
  scene.emit({ type: 'recorded', record: record('answer.received', answer({ type: 'text', text })) });
  scene.emit({
    type: 'recorded',
    record: record('prompt.given', { parts: [{ type: 'text', text: 'the end' }], presenter: 'cli' }),
  });
  await scene.terminal.until(/> the end/);
  const rows = (await scene.terminal.all()).map((row) => row.trim());
  expect(rows.filter((row) => row.startsWith('> history'))).toEqual(history.map((line) => `> ${line}`));
  expect(rows.filter((row) => row.startsWith('answer line'))).toEqual(lines);
  expect(scene.terminal.written()).toBeLessThanOrEqual(250_000);
});

test('five resizes keep the 40 lines of the shell, repeat no block, and leave at most one stray row', async () => {
  const shell = numbered('shell line', 40);
  const scene = await open({ before: `${shell.join('\n')}\n` });
  const { record } = createRecords();
  const prompts = numbered('prompt', 6);
  for (const text of prompts)
    scene.emit({
      type: 'recorded',
      record: record('prompt.given', { parts: [{ type: 'text', text }], presenter: 'cli' }),
    });
  scene.emit({ type: 'text.delta', text: 'a live answer' });
  await scene.terminal.until(/a live answer/);
  for (const [columns, rows] of [
    [60, 24],
    [100, 30],
    [40, 12],
    [80, 20],
    [80, 24],
  ] as const) {
    scene.terminal.resize(columns, rows);
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  scene.emit({ type: 'recorded', record: record('answer.received', answer({ type: 'text', text: 'a final answer' })) });
  await scene.terminal.until(/a final answer/);
  const rows = await scene.terminal.all();
  const count = (text: string): number => rows.filter((row) => row.trim() === text).length;
  expect(shell.map(count)).toEqual(shell.map(() => 1));
  expect(prompts.map((prompt) => count(`> ${prompt}`))).toEqual(prompts.map(() => 1));
  expect(count('a final answer')).toBe(1);
  const known = new Set([...shell, ...prompts.map((prompt) => `> ${prompt}`), 'a final answer', '', '>']);
  const strays = rows.filter((row) => !known.has(row.trim()) && !/^(read-only|ask|auto)\b/.test(row.trim()));
  expect(strays.length, strays.join('\n')).toBeLessThanOrEqual(1);
});

test('five times narrower and wider while an answer arrives leave each of its rows once, and every line of the shell', async () => {
  const shell = numbered('shell line', 40);
  const scene = await open({ before: `${shell.join('\n')}\n` });
  const { record } = createRecords();
  const prompt = { parts: [{ type: 'text', text: 'the prompt' }], presenter: 'cli' } as const;
  scene.emit({ type: 'recorded', record: record('prompt.given', prompt) });
  const lines = Array.from({ length: 8 }, (_, index) => `- row ${index}: ${'word '.repeat(12)}end${index};`);
  for (const [index, line] of lines.entries()) {
    scene.emit({ type: 'text.delta', text: `${line}\n` });
    await scene.terminal.until(new RegExp(`end${index};`));
    if (index >= 5) continue;
    await resize(scene, 40 + index);
    await resize(scene, 100 - index);
  }
  const text = lines.join('\n');
  scene.emit({ type: 'recorded', record: record('answer.received', answer({ type: 'text', text })) });
  await scene.terminal.until(/row 0:/);
  const rows = await scene.terminal.all();
  const count = (words: string): number => rows.filter((row) => row.includes(words)).length;
  expect(shell.map((line) => rows.filter((row) => row === line).length)).toEqual(shell.map(() => 1));
  expect(count('> the prompt')).toBe(1);
  expect(lines.map((_, index) => count(`row ${index}:`))).toEqual(lines.map(() => 1));
  expect(lines.map((_, index) => count(`end${index};`))).toEqual(lines.map(() => 1));
});

test('a live answer that fills the terminal leaves rows in the scrollback at its first narrower size only', async () => {
  const scene = await open({ before: 'the shell\n' });
  scene.controller.state.set({ ...scene.controller.state.get(), running: true });
  const lines = Array.from({ length: 60 }, (_, index) => `- row ${index}: ${'word '.repeat(12)}end${index};`);
  scene.emit({ type: 'text.delta', text: lines.join('\n') });
  await scene.terminal.until(/end59;/);
  await resize(scene, 60);
  await resize(scene, 100);
  const copies = async (): Promise<readonly (string | undefined)[]> =>
    (await scene.terminal.all()).flatMap((row) => /row \d+:/.exec(row) ?? []);
  const before = await copies();
  for (const columns of [70, 100, 50, 90, 60, 100]) await resize(scene, columns);
  expect(await copies()).toEqual(before);
});

test.each([
  [20, 6],
  [40, 10],
  [80, 24],
  [200, 60],
])('the live part of a terminal of %i columns and %i rows never exceeds its rows minus two', async (columns, rows) => {
  const scene = await open({ columns, rows, before: 'the shell\n' });
  await stream(scene, numbered('word '.repeat(12), 80).join('\n\n'), 200);
  await scene.terminal.until(/80 of 80/);
  const all = (await scene.terminal.all()).filter((row, index, list) => list.slice(index).some((one) => one !== ''));
  // The live part is not in the scrollback: the line of the shell and the live part fit into the viewport.
  expect(all[0]).toBe('the shell');
  expect(all.length).toBeLessThanOrEqual(rows - 1);
});

test('a conversation of 5,000 blocks prints each block once', { timeout: 60_000 }, async () => {
  const scene = await open();
  const { record } = createRecords();
  for (let index = 1; index <= 5_000; index += 1) {
    scene.emit({
      type: 'recorded',
      record: record('prompt.given', { parts: [{ type: 'text', text: `block ${index};` }], presenter: 'cli' }),
    });
    if (index % 50 === 0) await scene.terminal.until(new RegExp(`block ${index};`));
  }
  await scene.terminal.until(/block 5000;/);
  const printed = (await scene.terminal.all()).flatMap((row) => /block (\d+);/.exec(row)?.[1] ?? []).map(Number);
  // The scrollback of the virtual terminal is shorter than the conversation.
  expect(printed).toEqual(Array.from({ length: printed.length }, (_, index) => 5_001 - printed.length + index));
  expect(printed.length).toBeGreaterThan(4_900);
});
