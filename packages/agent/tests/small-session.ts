// Test helper: a session with a memory store, a scripted encoder, a catalog row and a fixed clock.

import type { RequestSpec, ToolSpec } from '@tidemark/context';
import { composeFront } from '@tidemark/context';
import type { Event, Log, Timestamp } from '@tidemark/log';
import { sessionId, timestamp } from '@tidemark/log';
import type { Answer, Capabilities, Usage } from '@tidemark/model';
import { defaultCatalog, findModel } from '@tidemark/model';
import { scriptedEncoder } from '@tidemark/provider-scripted';
import { createMemoryStore } from '@tidemark/store-memory';
import { recordAnswer } from '../src/request/answer.ts';
import type { CallOptions } from '../src/request/draft-call.ts';
import type { PromptStreams, Prepared } from '../src/request/prepare.ts';
import { prepareRequest } from '../src/request/prepare.ts';
import { keepCapabilities, newHash } from '../src/session/materials.ts';
import type { Session } from '../src/session/session.ts';
import { commit, createSession } from '../src/session/session.ts';

export const ID = sessionId('s1');

/** Returns the time `count` seconds after `2026-11-20T12:00:00.000Z`. */
export function second(count: number): Timestamp {
  return timestamp(new Date(Date.UTC(2026, 10, 20, 12) + count * 1000).toISOString());
}

/** Returns the catalog row of an Anthropic model. Throws if the catalog has no row for it. */
export function row(model: string): Capabilities {
  const found = findModel(defaultCatalog(), model, 'anthropic');
  if (found === undefined) throw new Error(`the catalog has no ${model}`);
  return found;
}

export const READ: ToolSpec = { name: 'read', description: 'Reads a file.', schema: { type: 'object' } };

export function prompt(text: string, at = 0): Event {
  return { kind: 'prompt.given', at: second(at), data: { parts: [{ type: 'text', text }], presenter: 'test' } };
}

/** Changes of the front that a test can choose. */
export interface Change {
  readonly model?: string;
  readonly tools?: readonly ToolSpec[];
  readonly parameters?: RequestSpec['parameters'];
  readonly provider?: string;
  /** The agent's own system text. */
  readonly role?: string;
  /** Fields that replace fields of the catalog row. */
  readonly row?: Partial<Capabilities>;
}

export interface Small {
  readonly log: Log;
  readonly session: Session;
  readonly promptStreams: PromptStreams;
}

/** Creates a session with its first record, `session.created`. */
export async function begin(log: Log = createMemoryStore()): Promise<Small> {
  const session = await createSession(log, ID);
  await commit(session, [{ kind: 'session.created', at: second(0), data: { id: ID, root: ID, workspace: '/w' } }]);
  return { log, session, promptStreams: { main: undefined } };
}

/**
 * Prepares the next request of the main stream, or a side call with `more.beside`. `at` is the time of the request in
 * seconds.
 */
export async function prepare(
  { log, session, promptStreams }: Small,
  at = 0,
  change: Change = {},
  more: Pick<CallOptions, 'account' | 'beside' | 'purpose' | 'admit' | 'ttl' | 'pruning'> &
    Partial<Pick<CallOptions, 'encoder'>> = {},
): Promise<Prepared> {
  const { model = 'claude-sonnet-4-5', tools = [READ], parameters = {}, provider = 'scripted', role } = change;
  const capabilities = { ...row(model), ...change.row };
  const wanted: RequestSpec = {
    provider,
    model,
    parameters,
    capabilities: await keepCapabilities(log.artifacts, capabilities),
    texts: composeFront({ tools, ...(role !== undefined && { role }) }, newHash),
  };
  return prepareRequest(session, promptStreams, {
    at: second(at),
    wanted,
    capabilities,
    encoder: scriptedEncoder,
    outputLimit: 1000,
    ...more,
  });
}

/** Records a text answer to a request. The default of `usage` is the usage that was forecast. */
export async function answer({ session }: Small, prepared: Prepared, usage?: Usage, at = 0): Promise<void> {
  const { read, write, fresh } = prepared.outlook.forecast;
  const said: Answer = {
    parts: [{ type: 'text', text: 'done' }],
    stop: 'end',
    truncated: 'no',
    usage: usage ?? { read, fresh, writes: [{ ttl: '5m', tokens: write }], answer: 5 },
  };
  await recordAnswer(session, prepared, said, second(at));
}
