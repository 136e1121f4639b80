// Program of a separate process that writes a session. It runs the command in each line of its input and answers with
// a line.

import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';

import { LogError } from '../src/errors.ts';
import type { EventOf } from '../src/event.ts';
import type { SessionId } from '../src/ids.ts';
import { timestamp } from '../src/ids.ts';
import type { Log, LogWriter } from '../src/port.ts';

const AT = timestamp('2026-11-20T12:00:00.000Z');

function prompt(text: string): EventOf<'prompt.given'> {
  return { kind: 'prompt.given', at: AT, data: { parts: [{ type: 'text', text }], presenter: 'test' } };
}

/** Writes one session as the lines of the input say, until the input ends. */
export async function answerLines(store: Log, session: SessionId): Promise<void> {
  const obey = createHolder(store, session);
  for await (const line of createInterface(process.stdin)) {
    const [command = '', argument = ''] = line.split(' ');
    const reply = await obey(command, argument).catch((error: unknown) =>
      error instanceof LogError ? error.code : String(error),
    );
    writeSync(1, `${reply}\n`);
  }
}

/**
 * Appends prompts of `bytes` bytes until an append fails. Returns the number of appended prompts and the error as a
 * text.
 */
async function fill(writer: LogWriter | undefined, bytes: number): Promise<string> {
  for (let count = 0; ; count += 1) {
    try {
      await writer?.append([prompt('x'.repeat(bytes))], writer.length);
    } catch (error) {
      return `${count} then ${error instanceof LogError ? error.code : String(error)}`;
    }
  }
}

function createHolder(store: Log, session: SessionId): (command: string, argument: string) => Promise<string> {
  let writer: LogWriter | undefined;
  return async (command, argument) => {
    switch (command) {
      case 'create':
        writer = await store.create(session);
        await writer.append(
          [{ kind: 'session.created', at: AT, data: { id: session, root: session, workspace: '/work' } }],
          0,
        );
        await writer.sync();
        return 'created';
      case 'open':
        writer = await store.open(session);
        return `opened ${writer.length}`;
      case 'append':
        await writer?.append([prompt(argument)], writer.length);
        return `length ${writer?.length}`;
      case 'sync':
        await writer?.sync();
        return 'flushed';
      case 'fill':
        return fill(writer, Number(argument));
      case 'artifact':
        await store.artifacts.put(Buffer.alloc(Number(argument), String(Math.random())));
        return 'put';
      case 'close':
        await writer?.close();
        return 'closed';
      default:
        return 'what?';
    }
  };
}
