// Route of the events of a session, as server-sent events from a position.

import { createRoute, z } from '@hono/zod-openapi';
import type { FrameSink } from '../live/frames.ts';
import { failedFrame, HEARTBEAT } from '../live/frames.ts';
import { failureAnswer } from './failure.ts';
import type { RoutePlace, ServerApp } from './route-parts.ts';
import { REFUSED, SESSION_PATH } from './route-parts.ts';
import { COUNT } from './values.ts';

/** Time without an event after which a comment is sent, in milliseconds. */
const HEARTBEAT_MS = 15_000;

/** Adds the route of the events. */
export function addEventRoutes(app: ServerApp, { live }: RoutePlace): void {
  app.openapi(EVENTS, async (context) => {
    const { session: id } = context.req.valid('param');
    const { from } = context.req.valid('query');
    const last = context.req.valid('header')['last-event-id'];
    const gone = context.req.raw.signal;
    const body = await streamOf(
      (sink, signal) => live.read(id, last === undefined ? from : last + 1, sink, signal),
      gone,
    );
    return new Response(body, {
      headers: {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      },
    });
  });
}

/**
 * Returns the stream of the bytes that a function writes, as soon as it has written the first ones. An error before that
 * is thrown, so the request is refused. An error after that is the last frame of the stream.
 */
async function streamOf(
  read: (sink: FrameSink, signal: AbortSignal) => Promise<void>,
  gone: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const begun = Promise.withResolvers<void>();
  const cancelled = new AbortController();
  const signal = AbortSignal.any([cancelled.signal, gone]);
  const pipe = createPipe(() => cancelled.abort());
  signal.addEventListener('abort', pipe.release, { once: true });
  const sink: FrameSink = {
    write(bytes) {
      begun.resolve();
      return signal.aborted ? undefined : pipe.write(bytes);
    },
  };
  const end = (): void => {
    signal.removeEventListener('abort', pipe.release);
    if (!signal.aborted) pipe.close();
  };
  read(sink, signal).then(
    () => {
      begun.resolve();
      end();
    },
    (error: unknown) => {
      // Rejects only if nothing was written yet.
      begun.reject(error);
      void pipe.write(failedFrame(failureAnswer(error).body.error).bytes);
      end();
    },
  );
  await begun.promise;
  return pipe.stream;
}

interface BytePipe extends FrameSink {
  readonly stream: ReadableStream<Uint8Array>;
  /** Resolves the promise of the last `write`. */
  release(): void;
  close(): void;
}

/** Creates a stream that holds one piece until its reader takes it. */
function createPipe(cancel: () => void): BytePipe {
  let heartbeat: NodeJS.Timeout | undefined;
  let take: (() => void) | undefined;
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  const release = (): void => {
    clearInterval(heartbeat);
    take?.();
  };
  return {
    release,
    write(bytes) {
      stream?.enqueue(bytes);
      if ((stream?.desiredSize ?? 1) > 0) return undefined;
      return new Promise((resolve) => (take = resolve));
    },
    close() {
      release();
      stream?.close();
    },
    stream: new ReadableStream<Uint8Array>(
      {
        start(controller) {
          stream = controller;
          heartbeat = setInterval(() => {
            if ((controller.desiredSize ?? 0) > 0) controller.enqueue(HEARTBEAT.bytes);
          }, HEARTBEAT_MS).unref();
        },
        pull: () => take?.(),
        cancel,
      },
      { highWaterMark: 1 },
    ),
  };
}

const EVENTS = createRoute({
  method: 'get',
  path: '/sessions/{session}/events',
  operationId: 'followSession',
  summary: 'Follow the events of a session from a position',
  description:
    'Sends each record from the position on as the event `record`, with its position as the id. After the last record it sends `state` (the text that is arriving, waiting questions), and then each new `record` and each event that is not stored (`passing`). An error after the beginning is the last event, `failed`. A client that connects again sends `Last-Event-ID`.',
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
