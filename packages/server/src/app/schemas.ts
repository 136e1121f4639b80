// Schemas of requests and answers. The OpenAPI document and the typed client are made from them.

import { z } from '@hono/zod-openapi';
import type { Mode, Question, SessionMessage } from '@tidemark/agent';
import type { Granted, Position, Recorded, SessionId, StartedBy } from '@tidemark/log';
import type { LiveState, PassingEvent } from '../live/frames.ts';
import type { QuestionEvent, WaitingQuestion } from '../live/questions.ts';
import type { QueuedPrompt } from '../live/session-memory.ts';
import type { ChosenModel, NewSession } from '../ports.ts';
import type { SessionEntry, SessionDetails } from '../view/session-view.ts';
import type { FailureBody } from './failure.ts';
import { CALL_ID, CHAIN, MONEY, POSITION, SESSION_ID, TIMESTAMP } from './values.ts';

/** Longest text of a message, in characters. The server also limits each body. */
const LONGEST_TEXT = 2_000_000;

/** Content of a message: its text, its images and its attachments. */
export interface GivenMessage {
  readonly text: string;
  /** Images as base64. */
  readonly images?: readonly { readonly data: string }[];
  readonly attachments?: readonly { readonly name: string; readonly text: string }[];
}

/** A prompt of a client. */
export interface GivenPrompt extends GivenMessage {
  readonly skills?: readonly string[];
  readonly expected?: number;
}

/** A prompt for the time after the running turn. */
export interface GivenDraft extends GivenMessage {
  readonly skills?: readonly string[];
}

/** A prompt that waits for the end of the running turn. */
export interface WaitingPrompt {
  readonly session: SessionId;
  readonly draft: QueuedPrompt;
}

/** Prompt whose call is forecast, with another model or effort. */
export interface GivenForecast extends GivenMessage, Partial<ChosenModel> {
  readonly effort?: string;
}

/** A recorded prompt. */
export interface AcceptedPrompt {
  readonly session: SessionId;
  readonly position: Position;
}

/** Answer of a client to a question. */
export type GivenAnswer =
  | { readonly decision: 'denied'; readonly reason?: string }
  | { readonly decision: 'allowed'; readonly always?: Granted; readonly keep?: 'session' | 'project' }
  | { readonly decision: 'always' };

export const FAILURE: z.ZodType<FailureBody> = z
  .object({
    ok: z.literal(false),
    error: z.object({
      code: z.string().describe('Stable code, such as `log/missing`.'),
      message: z.string(),
      next: z.string().describe('Next step of the client. Empty if the message contains it.'),
    }),
  })
  .meta({ id: 'Failure' });

export const MODE: z.ZodType<Mode> = z.enum(['read-only', 'ask', 'accept-edits', 'auto']).meta({ id: 'Mode' });

const STARTED_BY: z.ZodType<StartedBy> = z.object({
  session: SESSION_ID,
  call: CALL_ID,
  depth: z.number(),
  agent: z.string().exactOptional(),
  model: z.string().exactOptional(),
});

const SUMMARY = {
  session: SESSION_ID,
  root: SESSION_ID,
  parent: z.object({ session: SESSION_ID, position: POSITION, chain: CHAIN }).exactOptional(),
  startedBy: STARTED_BY.exactOptional(),
  workspace: z.string().describe('Absolute path of the folder of the session.'),
  title: z.string().exactOptional(),
  createdAt: TIMESTAMP,
  changedAt: TIMESTAMP.exactOptional(),
  bytes: z.number().exactOptional(),
  open: z.boolean().describe('True if this server has the session open.'),
  running: z.boolean().describe('True if this server runs a turn of the session.'),
};

export const ENTRY: z.ZodType<SessionEntry> = z
  .object({ ...SUMMARY, questions: z.number().describe('Number of questions that wait for an answer.') })
  .meta({ id: 'SessionEntry' });

const TEXT_SCHEMA = { type: 'string' as const };

const QUESTION: z.ZodType<Question> = z.custom<Question>().meta({
  id: 'Question',
  type: 'object',
  description: 'A question of the runtime. `preview` contains all that a call would do.',
  required: ['about', 'title', 'rule'],
  properties: {
    about: { type: 'string', enum: ['call', 'definition', 'rewrite'] },
    title: { type: 'string', description: 'One line that describes the effect.' },
    rule: TEXT_SCHEMA,
    tool: TEXT_SCHEMA,
    effect: TEXT_SCHEMA,
    always: { type: 'string', description: 'What the answer `always` would allow.' },
    preview: {
      type: 'object',
      required: ['kind', 'text'],
      properties: {
        kind: { type: 'string', enum: ['diff', 'command', 'arguments'] },
        text: TEXT_SCHEMA,
        unseen: TEXT_SCHEMA,
      },
    },
  },
});

