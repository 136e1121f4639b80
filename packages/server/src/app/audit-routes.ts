// Routes that explain and check the requests of a session.

import { createRoute, z } from '@hono/zod-openapi';
import type { Explained, Explanation, Verification } from '@tidemark/agent';
import { explainSession, verifySession } from '@tidemark/agent';
import type { Divergence } from '@tidemark/context';
import { ServerError } from '../errors.ts';
import type { RoutePlace, ServerApp } from './route-parts.ts';
import { jsonAnswer, REFUSED, SESSION_PATH } from './route-parts.ts';
import { COUNT } from './values.ts';

/** An explanation with the place of the first difference in place of the whole blocks, as `tidemark why --json` has it. */
export type ExplainedStep = Omit<Explanation, 'divergence' | 'answer'> & {
  readonly divergence?:
    | Extract<Divergence, { readonly at: 'parameters' }>
    | { readonly at: number; readonly byte?: number; readonly is?: unknown; readonly was?: unknown };
  readonly usage?: unknown;
  readonly cost?: string;
};

/** Result of a check. `ok` is true if every request was rebuilt with the same bytes. */
export type CheckedSession = Verification & { readonly ok: boolean };

/** Adds the routes that explain and check requests. */
export function addAuditRoutes(app: ServerApp, { log, encoders }: RoutePlace): void {
  app.openapi(WHY, async (context) => {
    const { session: id } = context.req.valid('param');
    const { step } = context.req.valid('query');
    const { explained, ...counts } = await explainSession(log, id, encoders, step);
    if (step !== undefined && explained.length === 0)
      throw new ServerError(
        'server/no-such-step',
        `session ${id} has no step ${step}`,
        'omit `step` to list the steps',
      );
    return context.json({ ...counts, explained: explained.map(stepOf) }, 200);
  });
  app.openapi(VERIFY, async (context) => {
    const { session: id } = context.req.valid('param');
    const found = await verifySession(log, id, { encoders, full: context.req.valid('query').full === 'true' });
    const ok = found.differences.length === 0 && found.breaks.every(({ cause }) => cause !== undefined);
    return context.json({ ...found, ok }, 200);
  });
}

function stepOf({ divergence, answer, ...rest }: Explanation): ExplainedStep {
  return {
    ...rest,
    ...(divergence !== undefined && {
      divergence:
        divergence.at === 'parameters'
          ? divergence
          : { at: divergence.at, byte: divergence.byte, is: divergence.is?.origin, was: divergence.was?.origin },
    }),
    ...(answer !== undefined && { usage: answer.usage, ...(answer.cost !== undefined && { cost: answer.cost }) }),
  };
}

const OPEN_OBJECT = { type: 'object' as const, additionalProperties: true };

const EXPLAINED: z.ZodType<Omit<Explained, 'explained'> & { readonly explained: ExplainedStep[] }> = z
  .object({
    requests: z.number(),
    unrecorded: z.number(),
    untold: z.object({ answered: z.number(), unanswered: z.number() }),
    explained: z.array(
      z.custom<ExplainedStep>().meta({
        id: 'ExplainedStep',
        ...OPEN_OBJECT,
        required: ['step', 'stream', 'purpose', 'at'],
        properties: {
          step: { type: 'integer' },
          stream: { type: 'string' },
          purpose: { type: 'string' },
          at: { type: 'string', format: 'date-time' },
          divergence: {
            ...OPEN_OBJECT,
            description: 'First difference from the previous request: in a block, or in the parameters of a section.',
            required: ['at'],
            properties: {
              at: { oneOf: [{ type: 'integer', description: 'Number of the block.' }, { const: 'parameters' }] },
              section: { type: 'string', enum: ['tools', 'system', 'messages'] },
              byte: { type: 'integer', description: 'First different byte of the block.' },
            },
          },
        },
      }),
    ),
  })
  .meta({ id: 'Explained' });

const CHECKED: z.ZodType<CheckedSession> = z.custom<CheckedSession>().meta({
  id: 'CheckedSession',
  ...OPEN_OBJECT,
  required: ['ok', 'requests', 'differences', 'breaks'],
  properties: {
    ok: { type: 'boolean', description: 'True if every request was rebuilt with the same bytes.' },
    requests: { type: 'integer' },
    differences: { type: 'array', items: OPEN_OBJECT },
    breaks: { type: 'array', items: OPEN_OBJECT },
  },
});

const WHY = createRoute({
  method: 'get',
  path: '/sessions/{session}/why',
  operationId: 'explainSession',
  summary: 'Explain each cache break and miss of a session, or one step',
  request: { params: SESSION_PATH, query: z.object({ step: COUNT.optional() }) },
  responses: { 200: jsonAnswer(EXPLAINED, 'The explanations.'), default: REFUSED },
});

const VERIFY = createRoute({
  method: 'get',
  path: '/sessions/{session}/verify',
  operationId: 'verifySession',
  summary: 'Rebuild every request of a session and compare its bytes with what was sent',
  request: { params: SESSION_PATH, query: z.object({ full: z.enum(['true', 'false']).default('false') }) },
  responses: { 200: jsonAnswer(CHECKED, 'The result.'), default: REFUSED },
});
