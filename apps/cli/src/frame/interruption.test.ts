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

/** Lets the stream deliver what was written. */
async function forward(bytes: string): Promise<void> {
  shim.write(bytes);
  await new Promise((resolve) => setImmediate(resolve));
}

test('counts a Ctrl-C that arrives as a signal and from the shim as one', async () => {
  signals.emit('SIGINT');
  await forward('I');
  expect(did).toEqual(['interrupt']);
});

test('counts it as one too where the shim is faster', async () => {
  await forward('I');
  signals.emit('SIGINT');
  expect(did).toEqual(['interrupt']);
});

test('ends the process at the second Ctrl-C, by whichever way it comes first', async () => {
  signals.emit('SIGINT');
  await forward('I');
  await forward('I');
  expect(did).toEqual(['interrupt', 'end']);
});

test('counts signals that are sent to one of the two processes alone', async () => {
  await forward('I');
  expect(did).toEqual(['interrupt']);
  await forward('I');
  expect(did).toEqual(['interrupt', 'end']);
});

test('interrupts once where the shim is gone, and a Ctrl-C after that ends nothing early', async () => {
  shim.end();
  await new Promise((resolve) => setImmediate(resolve));
  expect(did).toEqual(['interrupt']);
  signals.emit('SIGINT');
  expect(did).toEqual(['interrupt']);
});

test('ends the process at the second signal where there is no shim', () => {
  const alone: string[] = [];
  const plain = new EventEmitter();
  watchInterrupts({ signals: plain, interrupt: () => alone.push('interrupt'), end: () => alone.push('end') });
  plain.emit('SIGINT');
  plain.emit('SIGINT');
  expect(alone).toEqual(['interrupt', 'end']);
});
