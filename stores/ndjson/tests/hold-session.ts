// A separate process that writes a session. It runs the command in each line of its input and answers with a line.

import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Event, LogWriter } from '@tidemark/log';
import { LogError, sessionId, timestamp } from '@tidemark/log';
import { openNdjsonStore } from '../src/store.ts';

const [home = '', name = ''] = process.argv.slice(2);
const session = sessionId(name);
const store = openNdjsonStore({ home });
const at = timestamp('2026-11-20T12:00:00.000Z');
let writer: LogWriter | undefined;

/**
 * Appends prompts of `bytes` bytes until an append fails. Returns the number of appended prompts and the error as a
 * text.
 */
async function fill(bytes: number): Promise<string> {
  for (let count = 0; ; count += 1) {
    const text = 'x'.repeat(bytes);
    const event: Event = { kind: 'prompt.given', at, data: { parts: [{ type: 'text', text }], presenter: 'test' } };
    try {
      await writer?.append([event], writer.length);
    } catch (error) {
      return `${count} then ${error instanceof LogError ? error.code : String(error)}`;
    }
  }
}

async function obey(command: string, argument: string): Promise<string> {
  switch (command) {
    case 'create':
      writer = await store.create(session);
      await writer.append(
        [{ kind: 'session.created', at, data: { id: session, root: session, workspace: '/work' } }],
        0,
      );
      await writer.sync();
      return 'created';
    case 'open':
      writer = await store.open(session);
      return `opened ${writer.length}`;
    case 'append': {
      const event: Event = {
        kind: 'prompt.given',
        at,
        data: { parts: [{ type: 'text', text: argument }], presenter: 'test' },
      };
      await writer?.append([event], writer.length);
      return `length ${writer?.length}`;
    }
    case 'fill':
      return fill(Number(argument));
    case 'artifact':
      await store.artifacts.put(Buffer.alloc(Number(argument), String(Math.random())));
      return 'put';
    case 'close':
      await writer?.close();
      return 'closed';
    default:
      return 'what?';
  }
}

for await (const line of createInterface(process.stdin)) {
  const [command = '', argument = ''] = line.split(' ');
  const reply = await obey(command, argument).catch((error: unknown) =>
    error instanceof LogError ? error.code : String(error),
  );
  writeSync(1, `${reply}\n`);
}
