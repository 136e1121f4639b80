// Tests the lines about background processes.

import type { BackgroundProcess } from '@tidemark/agent';
import type { ProcessEnded } from '@tidemark/log';
import { CHAIN_START, position, timestamp } from '@tidemark/log';
import { expect, test } from 'vitest';

import type { Shown } from '../frame/shown.ts';
import { render } from '../frame/shown.ts';
import { processLine, reportRunning } from './process-line.ts';

const at = timestamp('2026-11-23T12:00:00.000Z');
const placed = { v: 1, at, position: position(1), fence: 1, chain: CHAIN_START } as const;

const ended = (data: Omit<ProcessEnded, 'process'>): string =>
  render(processLine({ ...placed, kind: 'process.ended', data: { process: 'p1', ...data } }), false);

test('a start shows the first line of the command, without control sequences', () => {
  const started = (command: string): string =>
    render(processLine({ ...placed, kind: 'process.started', data: { process: 'p1', command } }), false);
  expect(started('npm run dev')).toBe('background process p1 runs: npm run dev');
  expect(started('one\ntwo')).toBe('background process p1 runs: one…');
  expect(started(`\u001b[2J${'x'.repeat(500)}`)).not.toContain('\u001b');
});

test('an end shows its code or signal, and its cause', () => {
  expect(ended({ exit: 3, by: 'itself' })).toBe('background process p1 has ended: exit 3');
  expect(ended({ signal: 'SIGTERM', by: 'user' })).toBe(
    'background process p1 has ended: SIGTERM, stopped by the user',
  );
  expect(ended({ by: 'lost' })).toBe('background process p1 has ended, because the program that ran it ended');
});

test('only running processes are reported at the end of a command', () => {
  const process = (id: string, running: boolean): BackgroundProcess => ({
    id,
    command: `serve ${id}`,
    startedAt: at,
    bytes: 0,
    running,
  });
  const noted: Shown[] = [];
  const processes = {
    list: () => [process('p1', false), process('p2', true)],
    read: async () => undefined,
    stop: async () => undefined,
  };
  reportRunning({ processes }, { note: (line) => void noted.push(line) });
  expect(noted.map((line) => render(line, false))).toEqual([
    'stopped: background process p2, because the command ends: serve p2',
  ]);
});