const WAITING: z.ZodType<WaitingQuestion> = z
  .object({ id: z.string(), question: QUESTION })
  .meta({ id: 'WaitingQuestion' });

const QUESTION_EVENT: z.ZodType<QuestionEvent> = z
  .union([
    z.object({ type: z.literal('question.asked'), waiting: WAITING }),
    z.object({ type: z.literal('question.closed'), id: z.string(), answered: z.boolean() }),
  ])
  .meta({ id: 'QuestionEvent' });

const PASSING_EVENT: z.ZodType<PassingEvent> = z.custom<PassingEvent>().meta({
  id: 'PassingEvent',
  type: 'object',
  description:
    'An event that is not stored, such as `text.delta`, or a `QuestionEvent`. A reader that misses it loses no stored data. Later versions add types.',
  required: ['type'],
  properties: { type: TEXT_SCHEMA },
  additionalProperties: true,
});

const DRAFT: z.ZodType<QueuedPrompt> = z.object({ id: z.string(), text: z.string() }).meta({ id: 'QueuedPrompt' });

const MEMORY_FIELDS = {
  drafts: z.array(DRAFT).exactOptional().describe('Prompts that wait for the end of the turn.'),
  failure: z
    .object({ code: z.string(), message: z.string(), next: z.string() })
    .exactOptional()
    .describe('Error that ended the last turn, if the log has no end of the turn.'),
};

const LIVE_STATE: z.ZodType<LiveState> = z
  .object({
    length: z.number().describe('Number of records that the reader has.'),
    open: z.boolean().describe('True if this server has the session open.'),
    text: z.string().describe('Text of the answer that is arriving.'),
    reasoning: z.string(),
    outputs: z
      .array(z.object({ call: z.string(), text: z.string() }))
      .describe('End of the output of each running call.'),
    questions: z.array(WAITING),
    ...MEMORY_FIELDS,
  })
  .meta({ id: 'LiveState' });

/** Data of the server-sent events that no route returns as JSON. They are components of the OpenAPI document. */
export const EVENT_DATA: readonly z.ZodType[] = [QUESTION_EVENT, PASSING_EVENT, LIVE_STATE];

export const SESSION: z.ZodType<SessionDetails> = z
  .object({
    ...SUMMARY,
    length: z.number().describe('Number of records. Pass it as `from` to get later events.'),
    provider: z.string().exactOptional(),
    model: z.string().exactOptional(),
    mode: MODE.exactOptional(),
    agent: z.string().exactOptional().describe('Own agent of the session.'),
    turn: z
      .object({
        id: z.string().exactOptional(),
        open: z.boolean().describe('True if the log has no end of the turn: it runs, or it was cut off.'),
        outcome: z.enum(['completed', 'interrupted', 'limited', 'failed']).exactOptional(),
      })
      .exactOptional(),
    elsewhere: z
      .boolean()
      .describe('True if another process, or the session that started this one as its subagent, has it open.'),
    resumable: z.boolean().describe('True if `resume` can continue the last turn here.'),
    cost: MONEY.describe('Known cost in US dollars. For a fork, with the records that it begins with.'),
    questions: z.array(WAITING),
    ...MEMORY_FIELDS,
  })
  .meta({ id: 'Session' });

export const RECORD: z.ZodType<Recorded> = z.custom<Recorded>().meta({
  id: 'LogRecord',
  type: 'object',
  required: ['v', 'position', 'fence', 'chain', 'kind', 'at', 'data'],
  properties: {
    v: { type: 'integer' },
    position: { type: 'integer' },
    fence: { type: 'integer' },
    chain: TEXT_SCHEMA,
    kind: { type: 'string', description: 'Kind of the event, such as `prompt.given`. Later versions add kinds.' },
    at: { type: 'string', format: 'date-time' },
    turn: TEXT_SCHEMA,
    data: { type: 'object', description: 'Payload of the kind.', additionalProperties: true },
  },
});

