// Routes of a rewind: a fork from before a prompt, with the files that tools changed since then.

import { createRoute, z } from '@hono/zod-openapi';
import type { ForkPlan } from '@tidemark/agent';
import { planFork } from '@tidemark/agent';
import { TidemarkError } from '@tidemark/core';
import type { Range, SessionId } from '@tidemark/log';
import { ServerError } from '../errors.ts';
import type { ChangedFileState, RestorableChanges } from '../ports.ts';
import { turnRunning } from './given-words.ts';
import type { RoutePlace, ServerApp } from './route-parts.ts';
import { jsonAnswer, jsonBody, REFUSED, SESSION_PATH } from './route-parts.ts';
import { POSITION, SESSION_ID } from './values.ts';

/** Plan of a rewind. */
export interface RewindPlan {
  /** Session and last record that the fork keeps. */
  readonly parent: { readonly session: SessionId; readonly position: number };
  /** Records that the fork omits. */
  readonly left?: Range;
  readonly files: readonly ChangedFileState[];
  readonly calls: RestorableChanges['calls'];
}

/** Result of a rewind. */
export interface RewindReport {
  readonly session: SessionId;
  readonly parent: RewindPlan['parent'];
  readonly files: readonly RestoredFile[];
}

/** A file that a client wanted to restore. `reason` tells why it was not restored. */
export interface RestoredFile {
  readonly path: string;
  readonly restored: boolean;
  readonly reason: string;
}

const NO_CHANGES: Pick<RestorableChanges, 'files' | 'calls'> = { files: [], calls: [] };

/** Adds the routes of a rewind. */
export function addRewindRoutes(app: ServerApp, place: RoutePlace): void {
  const { log, live } = place;
  app.openapi(PLAN, async (context) => {
    const { session: id } = context.req.valid('param');
    const { beforePrompt } = context.req.valid('query');
    const plan = await planFork(log, id, { beforePrompt });
    const { files, calls } = (await changesOf(plan, place, context.req.raw.signal)) ?? NO_CHANGES;
    return context.json({ ...placeOf(plan), files, calls }, 200);
  });
  app.openapi(DIFF, async (context) => {
    const { session: id } = context.req.valid('param');
    const { beforePrompt, path } = context.req.valid('query');
    const plan = await planFork(log, id, { beforePrompt });
    const changes = await changesOf(plan, place, context.req.raw.signal);
    if (changes?.files.some((file) => file.path === path) !== true) throw noSuchFile(path);
    return context.json({ path, diff: await changes.diff(path) }, 200);
  });
  app.openapi(REWIND, async (context) => {
    const { session: id } = context.req.valid('param');
    const { beforePrompt, files = [], summarize = false } = context.req.valid('json');
    if (live.find(id)?.session.running === true) throw turnRunning(id);
    const plan = await planFork(log, id, { beforePrompt });
    // A restore that has begun is finished, even if the client is gone.
    const changes = files.length === 0 ? undefined : await changesOf(plan, place, new AbortController().signal);
    for (const path of files) requireRestorable(path, changes);
    const fork = await live.fork(id, { beforePrompt, summarize });
    const restored = changes === undefined ? [] : await restoreAll(new Set(files), changes);
    return context.json({ session: fork.session.id, parent: placeOf(plan).parent, files: restored }, 201);
  });
}

function placeOf({ parent: { session, position }, left }: ForkPlan): Omit<RewindPlan, 'files' | 'calls'> {
  return { parent: { session, position }, ...(left !== undefined && { left }) };
}

async function changesOf(
  plan: ForkPlan,
  { restorer }: RoutePlace,
  signal: AbortSignal,
): Promise<RestorableChanges | undefined> {
  return plan.left === undefined ? undefined : restorer?.(plan, signal);
}

/** Checks all files before the fork is created, so a wrong path changes nothing. */
function requireRestorable(path: string, changes: RestorableChanges | undefined): void {
  const found = changes?.files.find((file) => file.path === path);
  if (found === undefined) throw noSuchFile(path);
  if (found.state !== 'restorable')
    throw new ServerError(
      'server/not-restorable',
      `${path} cannot be restored: ${found.reason}`,
      'send the request without this file; nothing was changed',
    );
}

