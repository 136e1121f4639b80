// Routes of the simulator itself, below `/__tidemark/`. No provider has this path. These routes have the same
// restrictions as all other routes: only loopback, a known `Host`, and no page of another origin. They need no key.

import type { Hono } from 'hono';
import { reportOf } from '../core/report.ts';
import { resetCore } from '../openai/memory.ts';
import type { RouteBindings, RouteState } from './route-context.ts';

/** Adds `GET /__tidemark/requests`, `GET /__tidemark/report` and `POST /__tidemark/reset`. */
export function addControlRoutes(app: Hono<RouteBindings>, { core }: RouteState): void {
  app.get('/__tidemark/requests', (context) =>
    context.json({ requests: core.ledger.calls, rejected: core.tally.totals.rejected }),
  );
  app.get('/__tidemark/report', (context) => context.json(reportOf(core)));
  app.post('/__tidemark/reset', (context) => {
    resetCore(core);
    return context.json({ reset: true });
  });
}
