// Route of the events of a session, as server-sent events from a position.

import { createRoute, z } from '@hono/zod-openapi';
import type { Frame } from '../live/frames.ts';
import { HEARTBEAT, joinFrames } from '../live/frames.ts';
import type { RoutePlace, ServerApp } from './route-parts.ts';
import { REFUSED, SESSION_PATH } from './route-parts.ts';
import { COUNT } from './values.ts';

/** Time without an event after which a comment is sent, in milliseconds. */
const HEARTBEAT_MS = 15_000;

/** Adds the route of the events. */
export function addEventRoutes(app: ServerApp, { log, live }: RoutePlace): void {
  app.openapi(EVENTS, async (context) => {
    const { session: id } = context.req.valid('param');
    const { from } = context.req.valid('query');
    const last = context.req.valid('header')['last-event-id'];
    // A missing session is refused before the stream begins.
    for await (const _first of log.read(id, 0, 1)) break;
    const gone = new AbortController();
    const signal = AbortSignal.any([gone.signal, context.req.raw.signal]);
    const frames = live.read(id, last === undefined ? from : last + 1, signal);
    return new Response(streamOf(frames, gone), {
      headers: {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      },
    });
  });
}

/**
 * Returns the stream of the bytes of the frames. The next frames are read when the client has taken the earlier ones,
 * so a slow client holds one piece in memory.
 */
function streamOf(frames: AsyncGenerator<readonly Frame[], void>, gone: AbortController): ReadableStream<Uint8Array> {
  let heartbeat: NodeJS.Timeout | undefined;
  const end = (): void => {
    clearInterval(heartbeat);
    gone.abort();
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        heartbeat = setInterval(() => {
          if ((controller.desiredSize ?? 0) > 0) controller.enqueue(HEARTBEAT.bytes);
        }, HEARTBEAT_MS).unref();
      },
      async pull(controller) {
        const next = await frames.next().catch((error: unknown) => {
          end();
          controller.error(error);
          return undefined;
        });
        if (next === undefined) return;
        if (next.done !== true) return controller.enqueue(joinFrames(next.value));
        end();
        controller.close();
      },
      cancel: end,
    },
    { highWaterMark: 1 },
  );
}

const EVENTS = createRoute({
  method: 'get',
  path: '/sessions/{session}/events',
  operationId: 'followSession',
  summary: 'Follow the events of a session from a position',
  description:
    'Sends each record from the position on as the event `record`, with its position as the id. After the last record it sends `state` (the text that is arriving, waiting questions), and then each new `record` and each event that is not stored (`passing`). A client that connects again sends `Last-Event-ID`.',
  request: {
    params: SESSION_PATH,
    query: z.object({ from: COUNT.default(0) }),
    headers: z.object({ 'last-event-id': COUNT.optional() }),
  },
  responses: {
    200: { description: 'The events.', content: { 'text/event-stream': { schema: z.string() } } },
    default: REFUSED,
  },
});
