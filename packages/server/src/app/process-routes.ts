// Routes of the background processes of a session.

import { createRoute, z } from '@hono/zod-openapi';
import type { BackgroundProcess, ProcessOutput } from '@tidemark/agent';
import type { SessionId } from '@tidemark/log';
import { ServerError } from '../errors.ts';
import type { LiveSession, LiveSessions } from '../live/live-sessions.ts';
import { requireHere } from './given-words.ts';
import type { RoutePlace, ServerApp } from './route-parts.ts';
import { jsonAnswer, REFUSED, requireSession, SESSION_PATH } from './route-parts.ts';
import { COUNT, TIMESTAMP } from './values.ts';

/** Adds the routes of the background processes. They end with the session, so only an open session has some. */
export function addProcessRoutes(app: ServerApp, { log, live }: RoutePlace): void {
  app.openapi(LIST, async (context) => {
    const { session: id } = context.req.valid('param');
    await requireSession(log, id);
    return context.json({ processes: [...(live.find(id)?.session.processes.list() ?? [])] }, 200);
  });
  app.openapi(OUTPUT, async (context) => {
    const { session: id, process } = context.req.valid('param');
    const { from } = context.req.valid('query');
    const output = await openSession(live, id, process).session.processes.read(process, from);
    if (output === undefined) throw noSuchProcess(id, process);
    return context.json(output, 200);
  });
  app.openapi(STOP, async (context) => {
    const { session: id, process } = context.req.valid('param');
    await requireHere(live, id);
    const stopped = await openSession(live, id, process).session.processes.stop(process);
    if (stopped === undefined) throw noSuchProcess(id, process);
    return context.json(stopped, 200);
  });
}

function openSession(live: LiveSessions, id: SessionId, process: string): LiveSession {
  const held = live.find(id);
  if (held === undefined) throw noSuchProcess(id, process);
  return held;
}

function noSuchProcess(id: SessionId, process: string): ServerError {
  return new ServerError(
    'server/no-such-process',
    `this server has no background process ${process} of session ${id}`,
    'list the processes of the session; they end when the session is closed',
  );
}

const PROCESS_FIELDS = {
  id: z.string(),
  command: z.string(),
  startedAt: TIMESTAMP,
  bytes: z.number().describe('Bytes that the process has written so far.'),
  running: z.boolean(),
  endedAt: TIMESTAMP.exactOptional(),
  exit: z.number().exactOptional(),
  signal: z.string().exactOptional(),
};

const PROCESS: z.ZodType<BackgroundProcess> = z.object(PROCESS_FIELDS).meta({ id: 'BackgroundProcess' });

const PROCESS_OUTPUT: z.ZodType<ProcessOutput> = z
  .object({
    text: z.string().describe('Output with masked secrets.'),
    next: z.number().describe('Offset for the next request, in bytes.'),
    dropped: z.number().describe('Bytes that were not kept.'),
    process: PROCESS,
  })
  .meta({ id: 'ProcessOutput' });

const PROCESS_PATH = SESSION_PATH.extend({ process: z.string().min(1).max(100) });

const LIST = createRoute({
  method: 'get',
  path: '/sessions/{session}/processes',
  operationId: 'listProcesses',
  summary: 'List the background processes of a session that this server has open',
  request: { params: SESSION_PATH },
  responses: { 200: jsonAnswer(z.object({ processes: z.array(PROCESS) }), 'The processes.'), default: REFUSED },
});

const OUTPUT = createRoute({
  method: 'get',
  path: '/sessions/{session}/processes/{process}/output',
  operationId: 'readProcessOutput',
  summary: 'Read the output of a background process from an offset',
  request: { params: PROCESS_PATH, query: z.object({ from: COUNT.default(0) }) },
  responses: { 200: jsonAnswer(PROCESS_OUTPUT, 'A part of the output.'), default: REFUSED },
});

const STOP = createRoute({
  method: 'post',
  path: '/sessions/{session}/processes/{process}/stop',
  operationId: 'stopProcess',
  summary: 'End a background process and everything that it started',
  request: { params: PROCESS_PATH },
  responses: { 200: jsonAnswer(PROCESS, 'The process, which has ended.'), default: REFUSED },
});
