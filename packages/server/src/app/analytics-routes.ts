// Routes of the analytics: use of the cache, cost, breaks and skills over all sessions, and the calls of one session.

import { createRoute, z } from '@hono/zod-openapi';
import type { CallFilter } from '@tidemark/analytics';
import type { FreshProjection } from '../analytics/fresh-projection.ts';
import { ServerError } from '../errors.ts';
import {
  BREAKS_ANSWER,
  CACHE_SUMS,
  CALL_PAGE,
  COST_SUMS,
  groupedSchema,
  GROUPING,
  SKILLS_ANSWER,
} from './analytics-schemas.ts';
import type { RoutePlace, ServerApp } from './route-parts.ts';
import { jsonAnswer, REFUSED, requireSession, SESSION_PATH } from './route-parts.ts';
import { COUNT, DAY_OR_TIME } from './values.ts';

/** Adds the routes of the analytics. */
export function addAnalyticsRoutes(
  app: ServerApp,
  { log, projection, now }: RoutePlace & { readonly projection: FreshProjection; readonly now: () => number },
): void {
  app.openapi(CACHE_EFFECTIVENESS, async (context) => {
    const { by, ...query } = context.req.valid('query');
    return context.json(await projection.read((rows) => rows.cacheEffectiveness(filterOf(query, now()), by)), 200);
  });
  app.openapi(COST, async (context) => {
    const { by, ...query } = context.req.valid('query');
    return context.json(await projection.read((rows) => rows.cost(filterOf(query, now()), by)), 200);
  });
  app.openapi(BREAKS, async (context) => {
    const { by, limit, after, ...query } = context.req.valid('query');
    const filter = filterOf(query, now());
    const answer = await projection.read(async (rows) => ({
      ...(await rows.breaks(filter, by)),
      ...(await rows.listBreaks({ ...filter, limit, ...(after !== undefined && { after }) })),
    }));
    return context.json(answer, 200);
  });
  app.openapi(SKILLS, async (context) => {
    const query = context.req.valid('query');
    const answer = await projection.read(async (rows) => ({ skills: await rows.skills(filterOf(query, now())) }));
    return context.json(answer, 200);
  });
  app.openapi(CALLS, async (context) => {
    const { session } = context.req.valid('param');
    const page = context.req.valid('query');
    await requireSession(log, session);
    return context.json(await projection.readSession(session, (rows) => rows.calls(session, page)), 200);
  });
}

/** Window of time and filter of a question, as a client gives them. */
interface GivenFilter extends CallFilter {
  readonly window?: string;
}

const DAY_MS = 86_400_000;
/** Window of a question without any time. */
const USUAL_WINDOW = '30d';

/** Returns the time at which a day or a time begins. Two results can be compared as strings. */
function startOf(time: string): string {
  return time.length === 10 ? `${time}T00:00:00.000Z` : time;
}

/**
 * Returns the filter with the beginning of the window. Windows of days begin with a day (UTC), so they are answered
 * from the sums of days.
 *
 * @throws ServerError `server/bad-request` for a window together with a time, and for an end before the beginning.
 */
function filterOf({ window, ...filter }: GivenFilter, now: number): CallFilter {
  const { since, until } = filter;
  if (window !== undefined && (since !== undefined || until !== undefined))
    throw new ServerError(
      'server/bad-request',
      '`window` and `since` or `until` exclude each other',
      'use one of them',
    );
  if (since !== undefined && until !== undefined && startOf(until) < startOf(since))
    throw new ServerError(
      'server/bad-request',
      `\`until\` (${until}) is before \`since\` (${since})`,
      'use a later time for `until`',
    );
  if (since !== undefined || until !== undefined || window === 'all') return filter;
  const [, count = '0', unit = ''] = /^(\d+)([hd])$/.exec(window ?? USUAL_WINDOW) ?? [];
  const begin = new Date(now - Number(count) * (unit === 'd' ? DAY_MS : DAY_MS / 24)).toISOString();
  return { ...filter, since: unit === 'd' ? begin.slice(0, 10) : begin };
}

const FILTER = {
  window: z
    .string()
    .regex(/^([1-9]\d{0,4}[hd]|all)$/, 'is not a number of hours or days such as `24h` or `7d`, or `all`')
    .exactOptional()
    .describe(
      `Time until now: \`24h\`, \`7d\` or \`all\`. Default: \`${USUAL_WINDOW}\`. Days begin at midnight in UTC.`,
    ),
  since: DAY_OR_TIME.exactOptional().describe(
    'Earliest time, instead of a window: a day in UTC, or a time of RFC 3339 such as `2026-11-20T09:30:00Z`.',
  ),
  until: DAY_OR_TIME.exactOptional().describe('Time after the last call: a day or a time.'),
  session: z.string().min(1).exactOptional(),
  workspace: z.string().min(1).exactOptional(),
  model: z.string().min(1).exactOptional(),
  provider: z.string().min(1).exactOptional(),
};

const GROUPED = z.object({ ...FILTER, by: GROUPING.optional() });

const CACHE_EFFECTIVENESS = createRoute({
  method: 'get',
  path: '/analytics/cache_effectiveness',
  operationId: 'readCacheEffectiveness',
  summary: 'Read the use of the cache: hit rate, write share, coverage, wasted writes, tokens paid again',
  request: { query: GROUPED },
  responses: {
    200: jsonAnswer(groupedSchema(CACHE_SUMS).meta({ id: 'CacheEffectiveness' }), 'The sums.'),
    default: REFUSED,
  },
});

const COST = createRoute({
  method: 'get',
  path: '/analytics/cost',
  operationId: 'readCost',
  summary: 'Read the cost: paid, uncached and ideal',
  request: { query: GROUPED },
  responses: { 200: jsonAnswer(groupedSchema(COST_SUMS).meta({ id: 'Cost' }), 'The sums.'), default: REFUSED },
});

const BREAKS = createRoute({
  method: 'get',
  path: '/analytics/breaks',
  operationId: 'readBreaks',
  summary: 'Read the breaks: their sums, and a page of them, latest first',
  request: {
    query: GROUPED.extend({
      limit: COUNT.pipe(z.number().min(1).max(1_000)).default(100),
      after: z.string().min(1).max(500).exactOptional(),
    }),
  },
  responses: { 200: jsonAnswer(BREAKS_ANSWER, 'The sums and a page of breaks.'), default: REFUSED },
});

const SKILLS = createRoute({
  method: 'get',
  path: '/analytics/skills',
  operationId: 'readSkills',
  summary: 'Read the use of each skill',
  request: { query: z.object(FILTER) },
  responses: { 200: jsonAnswer(SKILLS_ANSWER, 'The skills.'), default: REFUSED },
});

const CALLS = createRoute({
  method: 'get',
  path: '/sessions/{session}/calls',
  operationId: 'readCalls',
  summary: 'Read the calls of a session with their tokens and costs',
  request: {
    params: SESSION_PATH,
    query: z.object({ from: COUNT.default(0), limit: COUNT.pipe(z.number().min(1).max(1_000)).default(100) }),
  },
  responses: { 200: jsonAnswer(CALL_PAGE, 'A page of calls.'), default: REFUSED },
});
