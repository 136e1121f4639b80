// Schemas of the data that the inspector shows: the timeline of a session, and the list of sessions with their figures.

import { z } from '@hono/zod-openapi';
import type { ListedSession, Timeline, TimelineColumns } from '@tidemark/inspector';
import type { Fresh } from './analytics-schemas.ts';
import { KNOWN_MONEY, RATE, FRESHNESS } from './analytics-schemas.ts';

const NUMBER = z.number();
const NAME = z.string().nullable();

const LISTED: z.ZodType<ListedSession> = z
  .object({
    session: z.string(),
    root: z.string(),
    parent: NAME.describe('Session that this one was forked from.'),
    startedBy: NAME.describe('Session that started this one as its subagent.'),
    workspace: z.string(),
    title: NAME,
    createdAt: z.string(),
    changedAt: z.string(),
    records: NUMBER.describe('Number of records, ancestors included.'),
    problem: NAME.describe('Reason why the session could not be read to its end.'),
    calls: NUMBER,
    paid: KNOWN_MONEY,
    unpriced: NUMBER.describe('Number of calls whose cost is unknown and not in `paid`.'),
    hitRate: RATE,
    breaks: NUMBER,
    lost: KNOWN_MONEY,
    running: z.boolean(),
    questions: NUMBER.describe('Number of questions that wait for an answer.'),
  })
  .meta({ id: 'ListedSession' });

/** Part of the list of sessions with their figures. */
export type SessionFiguresPage = Fresh<{ readonly sessions: readonly ListedSession[]; readonly next: string | null }>;

export const LISTED_SESSIONS: z.ZodType<SessionFiguresPage> = z
  .object({
    sessions: z.array(LISTED),
    next: NAME.describe('Value of `after` for the next page.'),
    ...FRESHNESS,
  })
  .meta({ id: 'SessionFiguresPage' });

const NUMBERS = z.array(NUMBER);
const KNOWN_NUMBERS = z.array(NUMBER.nullable());

const COLUMNS: z.ZodType<TimelineColumns> = z
  .object({
    answer: NUMBERS.describe(
      'Positions of the records that ended the calls, or of the request of a call without a recorded end.',
    ),
    requestBefore: KNOWN_NUMBERS.describe('Positions of the requests, as distances to `answer`.'),
    step: NUMBERS,
    stream: NUMBERS,
    model: NUMBERS,
    at: NUMBERS.describe('Milliseconds from `begins` to the request.'),
    duration: KNOWN_NUMBERS.describe('Milliseconds from the request to its answer.'),
    opened: KNOWN_NUMBERS.describe('Causes of the epochs that the calls opened.'),
    cause: KNOWN_NUMBERS.describe('Causes for which the calls paid tokens again.'),
    fresh: NUMBERS,
    read: NUMBERS,
    written: NUMBERS,
    untold: NUMBERS.describe('Input tokens of which the provider did not report the part.'),
    output: NUMBERS,
    readOff: KNOWN_NUMBERS.describe('Forecast tokens minus actual tokens.'),
    writtenOff: KNOWN_NUMBERS,
    freshOff: KNOWN_NUMBERS,
    paid: KNOWN_NUMBERS.describe('Billionths of a US dollar.'),
    forecastCost: KNOWN_NUMBERS.describe('Billionths of a US dollar, for the input.'),
    again: NUMBERS.describe('Tokens that were paid again.'),
    lost: KNOWN_NUMBERS.describe('Billionths of a US dollar: the additional cost of `again`.'),
  })
  .describe('Columns of the calls, in the order of the log. All have the same length.')
  .meta({ id: 'TimelineColumns' });

export const TIMELINE: z.ZodType<Fresh<Timeline>> = z
  .object({
    session: z.string(),
    begins: z.string().describe('Time of the first call. Empty without calls.'),
    streams: z.array(z.string()),
    models: z.array(z.string()),
    causes: z.array(z.string()).describe('Causes, joined by ` + ` if a call has several.'),
    columns: COLUMNS,
    ...FRESHNESS,
  })
  .meta({ id: 'Timeline' });
