// Tests the status line in a terminal emulator.

import { callId, timestamp, money } from '@tidemark/log';
import { render } from 'ink';
import { createElement as h } from 'react';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';

import { createVirtualTerminal } from '../../../tests/virtual-terminal.ts';
import { EMPTY_CONVERSATION } from '../state/conversation.ts';
import { NO_FACTS } from '../state/status-facts.ts';
import type { Panel, TerminalState } from '../state/terminal-state.ts';
import { StatusLine } from './status-line.ts';

const NOW = Date.parse('2026-11-23T12:00:00.000Z');
const tokens = { fresh: 0, read: 9_000, written: 100 };
const state: TerminalState = {
  conversation: EMPTY_CONVERSATION,
  generation: 0,
  running: false,
  stopping: false,
  mode: 'ask',
  queued: [],
  panel: undefined,
  readOnly: false,
  status: {
    ...NO_FACTS,
    model: 'claude-opus-5-5',
    effort: 'high',
    branch: 'main',
    hitRate: 0.98,
    cost: money('1.25'),
    next: {
      provider: 'anthropic',
      model: 'claude-opus-5-5',
      parameters: {},
      gauge: { limit: 0, tier: 'unknown', by: 'tokens', bytes: 0, soft: 0, hard: 0, tail: 0, reserve: 0 },
      tokens,
      cost: money('0.0123'),
      reported: false,
      expires: timestamp('2026-11-23T12:01:02.000Z'),
      expired: { tokens, cost: money('0.41'), reported: true, rewrite: { cause: 'expired', tokens: 9_000 } },
    },
  },
};

afterEach(() => vi.useRealTimers());

function show(columns: number, clock: () => number, change: Partial<TerminalState> = {}) {
  const terminal = createVirtualTerminal(columns, 6);
  const { unmount } = render(
    h(StatusLine, { state: { ...state, ...change }, columns, colour: false, now: NOW, clock }),
    {
      stdout: terminal.stdout,
      stdin: terminal.stdin,
      patchConsole: false,
      interactive: true,
    },
  );
  onTestFinished(() => unmount());
  return terminal;
}

test.each([80, 60, 40, 20])('the status line has one row at %i columns', async (columns) => {
  const terminal = show(columns, () => NOW);
  await terminal.until(/ask/);
  const rows = (await terminal.viewport()).filter((row) => row !== '');
  expect(rows).toHaveLength(1);
});

test('the status line is drawn again only when its countdown changes', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: NOW });
  const terminal = show(80, Date.now);
  const shown = async (ms: number): Promise<string> => {
    await vi.advanceTimersByTimeAsync(ms);
    // The terminal emulator uses timers, too.
    const rows = terminal.viewport();
    await vi.advanceTimersByTimeAsync(20);
    return (await rows).join('');
  };
  expect(await shown(100)).toContain('next $0.0123 · cache 1:00');
  const written = terminal.written();
  await shown(1_500);
  expect(terminal.written()).toBe(written);
  // In the last minute, the countdown changes each second.
  expect(await shown(1_200)).toContain('cache 0:59');
  expect(await shown(1_000)).toContain('cache 0:58');
  expect(await shown(60_000)).toContain('next $0.410 (cache expired) · main');
  const after = terminal.written();
  await shown(600_000);
  expect(terminal.written()).toBe(after);
});

test('the status line says that a question waits', async () => {
  const panel: Panel = {
    kind: 'question',
    question: {
      about: 'call',
      call: callId('c1'),
      tool: 'bash',
      effect: 'execute',
      title: 'bash npm test',
      rule: 'ask/execute',
      preview: { kind: 'command', text: 'npm test' },
    },
    answer: () => undefined,
  };
  const terminal = show(80, () => NOW, { running: true, panel });
  await terminal.until(/waits for your answer/);
  expect((await terminal.viewport()).join('')).not.toContain('working');
});