export const MESSAGE_OF_SESSION: z.ZodType<SessionMessage> = z.custom<SessionMessage>().meta({
  id: 'SessionMessage',
  type: 'object',
  required: ['role', 'text', 'position', 'at', 'parts'],
  properties: {
    role: { type: 'string', enum: ['user', 'assistant'] },
    text: { type: 'string', description: 'Text of the message, without other parts.' },
    parts: { type: 'array', items: { type: 'object', additionalProperties: true } },
    omitted: { type: 'array', items: TEXT_SCHEMA, description: 'Kinds of the parts that `text` leaves out.' },
    interrupted: { type: 'boolean' },
    truncated: { type: 'boolean' },
    position: { type: 'integer' },
    at: { type: 'string', format: 'date-time' },
  },
});

export const NEW_SESSION: z.ZodType<NewSession> = z
  .strictObject({
    folder: z.string().min(1).exactOptional().describe('Absolute path of a folder that the server serves.'),
    title: z.string().min(1).max(200).exactOptional(),
    model: z.string().min(1).exactOptional(),
    effort: z.string().min(1).exactOptional(),
    mode: MODE.exactOptional(),
    agent: z.string().min(1).exactOptional(),
  })
  .meta({ id: 'NewSession' });

const MESSAGE_FIELDS = {
  text: z.string().max(LONGEST_TEXT),
  images: z
    .array(z.strictObject({ data: z.base64().describe('Bytes of a PNG, JPEG, WebP or GIF.') }))
    .max(20)
    .exactOptional(),
  attachments: z
    .array(z.strictObject({ name: z.string().min(1).max(200), text: z.string().max(LONGEST_TEXT) }))
    .max(20)
    .exactOptional(),
};

export const MESSAGE: z.ZodType<GivenMessage> = z.strictObject(MESSAGE_FIELDS).meta({ id: 'Message' });

export const PROMPT: z.ZodType<GivenPrompt> = z
  .strictObject({
    ...MESSAGE_FIELDS,
    skills: z.array(z.string().min(1)).max(20).exactOptional(),
    expected: z
      .int()
      .nonnegative()
      .exactOptional()
      .describe(
        'Number of records that the client knows. If the session has more, the prompt is refused with 409, so a request that is repeated after a lost answer never sends a prompt twice.',
      ),
  })
  .meta({ id: 'Prompt' });

export const GIVEN_FORECAST: z.ZodType<GivenForecast> = z
  .strictObject({
    ...MESSAGE_FIELDS,
    model: z.string().min(1).max(200).exactOptional(),
    provider: z.string().min(1).max(200).exactOptional(),
    effort: z.string().min(1).max(200).exactOptional(),
  })
  .refine(({ model, provider }) => provider === undefined || model !== undefined, {
    message: '`provider` needs `model`',
  })
  .meta({ id: 'GivenForecast' });

export const GIVEN_DRAFT: z.ZodType<GivenDraft> = z
  .strictObject({ ...MESSAGE_FIELDS, skills: z.array(z.string().min(1)).max(20).exactOptional() })
  .meta({ id: 'GivenDraft' });

export const WAITING_PROMPT: z.ZodType<WaitingPrompt> = z
  .object({ session: SESSION_ID, draft: DRAFT })
  .meta({ id: 'WaitingPrompt' });

export const ACCEPTED: z.ZodType<AcceptedPrompt> = z
  .object({ session: SESSION_ID, position: POSITION.describe('Position of the record with which the turn began.') })
  .meta({ id: 'Accepted' });

export const DONE: z.ZodType<{ readonly session: SessionId }> = z.object({ session: SESSION_ID }).meta({ id: 'Done' });

const TEXTS = z.array(z.string().min(1)).max(100);

const GRANT: z.ZodType<Granted> = z
  .strictObject({
    tool: z.string().min(1),
    commands: z.array(TEXTS).max(100).exactOptional(),
    patterns: TEXTS.exactOptional(),
    paths: TEXTS.exactOptional(),
    folders: TEXTS.exactOptional(),
    hosts: TEXTS.exactOptional(),
  })
  .meta({ id: 'Grant' });

export const ANSWER: z.ZodType<GivenAnswer> = z
  .union([
    z.strictObject({ decision: z.literal('denied'), reason: z.string().max(2_000).exactOptional() }),
    z.strictObject({
      decision: z.literal('allowed'),
      always: GRANT.exactOptional(),
      keep: z.enum(['session', 'project']).exactOptional(),
    }),
    z.strictObject({ decision: z.literal('always') }),
  ])
  .meta({ id: 'QuestionAnswer' });
