// Timeline of a session: its calls as columns of numbers, so that a session of 10,000 calls is one small answer. The
// calls come from the projection of the sessions, which reads only the new records of a log.

import type { CallPage, CallReport } from '@tidemark/analytics';
import { createNames } from './names.ts';

/**
 * Calls of a session in the order of its log. All columns have the same length. Numbers of `streams`, `models` and
 * `causes` are indexes.
 */
export interface Timeline {
  readonly session: string;
  /** Time of the first call, or an empty text without calls. */
  readonly begins: string;
  readonly streams: readonly string[];
  readonly models: readonly string[];
  /** Causes, joined by ` + ` if a call has several. */
  readonly causes: readonly string[];
  readonly columns: TimelineColumns;
}

/**
 * Columns of a timeline. Amounts are billionths of a US dollar, rounded. `null` means that a value is unknown or does
 * not apply.
 */
export interface TimelineColumns {
  /**
   * Position of the record that ended the call, or of its request if no end is recorded. It identifies the call.
   */
  readonly answer: readonly number[];
  /** Position of the request, as the distance to `answer`. */
  readonly requestBefore: readonly (number | null)[];
  readonly step: readonly number[];
  readonly stream: readonly number[];
  readonly model: readonly number[];
  /** Milliseconds from `begins` to the request. */
  readonly at: readonly number[];
  /** Milliseconds from the request to its answer. */
  readonly duration: readonly (number | null)[];
  /** Causes of the epoch that the call opened. */
  readonly opened: readonly (number | null)[];
  /** Causes for which the call paid tokens again. */
  readonly cause: readonly (number | null)[];
  readonly fresh: readonly number[];
  readonly read: readonly number[];
  readonly written: readonly number[];
  /** Input tokens of which the provider did not report the part. */
  readonly untold: readonly number[];
  /** Tokens of the answer and its reasoning. */
  readonly output: readonly number[];
  /** Forecast tokens, as the difference to the actual ones: `read` + `readOff` were forecast to be read. */
  readonly readOff: readonly (number | null)[];
  readonly writtenOff: readonly (number | null)[];
  readonly freshOff: readonly (number | null)[];
  readonly paid: readonly (number | null)[];
  /** Forecast cost of the input. */
  readonly forecastCost: readonly (number | null)[];
  /** Tokens that were paid again, and their additional cost. */
  readonly again: readonly number[];
  readonly lost: readonly (number | null)[];
}

/** Source of the calls of a session, in pages. */
export interface CallPages {
  calls(session: string, page: { readonly from: number; readonly limit: number }): Promise<CallPage>;
}

/** Most calls in one page of the projection. */
const PAGE = 1_000;

/** Reads the timeline of a session. A session that the source does not know has an empty timeline. */
export async function readTimeline(source: CallPages, session: string): Promise<Timeline> {
  return timelineOf(session, await readCalls(source, session));
}

/** Reads all calls of a session. */
export async function readCalls(source: CallPages, session: string): Promise<readonly CallReport[]> {
  const calls: CallReport[] = [];
  for (let from: number | null = 0; from !== null;) {
    const page: CallPage = await source.calls(session, { from, limit: PAGE });
    calls.push(...page.calls);
    from = page.next;
  }
  return calls;
}

/** Returns the timeline of calls. */
export function timelineOf(session: string, calls: readonly CallReport[]): Timeline {
  const [streams, models, causes] = [createNames(), createNames(), createNames()];
  const begins = calls[0]?.at ?? '';
  const since = Date.parse(begins);
  const column = <Value>(read: (call: CallReport) => Value): readonly Value[] => calls.map(read);
  const columns: TimelineColumns = {
    answer: column(({ answer }) => answer),
    requestBefore: column(({ answer, request }) => (request === null ? null : answer - request)),
    step: column(({ step }) => step),
    stream: column(({ stream }) => streams.indexOf(stream)),
    model: column(({ model }) => models.indexOf(model)),
    at: column(({ at }) => Date.parse(at) - since),
    duration: column(({ duration }) => duration),
    opened: column(({ opened }) => (opened === null ? null : causes.indexOf(opened))),
    cause: column(({ cause }) => (cause === null ? null : causes.indexOf(cause))),
    fresh: column(({ tokens }) => tokens.fresh),
    read: column(({ tokens }) => tokens.read),
    written: column(({ tokens }) => tokens.written),
    untold: column(({ tokens }) => tokens.untold),
    output: column(({ tokens }) => tokens.answer + tokens.reasoning),
    readOff: column(({ forecast, tokens }) => forecast && forecast.read - tokens.read),
    writtenOff: column(({ forecast, tokens }) => forecast && forecast.write - tokens.written),
    freshOff: column(({ forecast, tokens }) => forecast && forecast.fresh - tokens.fresh),
    paid: column(({ paid }) => nanodollars(paid)),
    forecastCost: column(({ forecast }) => nanodollars(forecast?.cost ?? null)),
    again: column(({ again }) => again),
    lost: column(({ lost }) => nanodollars(lost)),
  };
  return { session, begins, streams: streams.names, models: models.names, causes: causes.names, columns };
}

function nanodollars(amount: string | null): number | null {
  return amount === null ? null : Math.round(Number(amount) * 1e9);
}
