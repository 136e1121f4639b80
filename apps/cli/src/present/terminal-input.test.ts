// Tests the input of a terminal. Everything typed before a question is discarded, for any timing.

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

/** Creates a terminal whose user answers as soon as a question appears. */
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
  // The streams have only the members of a terminal that `terminalInput` uses.
  const input = Reflect.apply(terminalInput, undefined, [stdin, stderr]);
  return { input, stdin, modes, written: () => written };
}

test('input that arrives over many turns of the event loop before a question does not answer it', async () => {
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
  expect(written()).toContain('(text typed before this question is ignored)');
  expect(modes).toEqual([true, false]);
});

test('a Ctrl-C typed before a question is sent as the signal', async () => {
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
  const { input, stdin } = terminal('n');
  stdin.write('yes\u0003');
  await input.ask('allow it? ', new AbortController().signal);
  expect(kill.mock.calls).toEqual([[process.pid, 'SIGINT']]);
});

test('a question without earlier input prints no notice and sends no signal', async () => {
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
  const { input, written } = terminal('y');
  expect(await input.ask('allow it? ', new AbortController().signal)).toBe('y');
  expect(written()).toBe('allow it? ');
  expect(kill).not.toHaveBeenCalled();
});

test('with `keepsTyped`, text that was typed before is the answer', async () => {
  const { input, stdin, modes } = terminal('n');
  stdin.write('typed before\n');
  expect(await input.ask('ask> ', new AbortController().signal, true)).toBe('typed before');
  expect(modes).toEqual([]);
});
