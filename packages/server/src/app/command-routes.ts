// Routes of the commands of a session: prompt, steer, interrupt, resume, answers to questions.

import { createRoute, z } from '@hono/zod-openapi';
import type { AgentSession, PermissionAnswer, Turn } from '@tidemark/agent';
import { readFold } from '@tidemark/agent';
import type { Log, Position, SessionId } from '@tidemark/log';
import { ServerError } from '../errors.ts';
import type { LiveSessions } from '../live/live-sessions.ts';
import { requireIdle, wordsOf } from './given-words.ts';
import type { RoutePlace, ServerApp } from './route-parts.ts';
import { jsonAnswer, jsonBody, REFUSED, SESSION_PATH } from './route-parts.ts';
import type { GivenAnswer } from './schemas.ts';
import { ACCEPTED, ANSWER, DONE, MESSAGE, PROMPT } from './schemas.ts';

/** Adds the routes of the commands. */
export function addCommandRoutes(app: ServerApp, { log, live }: RoutePlace): void {
  app.openapi(SEND_PROMPT, async (context) => {
    const { session: id } = context.req.valid('param');
    const prompt = context.req.valid('json');
    const { skills = [], expected } = prompt;
    return live.use(id, async ({ session }) => {
      requireIdle(session);
      if (expected !== undefined) await requireLength(log, session, expected);
      requireIdle(session);
      const position = await begun(live, id, session.prompt(wordsOf(prompt), { skills }));
      return context.json({ session: id, position }, 202);
    });
  });
  app.openapi(STEER, async (context) => {
    const { session: id } = context.req.valid('param');
    const words = wordsOf(context.req.valid('json'));
    await live.use(id, ({ session }) => session.steer(words));
    return context.json({ session: id }, 200);
  });
  app.openapi(INTERRUPT, async (context) => {
    const { session: id } = context.req.valid('param');
    await live.find(id)?.session.interrupt();
    return context.json({ session: id }, 200);
  });
  app.openapi(RESUME, async (context) => {
    const { session: id } = context.req.valid('param');
    return live.use(id, async ({ session }) => {
      requireIdle(session);
      const position = await begun(live, id, session.resume());
      return context.json({ session: id, position }, 202);
    });
  });
  app.openapi(ANSWER_QUESTION, (context) => {
    const { session, question } = context.req.valid('param');
    const id = session;
    const held = live.find(id);
    if (held === undefined)
      throw new ServerError(
        'server/no-such-question',
        `this server does not have session ${session} open, so no question of it waits here`,
        'answer in the process that runs the session',
      );
    held.questions.answer(question, answerOf(context.req.valid('json')));
    return context.json({ session: id }, 200);
  });
}

/** The runtime checks a grant against the call, and refuses one that does not cover it. */
function answerOf(given: GivenAnswer): PermissionAnswer {
  return given.decision === 'always' ? 'always' : given;
}

async function requireLength(log: Log, { id }: AgentSession, expected: number): Promise<void> {
  const { fold } = await readFold(log, id);
  const { length } = fold.state;
  if (length === expected) return;
  throw new ServerError(
    'server/grown',
    `session ${id} has ${length} records, and the client expected ${expected}`,
    'read the new records, then decide again',
  );
}

/**
 * Waits until the log has the beginning of a turn, and returns the position. The turn then runs on.
 *
 * @throws the error of a prompt that cannot be sent.
 */
async function begun(live: LiveSessions, id: SessionId, turn: Turn): Promise<Position> {
  live.watch(id, turn);
  for await (const event of turn) {
    if (event.type !== 'recorded') continue;
    const { kind, position } = event.record;
    if (kind === 'prompt.given' || kind === 'turn.resumed') return position;
  }
  return (await turn).position;
}

const QUESTION_PATH = SESSION_PATH.extend({ question: z.string().min(1).max(100) });

const SEND_PROMPT = createRoute({
  method: 'post',
  path: '/sessions/{session}/prompt',
  operationId: 'sendPrompt',
  summary: 'Start a turn with a prompt',
  request: { params: SESSION_PATH, ...jsonBody(PROMPT) },
  responses: { 202: jsonAnswer(ACCEPTED, 'The prompt is recorded, and the turn runs.'), default: REFUSED },
});

const STEER = createRoute({
  method: 'post',
  path: '/sessions/{session}/steer',
  operationId: 'steerTurn',
  summary: 'Add a message to the running turn',
  request: { params: SESSION_PATH, ...jsonBody(MESSAGE) },
  responses: { 200: jsonAnswer(DONE, 'The message is recorded.'), default: REFUSED },
});

const INTERRUPT = createRoute({
  method: 'post',
  path: '/sessions/{session}/interrupt',
  operationId: 'interruptTurn',
  summary: 'Interrupt the running turn',
  request: { params: SESSION_PATH },
  responses: { 200: jsonAnswer(DONE, 'No turn of this server runs in the session.'), default: REFUSED },
});

const RESUME = createRoute({
  method: 'post',
  path: '/sessions/{session}/resume',
  operationId: 'resumeTurn',
  summary: 'Continue the turn that was cut off, interrupted, limited or failed',
  request: { params: SESSION_PATH },
  responses: { 202: jsonAnswer(ACCEPTED, 'The turn runs.'), default: REFUSED },
});

const ANSWER_QUESTION = createRoute({
  method: 'post',
  path: '/sessions/{session}/questions/{question}',
  operationId: 'answerQuestion',
  summary: 'Answer a question of the runtime',
  request: { params: QUESTION_PATH, ...jsonBody(ANSWER) },
  responses: { 200: jsonAnswer(DONE, 'The answer counts.'), default: REFUSED },
});
