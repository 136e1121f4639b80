// Route of the search over the texts of all sessions.

import { createRoute, z } from '@hono/zod-openapi';
import type { FreshProjection } from '../analytics/fresh-projection.ts';
import type { FoundText, FoundTexts, SessionWithTexts } from '../view/found-texts.ts';
import { readFoundTexts } from '../view/found-texts.ts';
import type { Fresh } from './analytics-schemas.ts';
import { FRESHNESS } from './analytics-schemas.ts';
import type { RoutePlace, ServerApp } from './route-parts.ts';
import { jsonAnswer, REFUSED } from './route-parts.ts';
import { COUNT, SESSION_ID } from './values.ts';

/** Adds the route of the search. */
export function addSearchRoutes(
  app: ServerApp,
  { log, mask, projection }: RoutePlace & { readonly projection: FreshProjection },
): void {
  app.openapi(SEARCH, async (context) => {
    const query = context.req.valid('query');
    const { updatedAt, problems, ...found } = await projection.readTexts((rows) => rows.search(query));
    return context.json({ ...(await readFoundTexts(log, mask, query.text, found)), updatedAt, problems }, 200);
  });
}

const NUMBER = z.number();

const TEXT: z.ZodType<FoundText> = z
  .object({
    position: NUMBER.describe('Position of the record that contains the text.'),
    step: NUMBER.nullable().describe('Step of the first call that contained the text or answered with it.'),
    request: NUMBER.nullable().describe('Position of the request of this call, or of its answer in an import.'),
    kind: z.enum(['title', 'prompt', 'answer', 'files']),
    parts: z
      .array(z.string())
      .describe('Text around the first match in one line. The second part and each second one after it are matches.'),
  })
  .meta({ id: 'FoundText' });

const SESSION: z.ZodType<SessionWithTexts> = z
  .object({
    session: z.string(),
    title: z.string().nullable(),
    workspace: z.string(),
    changedAt: z.string(),
    records: NUMBER.describe('Number of records that match.'),
    texts: z.array(TEXT).describe('The last of them: three of each session, or 200 of the session of the search.'),
  })
  .meta({ id: 'SessionWithTexts' });

const FOUND: z.ZodType<Fresh<FoundTexts>> = z
  .object({
    sessions: z.array(SESSION),
    more: z.boolean().describe('True if more sessions have a match.'),
    ...FRESHNESS,
  })
  .meta({ id: 'FoundTexts' });

const SEARCH = createRoute({
  method: 'get',
  path: '/search',
  operationId: 'searchSessions',
  summary: 'Search titles, prompts, answers, and paths of files, latest session first',
  description:
    'A record matches if it contains all words, in any case and without accents. Words in quotes must be next to each other. Each other word also finds longer words that begin with it. The first search reads the texts of all logs. While this takes long, the search is refused with `server/reading`.',
  request: {
    query: z.object({
      text: z.string().min(1).max(1_000),
      session: SESSION_ID.exactOptional().describe('Session to search. Default: all sessions.'),
      limit: COUNT.pipe(z.number().min(1).max(100)).default(20).describe('Number of sessions.'),
    }),
  },
  responses: { 200: jsonAnswer(FOUND, 'The sessions with a match.'), default: REFUSED },
});
