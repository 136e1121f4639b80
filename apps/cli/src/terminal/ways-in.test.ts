// Tests the first run without a key.

import { expect, test } from 'vitest';

import type { AgentFlags } from '../arguments/agent-flags.ts';
import { CliError } from '../frame/failure.ts';
import type { Input } from '../frame/input.ts';
import { createOutput } from '../frame/output.ts';
import { openWithWaysIn } from './ways-in.ts';

const NO_KEY = new CliError('cli/no-key', 'there is no key for Anthropic: ANTHROPIC_API_KEY is not set', 'set it');

/** Opens with the answers of a user. Only the simulator and a compatible server need no key. */
async function openWith(
  answers: readonly string[],
): Promise<{ readonly flags: AgentFlags | undefined; readonly shown: string; readonly error: unknown }> {
  let shown = '';
  const sink = { write: (text: string) => void (shown += text), terminal: true, colour: false };
  const left = [...answers];
  const never = (): never => {
    throw new Error('this test has no piped input');
  };
  const input: Input = {
    terminal: true,
    piped: false,
    bytes: never,
    along: never,
    rows: 24,
    columns: 80,
    show: sink.write,
    ask: async (question) => {
      shown += question;
      return left.shift() ?? '';
    },
  };
  const context = { input, output: createOutput(false, sink, sink), signal: new AbortController().signal };
  let flags: AgentFlags | undefined;
  try {
    await openWithWaysIn({ mode: 'ask' }, context, async (tried) => {
      if (tried.provider === undefined) throw NO_KEY;
      flags = tried;
    });
    return { flags, shown, error: undefined };
  } catch (error) {
    return { flags, shown, error };
  }
}

test('the simulator can be chosen, and the other flags stay', async () => {
  const { flags, shown } = await openWith(['s']);
  expect(flags).toEqual({ mode: 'ask', provider: 'simulator' });
  expect(shown).toContain('ANTHROPIC_API_KEY is not set');
  expect(shown).toContain('tidemark keys set anthropic');
});

test('a local server is opened with its address, model and window', async () => {
  const { flags } = await openWith(['l', 'http://127.0.0.1:8080/v1', 'qwen', '32768']);
  expect(flags).toMatchObject({
    provider: 'compatible',
    baseUrl: 'http://127.0.0.1:8080/v1',
    model: 'qwen',
    window: 32768,
  });
});

test('without a choice, or with an incomplete one, the error of the missing key remains', async () => {
  expect((await openWith([''])).error).toBe(NO_KEY);
  expect((await openWith(['l', 'http://127.0.0.1:8080/v1', 'qwen', 'large'])).error).toBe(NO_KEY);
});
