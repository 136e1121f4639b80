// Why a request broke or missed: the first block that differs from the request before it on its stream, the first byte
// within it, the layer or event that put it there, the cause, and the price.

import type {
  AnswerReceived,
  DiagnosisRecord,
  EpochCause,
  EpochForecast,
  EpochOpened,
  Log,
  Miss,
  Position,
  SessionId,
} from '@tidemark/log';
import type { Divergence, Verdict } from '@tidemark/context';
import { crossCheck, firstDivergence } from '@tidemark/context';
import type { Encoders, Rebuilt, RebuildOptions } from './rebuild.ts';
import { rebuildSession } from './rebuild.ts';
import { extendsSequence } from './verify.ts';

/** What is to be said about one step. */
export interface Explanation {
  readonly step: number;
  /** `main`, or the stream of a side call. */
  readonly stream: string;
  readonly purpose: string;
  readonly at: string;
  /** Milliseconds since the request before it on its stream. */
  readonly gap?: number;
  /** Where it stops extending the request before it; absent when it only grew. */
  readonly divergence?: Divergence;
  /** The epoch that opened with it: a labelled break. */
  readonly opened?: {
    readonly cause: EpochCause;
    readonly also?: readonly EpochCause[];
    readonly number: number;
    readonly forecast: EpochForecast;
  };
  /** Tokens that were sent before and paid again. */
  readonly miss?: Miss;
  /** What the provider says of it, and how that stands to the causes named here; absent where it has nothing to say. */
  readonly checked?: { readonly diagnosis: DiagnosisRecord; readonly verdict: Verdict };
  readonly answer?: AnswerReceived;
}

/** What was found in a session. */
export interface Explained {
  /** Requests of this runtime, side calls included; an import holds none. */
  readonly requests: number;
  readonly explained: readonly Explanation[];
}

/**
 * Explains the steps of a session that broke or missed, and the side calls that missed; with `step`, that step of the main
 * stream, each time it was sent, whatever happened there.
 */
export async function explainSession(
  log: Log,
  session: SessionId,
  encoders: Encoders,
  step?: number,
): Promise<Explained> {
  const found: Explanation[] = [];
  /** Where the request at a position is in `found`, until it is answered. */
  const asked = new Map<Position, number>();
  let before: Rebuilt | undefined;
  // Nothing can be held against a request that the log no longer makes.
  const unmade: RebuildOptions['unmade'] = ({ data }) => {
    if (data.stream === 'main') before = undefined;
  };
  for await (const one of rebuildSession(log, session, { encoders, unmade })) {
    if (one.type === 'request') {
      const { record } = one.rebuilt;
      const main = record.data.stream === 'main';
      asked.set(record.position, found.push(explain(main ? before : undefined, one.rebuilt)) - 1);
      if (main) before = one.rebuilt;
    } else if (one.record.kind === 'answer.received') addAnswer(found, asked, one.record.data, step);
  }
  return { requests: found.length, explained: found.filter((one) => isAsked(one, step)) };
}

function addAnswer(
  found: Explanation[],
  asked: Map<Position, number>,
  answer: AnswerReceived,
  step: number | undefined,
): void {
  const { request, miss } = answer;
  const index = request === undefined ? undefined : asked.get(request);
  const explanation = index === undefined ? undefined : found[index];
  if (request === undefined || index === undefined || explanation === undefined) return;
  asked.delete(request);
  const missed = miss === undefined ? {} : { miss };
  const answered: Explanation = { ...explanation, ...missed, ...checkedBy(explanation, answer), answer };
  // An answer that nobody asked about is not kept: together they are most of the log.
  if (isAsked(answered, step)) found[index] = answered;
}

/** Where all is as it should be on both sides there is nothing to hold against each other. */
function checkedBy({ opened }: Explanation, { diagnosis, miss }: AnswerReceived): Pick<Explanation, 'checked'> {
  const causes = [miss?.cause, ...(miss?.also ?? []), opened?.cause, ...(opened?.also ?? [])].filter(
    (cause) => cause !== undefined,
  );
  if (diagnosis === undefined || (causes.length === 0 && diagnosis.found !== 'miss')) return {};
  return { checked: { diagnosis, verdict: crossCheck(diagnosis, causes) } };
}

function isAsked(one: Explanation, step: number | undefined): boolean {
  if (step !== undefined) return one.stream === 'main' && one.step === step;
  return one.divergence !== undefined || one.miss !== undefined;
}

function explain(before: Rebuilt | undefined, { record, line, state }: Rebuilt): Explanation {
  const { epoch } = state;
  const broke = before !== undefined && !extendsSequence(before.line.sequence, line.sequence);
  const divergence = broke ? firstDivergence(before.line.sequence, line.sequence) : undefined;
  const opened =
    broke && epoch !== undefined && epoch.position !== before.state.epoch?.position ? epoch.opened : undefined;
  return {
    step: record.data.step,
    stream: record.data.stream,
    purpose: record.data.purpose,
    at: record.at,
    ...(before === undefined ? {} : { gap: Date.parse(record.at) - Date.parse(before.record.at) }),
    ...(divergence === undefined ? {} : { divergence }),
    ...(opened === undefined ? {} : { opened: openedAs(opened) }),
  };
}

function openedAs({ cause, also, number, forecast }: EpochOpened): NonNullable<Explanation['opened']> {
  return { cause, ...(also === undefined ? {} : { also }), number, forecast };
}