function noSuchFile(path: string): ServerError {
  return new ServerError(
    'server/no-such-file',
    `${path} is not a file that tools changed since then`,
    'read the plan of the rewind: its field `files` lists the paths',
  );
}

async function restoreAll(paths: ReadonlySet<string>, changes: RestorableChanges): Promise<readonly RestoredFile[]> {
  const restored: RestoredFile[] = [];
  for (const path of paths) {
    try {
      await changes.restore(path);
      restored.push({ path, restored: true, reason: '' });
    } catch (error) {
      if (!(error instanceof TidemarkError)) throw error;
      restored.push({ path, restored: false, reason: error.message });
    }
  }
  return restored;
}

const PATH = z.string().min(1).max(4_096);
const PROMPT_NUMBER = z.int().describe('Number of the prompt. -1 is the last prompt.');
const PROMPT_IN_QUERY = z.coerce.number().int().describe('Number of the prompt. -1 is the last prompt.');

const PARENT = z.object({ session: SESSION_ID, position: z.number() });

const CHANGED_FILE: z.ZodType<ChangedFileState> = z
  .object({
    path: z.string(),
    state: z.enum(['restorable', 'changed', 'not-kept', 'refused']),
    reason: z.string().describe('Reason if the file cannot be restored.'),
    deletes: z.boolean().describe('True if restoring deletes the file, because a tool created it.'),
  })
  .meta({ id: 'ChangedFile' });

const REWIND_PLAN: z.ZodType<RewindPlan> = z
  .object({
    parent: PARENT,
    left: z.object({ from: POSITION, to: POSITION }).exactOptional(),
    files: z.array(CHANGED_FILE),
    calls: z
      .array(z.object({ session: SESSION_ID, tool: z.string(), title: z.string() }))
      .describe('Calls that may have changed more files, which cannot be restored.'),
  })
  .meta({ id: 'RewindPlan' });

const RESTORED: z.ZodType<RewindReport> = z
  .object({
    session: SESSION_ID.describe('The fork.'),
    parent: PARENT,
    files: z.array(z.object({ path: z.string(), restored: z.boolean(), reason: z.string() })),
  })
  .meta({ id: 'Rewound' });

const PLAN = createRoute({
  method: 'get',
  path: '/sessions/{session}/rewind',
  operationId: 'planRewind',
  summary: 'Plan a rewind: the records that it omits, and the files that it can restore',
  request: { params: SESSION_PATH, query: z.object({ beforePrompt: PROMPT_IN_QUERY }) },
  responses: { 200: jsonAnswer(REWIND_PLAN, 'The plan. Nothing was changed.'), default: REFUSED },
});

const DIFF = createRoute({
  method: 'get',
  path: '/sessions/{session}/rewind/diff',
  operationId: 'diffRewind',
  summary: 'Show the difference that restoring one file would make',
  request: { params: SESSION_PATH, query: z.object({ beforePrompt: PROMPT_IN_QUERY, path: PATH }) },
  responses: {
    200: jsonAnswer(z.object({ path: z.string(), diff: z.string() }), 'The difference as a unified diff.'),
    default: REFUSED,
  },
});

const REWIND = createRoute({
  method: 'post',
  path: '/sessions/{session}/rewind',
  operationId: 'rewindSession',
  summary: 'Fork a session from before a prompt, and restore files',
  description:
    'Restores only the named files, and never over a change that something else made since. This session does not change.',
  request: {
    params: SESSION_PATH,
    ...jsonBody(
      z
        .strictObject({
          beforePrompt: PROMPT_NUMBER,
          files: z.array(PATH).max(10_000).exactOptional().describe('Paths of the plan to restore. Default: none.'),
          summarize: z.boolean().exactOptional(),
        })
        .meta({ id: 'Rewind' }),
    ),
  },
  responses: { 201: jsonAnswer(RESTORED, 'The fork, and each file with its result.'), default: REFUSED },
});
