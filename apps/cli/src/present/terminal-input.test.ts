// The input of a terminal: what was typed before a question is read away, however it arrives.

import { PassThrough } from 'node:stream';

import { afterEach, expect, test, vi } from 'vitest';

import { terminalInput } from './terminal-input.ts';

afterEach(() => vi.restoreAllMocks());

interface Terminal {
  readonly input: ReturnType<typeof terminalInput>;
  readonly stdin: PassThrough;
  readonly modes: boolean[];
  written(): string;
}

/** A terminal at which a person answers as soon as a question is shown. */
function terminal(answer: string): Terminal {
  const modes: boolean[] = [];
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (mode: boolean) => void modes.push(mode),
  });
  let written = '';
  const stderr = Object.assign(new PassThrough(), { isTTY: true, rows: 24, columns: 80 });
  stderr.on('data', (chunk: Buffer) => {
    written += chunk.toString();
    if (chunk.toString().includes('allow it?')) stdin.write(`${answer}\n`);
  });
  // Only what `terminalInput` uses of a terminal is there.
  const input = Reflect.apply(terminalInput, undefined, [stdin, stderr]);
  return { input, stdin, modes, written: () => written };
}

test('what arrives over many turns of the event loop before a question answers nothing', async () => {
  const { input, stdin, modes, written } = terminal('n');
  let left = 8;
  const type = (): void => {
    stdin.write('y\n');
    left -= 1;
    if (left > 0) setImmediate(type);
  };
  type();
  expect(await input.ask('allow it? ', new AbortController().signal)).toBe('n');
  expect(left).toBe(0);
  expect(written()).toContain('(what was typed before this question is ignored)');
  expect(modes).toEqual([true, false]);
});

test('Ctrl-C that was typed before a question is passed on as the signal', async () => {
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
  const { input, stdin } = terminal('n');
  stdin.write('yes\u0003');
  await input.ask('allow it? ', new AbortController().signal);
  expect(kill.mock.calls).toEqual([[process.pid, 'SIGINT']]);
});

test('a question to which nothing was typed before has no notice and sends no signal', async () => {
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
  const { input, written } = terminal('y');
  expect(await input.ask('allow it? ', new AbortController().signal)).toBe('y');
  expect(written()).toBe('allow it? ');
  expect(kill).not.toHaveBeenCalled();
});
