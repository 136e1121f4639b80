// Tests the screen of a terminal that reports its size late: the program draws, or gets an older size, while the terminal
// already has another size. No line above the live part may be erased.

import { expect, onTestFinished, test } from 'vitest';

import type { TerminalScene } from '../../../tests/terminal-scene.ts';
import { answer, createRecords, openScene } from '../../../tests/terminal-scene.ts';

const SHELL = Array.from({ length: 40 }, (_, index) => `shell line ${index + 1} of 40`);
const LINES = Array.from({ length: 6 }, (_, index) => `- row ${index}: ${'word '.repeat(12)}end${index};`);

async function open(): Promise<TerminalScene> {
  const scene = await openScene({ columns: 100, rows: 30, before: `${SHELL.join('\n')}\n` });
  onTestFinished(scene.end);
  await scene.terminal.until(/ask|read-only/);
  return scene;
}

/** Returns the lines of the shell that are in the scrollback or on the screen, with their number of copies. */
async function copiesOfShell({ terminal }: TerminalScene): Promise<readonly number[]> {
  const rows = await terminal.all();
  return SHELL.map((line) => rows.filter((row) => row === line).length);
}

test('a key that is drawn while a lower terminal has not reported its size erases no line above', async () => {
  const scene = await open();
  const { terminal } = scene;
  terminal.press('a');
  await terminal.until(/^> a$/m);
  terminal.resizeUnreported(60, 24);
  terminal.press('b');
  await terminal.until(/^> ab$/m);
  terminal.resizeUnreported(50, 18);
  terminal.press('c');
  await terminal.until(/^> abc$/m);
  terminal.resize(50, 18);
  terminal.press('d');
  await terminal.until(/^> abcd$/m);
  expect(await copiesOfShell(scene)).toEqual(SHELL.map(() => 1));
});

test('a report of a narrow size that the terminal no longer has erases no line above', async () => {
  const scene = await open();
  const { terminal } = scene;
  scene.emit({ type: 'text.delta', text: LINES.join('\n') });
  await terminal.until(/end5;/);
  terminal.press('key');
  await terminal.until(/^> key$/m);
  // The terminal was narrow for a moment, and reports it when it is wide again.
  Object.assign(terminal.stdout, { columns: 40 });
  terminal.stdout.emit('resize');
  await terminal.until(/word\s*\n/);
  terminal.resize(100, 30);
  await terminal.until(/end5;/);
  expect(await copiesOfShell(scene)).toEqual(SHELL.map(() => 1));
});

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'no committed line is lost after late reports in random order, seed %i',
  async (seed) => {
    const scene = await open();
    const { terminal } = scene;
    const { record } = createRecords();
    let state = seed;
    const below = (limit: number): number => {
      state = (state * 48_271) % 2_147_483_647;
      return state % limit;
    };
    const drawn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 40));
    const prompts: string[] = [];
    let size: readonly [number, number] = [100, 30];
    for (let step = 0; step < 40; step += 1) {
      const choice = below(6);
      if (choice <= 1) {
        size = [40 + below(61), 12 + below(19)];
        terminal.resizeUnreported(...size);
      } else if (choice === 2) {
        // Also an older size, if the terminal has changed again before the program reads it.
        const reported = size;
        if (below(2) === 0) {
          size = [40 + below(61), 12 + below(19)];
          terminal.resizeUnreported(...size);
        }
        Object.assign(terminal.stdout, { columns: reported[0], rows: reported[1] });
        terminal.stdout.emit('resize');
      } else if (choice === 3) {
        scene.emit({ type: 'text.delta', text: `${LINES[below(LINES.length)]}\n` });
      } else if (choice === 4) {
        terminal.press('k');
      } else {
        const text = `p${prompts.length}p`;
        prompts.push(`> ${text}`);
        scene.emit(
          { type: 'recorded', record: record('answer.received', answer({ type: 'text', text: 'ok' })) },
          {
            type: 'recorded',
            record: record('prompt.given', { parts: [{ type: 'text', text }], presenter: 'cli' }),
          },
        );
      }
      await drawn();
    }
    terminal.resize(...size);
    await drawn();
    const rows = (await terminal.all()).map((row) => row.trim());
    const missing = [...SHELL, ...prompts].filter((line) => !rows.includes(line));
    expect(missing, rows.join('\n')).toEqual([]);
  },
);
