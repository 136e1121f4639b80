// Tests the ends of the terminal that the user did not ask for.

import { EventEmitter } from 'node:events';

import { expect, onTestFinished, test } from 'vitest';

import { createVirtualTerminal } from '../../tests/virtual-terminal.ts';
import { createController } from './control/create-controller.ts';
import type { ForcedEnd } from './guard-process.ts';
import { guardProcess } from './guard-process.ts';
import { showScreen } from './screen/show-screen.ts';

test('signals and errors that no code caught end the terminal', () => {
  const events = new EventEmitter();
  const ends: ForcedEnd[] = [];
  const release = guardProcess(events, (end) => void ends.push(end));
  events.emit('SIGTERM');
  events.emit('SIGHUP');
  events.emit('uncaughtException', new Error('broken'));
  events.emit('unhandledRejection', 'a text');
  expect(ends).toEqual([{ exit: 143 }, { exit: 129 }, { error: new Error('broken') }, { error: new Error('a text') }]);
  release();
  expect(events.eventNames()).toEqual([]);
});

test('an error of a component restores the terminal and is reported', async () => {
  const terminal = createVirtualTerminal();
  const raw: boolean[] = [];
  const stdin = Object.assign(terminal.stdin, {
    setRawMode: (on: boolean) => {
      raw.push(on);
      return stdin;
    },
  });
  const controller = createController();
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const hide = showScreen(controller, { ...terminal, stdin, colour: false, failed: resolve });
  onTestFinished(() => hide().catch(() => undefined));
  await terminal.until(/>/);
  const options = Array.from({ length: 1 }, () => ({
    get label(): string {
      throw new Error('this option is broken');
    },
  }));
  void controller.choose(['Which one?'], options);
  expect(await promise).toEqual(new Error('this option is broken'));
  expect([raw.includes(true), raw.at(-1)]).toEqual([true, false]);
});
