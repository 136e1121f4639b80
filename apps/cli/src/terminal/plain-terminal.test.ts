// Tests the interactive session without a screen: every line is appended, and input is read line by line.

import { createAgent } from '@tidemark/kit';
import { createScriptedProvider } from '@tidemark/provider-scripted';
import { createMemoryStore } from '@tidemark/store-memory';
import { expect, onTestFinished, test } from 'vitest';

import { openScriptedTerminal, says } from '../../tests/scripted-terminal.ts';
import type { Input } from '../frame/input.ts';
import { createOutput } from '../frame/output.ts';
import { runPlainTerminal } from './plain-terminal.ts';

interface Typed {
  readonly shown: () => string;
  readonly streams: Parameters<typeof runPlainTerminal>[1];
}

/** Returns streams on which a user types these lines. */
function typing(...lines: readonly string[]): Typed {
  let shown = '';
  const sink = { write: (text: string) => void (shown += text), terminal: true, colour: false };
  const left = [...lines];
  const never = (): never => {
    throw new Error('this test has no piped input');
  };
  const input: Input = {
    terminal: true,
    piped: false,
    bytes: never,
    along: never,
    rows: 100,
    columns: 80,
    show: sink.write,
    ask: async (question) => {
      shown += question;
      const line = left.shift() ?? '';
      shown += `${line}\n`;
      return line;
    },
  };
  const streams = { input, output: createOutput(false, sink, sink), signal: new AbortController().signal };
  return { shown: () => shown, streams };
}

test('each line is a prompt, and its answer is printed before the next one is read', async () => {
  const { controller, requests } = await openScriptedTerminal({ answers: [says('One.'), says('Two.')] });
  const { shown, streams } = typing('first', 'second', '/quit', 'never sent');
  await runPlainTerminal(controller, streams);
  expect(shown()).toMatch(/auto> first\n[^]*One\.[^]*auto> second\n[^]*Two\.[^]*auto> \/quit\n/);
  expect(shown().match(/first|second/g)).toEqual(['first', 'second']);
  expect(shown()).not.toContain('\u001b');
  expect(requests()).toHaveLength(2);
});

test('two empty lines end the session', async () => {
  const { controller } = await openScriptedTerminal();
  const { shown, streams } = typing('', 'hello', '', '', 'never sent');
  await runPlainTerminal(controller, streams);
  expect([shown().includes('Yes.'), shown().includes('never sent')]).toEqual([true, false]);
});

test('a session that is open elsewhere is continued in a fork by the letter f', async () => {
  const store = createMemoryStore();
  const provider = createScriptedProvider({ respond: () => says('From elsewhere.') });
  const agent = createAgent({ model: 'claude-sonnet-5-5', provider, store, permissions: { mode: 'auto' } });
  onTestFinished(() => agent.close());
  const held = await agent.open();
  await held.prompt('typed elsewhere');
  const { controller } = await openScriptedTerminal({ store, answers: [says('Here.')] });
  await controller.openSession({ open: 'existing', id: held.id });
  const { shown, streams } = typing('refused', 'f', 'mine', '/quit');
  await runPlainTerminal(controller, streams);
  expect(shown()).toMatch(/f: continue in a fork[^]*open elsewhere> refused\n[^]*is only shown here[^]*> f\n/);
  expect(shown()).toMatch(/auto> mine\n[^]*Here\./);
  expect(controller.state.get().session).not.toBe(held.id);
});

test('a list is answered by a number', async () => {
  const { controller } = await openScriptedTerminal({ answers: [says('The plan.'), says('Done.')] });
  await controller.setMode('plan');
  const { shown, streams } = typing('fix it', '3', '/quit');
  await runPlainTerminal(controller, streams);
  expect(shown()).toMatch(/Carry out this plan\?\n1: [^]*3: carry it out mode auto\n[^]*Done\./);
});
