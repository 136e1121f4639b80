// Metrics of one server in the text format of Prometheus.

import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { LiveSessions } from '../live/live-sessions.ts';

/** Upper bounds of the durations of requests, in seconds. */
const SECONDS = [0.005, 0.02, 0.1, 0.5, 2, 10];

/** Metrics of one server. */
export interface Metrics {
  /** Counts an answered request. `route` is the path of the route, never that of the request. */
  answered(request: {
    readonly method: string;
    readonly route: string;
    readonly status: number;
    readonly seconds: number;
  }): void;
  /** Returns all metrics. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** Creates the metrics of a server. */
export function createMetrics(live: LiveSessions): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const gauge = (name: string, help: string, read: () => number): void =>
    void new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  gauge('tidemark_open_sessions', 'Sessions that this server has open.', () => live.count().open);
  gauge('tidemark_running_turns', 'Turns that this server runs.', () => live.count().running);
  gauge('tidemark_event_readers', 'Clients that follow the events of a session.', () => live.count().readers);
  gauge('tidemark_waiting_questions', 'Questions that wait for an answer.', () => live.count().questions);
  const labelNames = ['method', 'route', 'status'] as const;
  const requests = new Counter({
    name: 'tidemark_http_requests_total',
    help: 'Answered requests.',
    labelNames,
    registers,
  });
  const durations = new Histogram({
    name: 'tidemark_http_request_seconds',
    help: 'Time until the answer began.',
    labelNames: ['method', 'route'],
    buckets: SECONDS,
    registers,
  });
  return {
    answered({ method, route, status, seconds }) {
      requests.inc({ method, route, status: String(status) });
      durations.observe({ method, route }, seconds);
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}
