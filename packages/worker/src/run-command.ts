// Runs one command of a session: gives its request to the application, and records the answer.

import type { Log, SessionId } from '@tidemark/log';
import { parseJson } from '@tidemark/log';
import type { SessionApp } from '@tidemark/server';
import type { CommandAnswer, CommandRequest, TakenCommand } from '@tidemark/store-postgres';

/** Sessions of one tenant in this worker. */
export interface TenantApp {
  readonly app: SessionApp;
  readonly log: Log;
  /** Token that the application expects. */
  readonly token: string;
}

/**
 * Runs a command and returns its answer. Returns `undefined` if it could not be begun here, so another worker has to
 * run it. A command that a killed worker has taken before is not run twice if its effect is in the log.
 */
export async function runCommand(
  tenant: TenantApp,
  session: SessionId,
  command: TakenCommand,
): Promise<CommandAnswer | undefined> {
  if (command.isRepeated) {
    const found = await answerFromLog(tenant.log, session, command);
    if (found !== undefined) return found;
    if (!canRepeat(command.request)) return lost(command.request);
  }
  const answer = await send(tenant, command.request);
  return isElsewhere(answer) ? undefined : answer;
}

/** Gives a request to the application. */
export async function send({ app, token }: TenantApp, { method, path, body }: CommandRequest): Promise<CommandAnswer> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const content = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await app.fetch(new Request(new URL(path, 'http://worker'), { method, headers, ...content }));
  return { status: response.status, body: parseJson(await response.text()) };
}

/** Codes of errors after which another worker, or this one later, can run the command. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  'log/locked',
  'log/moved',
  'log/closed',
  'log/latched',
  'server/closing',
]);

function isElsewhere({ status, body }: CommandAnswer): boolean {
  return status >= 400 && ELSEWHERE.has(codeOf(body));
}

function codeOf(body: unknown): string {
  const { error }: { readonly error?: { readonly code?: unknown } } = isObject(body) ? body : {};
  return typeof error?.code === 'string' ? error.code : '';
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** Ends of paths of commands that add a message of a person to the log. */
const MESSAGES = /\/(?:prompt|steer)$/;

/** Returns the answer of a message that an earlier worker has recorded before it was killed. */
async function answerFromLog(
  log: Log,
  session: SessionId,
  { request, beganAtLength }: TakenCommand,
): Promise<CommandAnswer | undefined> {
  const text = MESSAGES.test(request.path) ? textOf(request.body) : undefined;
  if (text === undefined) return undefined;
  for await (const record of log.read(session, beganAtLength)) {
    if (record.kind !== 'prompt.given') continue;
    const has = record.data.parts.some((part) => part.type === 'text' && part.text === text);
    if (has) return { status: 202, body: { session, position: record.position } };
  }
  return undefined;
}

function textOf(body: unknown): string | undefined {
  const { text }: { readonly text?: unknown } = isObject(body) ? body : {};
  return typeof text === 'string' ? text : undefined;
}

/** Returns true if a second run of a command has the same effect as one run. */
function canRepeat({ method, path }: CommandRequest): boolean {
  return method === 'PUT' || MESSAGES.test(path) || /\/(?:interrupt|resume|questions\/[^/]+)$/.test(path);
}

function lost({ method, path }: CommandRequest): CommandAnswer {
  const message = `the worker that ran ${method} ${path} was killed, and its effect is not known`;
  return {
    status: 503,
    body: { error: { code: 'worker/lost', message, next: 'read the session, then decide again' } },
  };
}
