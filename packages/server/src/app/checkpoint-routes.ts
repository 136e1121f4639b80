// Route of the checkpoints of a session.

import { createRoute, z } from '@hono/zod-openapi';
import type { ShownCheckpoint } from '@tidemark/inspector';
import { readCheckpoints } from '@tidemark/inspector';
import type { RoutePlace, ServerApp } from './route-parts.ts';
import { jsonAnswer, REFUSED, SESSION_PATH } from './route-parts.ts';

/** Adds the route of the checkpoints of a session. */
export function addCheckpointRoutes(app: ServerApp, { log }: RoutePlace): void {
  app.openapi(READ_CHECKPOINTS, async (context) => {
    const { session } = context.req.valid('param');
    const found = await readCheckpoints(log, session);
    const checkpoints = found.map(({ keeps, limitations, ...rest }) => ({
      ...rest,
      keeps: [...keeps],
      limitations: [...limitations],
    }));
    return context.json({ checkpoints }, 200);
  });
}

type CheckpointAnswer = Omit<ShownCheckpoint, 'keeps' | 'limitations'> & { keeps: number[]; limitations: string[] };

const CHECKPOINT: z.ZodType<CheckpointAnswer> = z
  .object({
    position: z.number(),
    at: z.string(),
    strategy: z.enum(['deterministic', 'model-assisted', 'recorded']),
    trigger: z.string(),
    from: z.number().describe('First replaced record.'),
    to: z.number().describe('Last replaced record.'),
    keeps: z.array(z.number()).describe('Messages inside the range that stay unchanged after the checkpoint.'),
    before: z.number().exactOptional().describe('Tokens of the context before the compaction.'),
    after: z.number().exactOptional(),
    limitations: z.array(z.string()),
    text: z.string().describe('Text that the model reads in place of the range.'),
    replaced: z.object({ prompts: z.number(), answers: z.number(), results: z.number() }),
    request: z.number().exactOptional().describe('Position of the first request after the compaction.'),
  })
  .meta({ id: 'ShownCheckpoint' });

const READ_CHECKPOINTS = createRoute({
  method: 'get',
  path: '/sessions/{session}/checkpoints',
  operationId: 'readCheckpoints',
  summary: 'Read the checkpoints of a session: what each replaced, and its text',
  request: { params: SESSION_PATH },
  responses: {
    200: jsonAnswer(z.object({ checkpoints: z.array(CHECKPOINT) }), 'The checkpoints, oldest first.'),
    default: REFUSED,
  },
});
