// Helpers for all routes of the server: account of the client, start time of an answer, request ids and streams.

import { createHash } from 'node:crypto';
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { OpenAICore } from '../openai/memory.ts';
import type { Fault, ErrorFault } from '../core/faults.ts';
import { refuse } from '../core/refusal.ts';
import type { MessageRefusal } from '../core/refusal.ts';
import type { ServerResponse } from 'node:http';
import type { WireObject } from '../core/wire.ts';

/** Types for the context of a Hono handler: Node's own request and response. */
export interface RouteBindings {
  readonly Bindings: HttpBindings;
}

/** Context of one HTTP request, with Node's own request and response. */
export type RouteContext = Context<RouteBindings>;

/** State that the routes of one server share: the state of the simulator. */
export interface RouteState {
  readonly core: OpenAICore;
}

/** Returns the id of the next request: `req_…`. */
export function nextRequest({ core }: RouteState): string {
  return core.ids.nextRequest();
}

/** Returns the headers of a request, with lower-case names. A repeated header is joined by `, `. */
export function headersOf(context: RouteContext): { readonly [name: string]: string } {
  return context.req.header();
}

/** Records a request that no endpoint received. */
export function reject({ core }: RouteState, path: string, refusal: { status: number; message: string }): void {
  const { status, message } = refusal;
  const rejected = { at: core.clock.now(), path, status, message };
  core.tally.reject(rejected);
  core.settings.onRejected?.(rejected);
}

/** Returns the API key of a request in Anthropic's form, or a refusal if no header contains one. */
export function anthropicKeyOf(context: RouteContext): string | MessageRefusal {
  const bearer = context.req.header('authorization')?.replace(/^Bearer\s+/i, '');
  const key = context.req.header('x-api-key') ?? bearer ?? '';
  return key === '' ? refuse(401, 'authentication_error', 'x-api-key header is required') : key;
}

/** Returns the account name for an API key. The name is a digest, because the key itself is never stored. */
export function accountOf(key: string): string {
  return `key-${createHash('sha256').update(key).digest('hex').slice(0, 16)}`;
}

/**
 * Returns the time in the header `x-tidemark-at`, in milliseconds since the epoch. With this header, a call sets its
 * time on a virtual clock. Returns an empty object if the header is absent or the clock is not virtual.
 */
export function timeOf(core: OpenAICore, context: RouteContext): { readonly at?: number } {
  const at = core.clock.virtual ? context.req.header('x-tidemark-at') : undefined;
  return at === undefined ? {} : { at: Number(at) };
}

/**
 * Returns the time at which an answer begins, in milliseconds since the epoch. On a virtual clock the answer begins
 * `firstByteMs` after the start of the call. On a real clock the answer begins now, because the server has already
 * waited `firstByteMs`.
 */
export function firstByteAt(core: OpenAICore, call: { readonly startedAt: number }): number {
  return core.clock.virtual ? call.startedAt + core.settings.firstByteMs : core.clock.now();
}

/**
 * Returns the delay before the first byte, in real milliseconds. On a virtual clock, only a `slow-first-byte` fault
 * causes a delay.
 */
export function waitOf(core: OpenAICore, fault: Fault | undefined): number {
  const own = core.clock.virtual ? 0 : core.settings.firstByteMs;
  return own + (fault?.kind === 'slow-first-byte' ? fault.ms : 0);
}

/**
 * Parts of a streamed reply: its events, and a fault that takes effect between two events. The reply is written to
 * Node's own response. A `Response` object cannot be cut. It also cannot stop sending while its connection stays open.
 */
export interface StreamParts {
  /** Events of the reply, encoded for the stream. */
  readonly events: Iterable<string>;
  readonly fault: Fault | undefined;
  /** Stream event with invalid JSON, in the event format of the provider. */
  readonly malformed: string;
  /** Returns the error event that ends the stream. `sent` is the number of events that were sent before it. */
  readonly errorEvent: (fault: ErrorFault, sent: number) => string;
}

/** End of a stream: complete, cut by force, or left open without further data. */
export type StreamEnd = 'end' | 'cut' | 'silence';

/**
 * Writes the events of a reply to `outgoing`. Each event is flushed before the next one is written. Resolves after the
 * last write, or when the client has disconnected.
 */
export async function writeStream(outgoing: ServerResponse, parts: StreamParts): Promise<void> {
  outgoing.flushHeaders();
  const pieces = piecesOf(parts);
  let next = pieces.next();
  while (next.done !== true) {
    if (!(await write(outgoing, next.value))) return;
    next = pieces.next();
  }
  if (next.value === 'end') outgoing.end();
  if (next.value === 'cut') outgoing.destroy();
}

/** Returns the body of a reply without a stream. With a `malformed-event` fault, the body is cut in half. */
export function wholeBody(body: WireObject, fault: Fault | undefined): string {
  const text = JSON.stringify(body);
  return fault?.kind === 'malformed-event' ? text.slice(0, text.length / 2) : text;
}

/** Resolves to false if the client has disconnected. */
function write(outgoing: ServerResponse, piece: string): Promise<boolean> {
  return new Promise((resolve) => {
    outgoing.write(piece, (error) => resolve(error === undefined || error === null));
  });
}

/**
 * Yields the pieces of a reply and returns how the stream ends. A fault takes effect after `afterEvents` events. This
 * can be after the last event.
 */
export function* piecesOf(parts: StreamParts): Generator<string, StreamEnd> {
  const after = strikesAfter(parts.fault);
  let sent = 0;
  for (const event of parts.events) {
    const end = sent === after ? yield* strike(parts, sent) : undefined;
    if (end !== undefined) return end;
    yield event;
    sent += 1;
  }
  return (sent === after ? yield* strike(parts, sent) : undefined) ?? 'end';
}

/**
 * Yields the event that the fault adds, if any. Returns how the fault ends the stream, or `undefined` if the stream
 * continues.
 */
function* strike(
  { fault, malformed, errorEvent }: StreamParts,
  sent: number,
): Generator<string, StreamEnd | undefined> {
  switch (fault?.kind) {
    case 'cut':
    case 'silence':
      return fault.kind;
    case 'error-event':
      yield errorEvent(fault, sent);
      return 'end';
    case 'malformed-event':
      yield malformed;
      return undefined;
    default:
      return undefined;
  }
}

function strikesAfter(fault: Fault | undefined): number | undefined {
  switch (fault?.kind) {
    case 'cut':
    case 'error-event':
    case 'malformed-event':
      return fault.afterEvents;
    case 'silence':
      return fault.afterEvents ?? 0;
    default:
      return undefined;
  }
}
