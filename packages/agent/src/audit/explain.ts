// Why a request broke or missed: the first block that differs from the request before it on its stream, the first byte
// within it, the layer or event that put it there, the cause, and the price.

import type { AnswerReceived, EpochForecast, EpochCause, Log, Miss, SessionId } from '@tidemark/log';
import type { Divergence } from '@tidemark/context';
import { firstDivergence } from '@tidemark/context';
import type { Encoders, Rebuilt } from './rebuild.ts';
import { rebuildSession } from './rebuild.ts';
import { extendsSequence } from './verify.ts';

/** What is to be said about one step. */
export interface Explanation {
  readonly step: number;
  readonly at: string;
  /** Milliseconds since the request before it on its stream. */
  readonly gap?: number;
  /** Where it stops extending the request before it; absent when it only grew. */
  readonly divergence?: Divergence;
  /** The epoch that opened with it: a labelled break. */
  readonly opened?: { readonly cause: EpochCause; readonly number: number; readonly forecast: EpochForecast };
  /** Tokens that were sent before and paid again. */
  readonly miss?: Miss;
  readonly answer?: AnswerReceived;
}

/** What was found in a session. */
export interface Explained {
  /** Requests of this runtime; an import holds none. */
  readonly requests: number;
  readonly explained: readonly Explanation[];
}

/** Explains the steps of a session that broke or missed; with `step`, that one, whatever happened there. */
export async function explainSession(
  log: Log,
  session: SessionId,
  encoders: Encoders,
  step?: number,
): Promise<Explained> {
  const explained: Explanation[] = [];
  let requests = 0;
  let before: Rebuilt | undefined;
  let current: { readonly rebuilt: Rebuilt; readonly before: Rebuilt | undefined } | undefined;
  for await (const one of rebuildSession(log, session, { encoders })) {
    if (one.type === 'request') {
      if (current !== undefined) push(explained, explain(current.before, current.rebuilt, undefined), step);
      requests += 1;
      current = { rebuilt: one.rebuilt, before };
      before = one.rebuilt;
    } else if (
      one.record.kind === 'answer.received' &&
      current !== undefined &&
      one.record.data.request === current.rebuilt.record.position
    ) {
      push(explained, explain(current.before, current.rebuilt, one.record.data), step);
      current = undefined;
    }
  }
  if (current !== undefined) push(explained, explain(current.before, current.rebuilt, undefined), step);
  return { requests, explained };
}

function push(list: Explanation[], one: Explanation, step: number | undefined): void {
  const happened = one.divergence !== undefined || one.miss !== undefined;
  if (step === undefined ? happened : one.step === step) list.push(one);
}

function explain(
  before: Rebuilt | undefined,
  { record, line, state }: Rebuilt,
  answer: AnswerReceived | undefined,
): Explanation {
  const { epoch } = state;
  const broke = before !== undefined && !extendsSequence(before.line.sequence, line.sequence);
  const divergence = broke ? firstDivergence(before.line.sequence, line.sequence) : undefined;
  const opened =
    broke && epoch !== undefined && epoch.position !== before.state.epoch?.position ? epoch.opened : undefined;
  return {
    step: record.data.step,
    at: record.at,
    ...(before === undefined ? {} : { gap: Date.parse(record.at) - Date.parse(before.record.at) }),
    ...(divergence === undefined ? {} : { divergence }),
    ...(opened === undefined
      ? {}
      : { opened: { cause: opened.cause, number: opened.number, forecast: opened.forecast } }),
    ...(answer?.miss === undefined ? {} : { miss: answer.miss }),
    ...(answer === undefined ? {} : { answer }),
  };
}
