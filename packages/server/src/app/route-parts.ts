// Parts that all routes share: the app with its place, the description of bodies and answers, and checked ids.

import { z } from '@hono/zod-openapi';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Encoders, Secrets } from '@tidemark/agent';
import type { Log, SessionId } from '@tidemark/log';
import type { LiveSessions } from '../live/live-sessions.ts';
import type { FileRestorer, ModelNames } from '../ports.ts';
import type { Authentication } from './authenticate.ts';
import { FAILURE } from './schemas.ts';
import { SESSION_ID } from './values.ts';

/** Parts of the server that the routes use. */
export interface RoutePlace {
  readonly log: Log;
  readonly live: LiveSessions;
  /** Names of models. Absent if the server knows none. */
  readonly models?: ModelNames | undefined;
  /** Restores files. Absent if the sessions have no files. */
  readonly restorer?: FileRestorer | undefined;
  /** Encoders of the requests that this version can rebuild. */
  readonly encoders: Encoders;
  /** Masks the secrets in texts of many sessions. */
  readonly mask: Secrets['mask'];
  readonly authentication: Authentication;
  readonly version: string;
}

/** The app to which a function adds its routes. */
export type ServerApp = OpenAPIHono;

/** Path parameters of a route of one session. */
export const SESSION_PATH: z.ZodObject<{ session: typeof SESSION_ID }> = z.object({ session: SESSION_ID });

/** Description of a body in JSON. */
export interface JsonContent<Schema extends z.ZodType> {
  readonly content: { readonly 'application/json': { readonly schema: Schema } };
}

/** Description of an answer in JSON. */
export interface JsonAnswer<Schema extends z.ZodType> extends JsonContent<Schema> {
  readonly description: string;
}

/** Returns the description of a body in JSON, which a request must have. */
export function jsonBody<Schema extends z.ZodType>(
  schema: Schema,
): { readonly body: JsonContent<Schema> & { readonly required: true } } {
  return { body: { required: true, content: { 'application/json': { schema } } } };
}

/** Returns the description of an answer in JSON. */
export function jsonAnswer<Schema extends z.ZodType>(schema: Schema, description: string): JsonAnswer<Schema> {
  return { description, content: { 'application/json': { schema } } };
}

/** Description of every answer that refuses a request. */
export const REFUSED: JsonAnswer<typeof FAILURE> = jsonAnswer(
  FAILURE,
  'The request was refused. `error.next` is the next step.',
);

/** @throws LogError `log/missing` if the session does not exist. */
export async function requireSession(log: Log, id: SessionId): Promise<void> {
  for await (const _first of log.read(id, 0, 1)) break;
}
