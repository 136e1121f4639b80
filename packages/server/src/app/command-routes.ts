// Routes of the commands of a session: prompt, steer, interrupt, resume, answers to questions.

import { createRoute, z } from '@hono/zod-openapi';
import type { AgentSession, PermissionAnswer, Words } from '@tidemark/agent';
import { readFold } from '@tidemark/agent';
import type { Log, SessionId } from '@tidemark/log';
import { ServerError } from '../errors.ts';
import { requireHere, requireIdle, wordsOf } from './given-words.ts';
import type { RoutePlace, ServerApp } from './route-parts.ts';
import { jsonAnswer, jsonBody, REFUSED, requireSession, SESSION_PATH } from './route-parts.ts';
import type { GivenAnswer, GivenMessage } from './schemas.ts';
import { ACCEPTED, ANSWER, DONE, GIVEN_DRAFT, MESSAGE, PROMPT, WAITING_PROMPT } from './schemas.ts';

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
      const position = await live.turns.start(id, session.prompt(wordsOf(prompt), { skills }));
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
    await requireSession(log, id);
    await requireHere(live, id);
    await live.find(id)?.session.interrupt();
    return context.json({ session: id }, 200);
  });
  app.openapi(RESUME, async (context) => {
    const { session: id } = context.req.valid('param');
    return live.use(id, async ({ session }) => {
      requireIdle(session);
      const position = await live.turns.start(id, session.resume());
      return context.json({ session: id, position }, 202);
    });
  });
  app.openapi(QUEUE_DRAFT, async (context) => {
    const { session: id } = context.req.valid('param');
    const given = context.req.valid('json');
    const { text, skills = [] } = given;
    const draft = live.turns.queue(id, requireContent(given), { text, skills });
    if (draft !== undefined) return context.json({ session: id, draft }, 202);
    await requireHere(live, id);
    throw new ServerError('server/not-running', `no turn of session ${id} runs on this server`, 'send a prompt');
  });
  app.openapi(REMOVE_DRAFT, (context) => {
    const { session: id, draft } = context.req.valid('param');
    live.turns.remove(id, draft);
    return context.json({ session: id }, 200);
  });
  app.openapi(ANSWER_QUESTION, async (context) => {
    const { session: id, question } = context.req.valid('param');
    await requireHere(live, id);
    const held = live.find(id);
    if (held === undefined) throw noQuestion(id);
    held.questions.answer(question, answerOf(context.req.valid('json')));
    return context.json({ session: id }, 200);
  });
}

/** A prompt that waits is checked at once, because its client does not see the later error. */
function requireContent(prompt: GivenMessage): Words {
  const words = wordsOf(prompt);
  if (typeof words !== 'string' || words.trim() !== '') return words;
  throw new ServerError('server/bad-request', 'the prompt is blank', 'send some text');
}

function noQuestion(id: SessionId): ServerError {
  return new ServerError(
    'server/no-such-question',
    `this server does not have session ${id} open, so no question of it waits here`,
    'read the session',
  );
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

const QUESTION_PATH = SESSION_PATH.extend({ question: z.string().min(1).max(100) });

const SEND_PROMPT = createRoute({
  method: 'post',
  path: '/sessions/{session}/prompt',
  operationId: 'sendPrompt',
  summary: 'Start a turn with a prompt',
  request: { params: SESSION_PATH, ...jsonBody(PROMPT) },
  responses: { 202: jsonAnswer(ACCEPTED, 'The prompt is recorded, and the turn runs.'), default: REFUSED },
});

const QUEUE_DRAFT = createRoute({
  method: 'post',
  path: '/sessions/{session}/drafts',
  operationId: 'queueDraft',
  summary: 'Send a prompt when the running turn has completed',
  description:
    'The prompt waits in the memory of the server, and is lost when the server ends. After a turn that was interrupted or failed, it waits for the end of the next complete turn.',
  request: { params: SESSION_PATH, ...jsonBody(GIVEN_DRAFT) },
  responses: { 202: jsonAnswer(WAITING_PROMPT, 'The prompt waits.'), default: REFUSED },
});

const REMOVE_DRAFT = createRoute({
  method: 'delete',
  path: '/sessions/{session}/drafts/{draft}',
  operationId: 'removeDraft',
  summary: 'Remove a prompt that waits for the end of the turn',
  request: { params: SESSION_PATH.extend({ draft: z.string().min(1).max(100) }) },
  responses: { 200: jsonAnswer(DONE, 'The prompt is not sent.'), default: REFUSED },
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
