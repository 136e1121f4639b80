// Content of a message of a client, and the checks that a session can take a command.

import type { AgentSession, Words } from '@tidemark/agent';
import type { SessionId } from '@tidemark/log';
import { LogError } from '@tidemark/log';
import { ServerError } from '../errors.ts';
import type { LiveSessions } from '../live/live-sessions.ts';
import type { GivenMessage } from './schemas.ts';

/** Returns the content of a prompt from the text, the images and the attachments of a client. */
export function wordsOf({ text, images = [], attachments = [] }: GivenMessage): Words {
  if (images.length === 0 && attachments.length === 0) return text;
  return [
    ...attachments.map(({ name, text: content }) => ({
      type: 'attachment' as const,
      name,
      data: new TextEncoder().encode(content),
    })),
    ...images.map(({ data }) => ({ type: 'image' as const, data: new Uint8Array(Buffer.from(data, 'base64')) })),
    ...(text.trim() === '' ? [] : [{ type: 'text' as const, text }]),
  ];
}

/** @throws LogError `log/locked` if something else has the session open. Opening it would fail with the same code. */
export async function requireHere(live: LiveSessions, id: SessionId): Promise<void> {
  if (!(await live.isElsewhere(id))) return;
  const message = `Session ${id} is open elsewhere: another process, or the session that started it as its subagent, runs it.`;
  throw new LogError('log/locked', message, { session: id });
}

/** @throws ServerError `server/turn-running` */
export function requireIdle({ running, id }: AgentSession): void {
  if (running) throw turnRunning(id);
}

/** Returns the error of a command that must wait for the end of the turn. */
export function turnRunning(id: SessionId): ServerError {
  return new ServerError(
    'server/turn-running',
    `a turn of session ${id} is running`,
    'steer the turn, interrupt it, or wait for its end',
  );
}
