import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';

import { beforeEach, expect, test } from 'vitest';

import { watchInterrupts } from './interruption.ts';

let signals: EventEmitter;
let shim: PassThrough;
let did: string[];

beforeEach(() => {
  signals = new EventEmitter();
  shim = new PassThrough();
  did = [];
  watchInterrupts({ signals, shim, interrupt: () => did.push('interrupt'), end: () => did.push('end') });
});

/** Writes the bytes to the pipe and waits until the stream has delivered them. */
async function forward(bytes: string): Promise<void> {
  shim.write(bytes);
  await new Promise((resolve) => setImmediate(resolve));
}

test('a Ctrl-C that arrives as a signal and then through the shim counts once', async () => {
  signals.emit('SIGINT');
  await forward('I');
  expect(did).toEqual(['interrupt']);
});

test('a Ctrl-C that arrives through the shim first counts once', async () => {
  await forward('I');
  signals.emit('SIGINT');
  expect(did).toEqual(['interrupt']);
});

test('the second Ctrl-C ends the process, if it arrives as a signal or through the shim', async () => {
  signals.emit('SIGINT');
  await forward('I');
  await forward('I');
  expect(did).toEqual(['interrupt', 'end']);
});

test('a signal that reaches only one of the two processes is counted', async () => {
  await forward('I');
  expect(did).toEqual(['interrupt']);
  await forward('I');
  expect(did).toEqual(['interrupt', 'end']);
});

test('the end of the shim interrupts once, and one later Ctrl-C does not end the process early', async () => {
  shim.end();
  await new Promise((resolve) => setImmediate(resolve));
  expect(did).toEqual(['interrupt']);
  signals.emit('SIGINT');
  expect(did).toEqual(['interrupt']);
});

test('the second signal ends the process if there is no shim', () => {
  const alone: string[] = [];
  const plain = new EventEmitter();
  watchInterrupts({ signals: plain, interrupt: () => alone.push('interrupt'), end: () => alone.push('end') });
  plain.emit('SIGINT');
  plain.emit('SIGINT');
  expect(alone).toEqual(['interrupt', 'end']);
});
