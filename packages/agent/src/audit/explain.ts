// Why a request broke or missed: the first block that differs from the request before it on its stream, the first byte
// within it, the layer or event that put it there, the cause, and the price.

import { defined } from '@tidemark/core';
import type { CliffCost, CrossCheckVerdict, Divergence } from '@tidemark/context';
import { cliffCrossed, crossCheck, firstDivergence } from '@tidemark/context';
import type {
  AnswerReceived,
  DiagnosisRecord,
  EpochCause,
  EpochForecast,
  EpochOpened,
  Log,
  Miss,
  Position,
  Recorded,
  SessionId,
  Timestamp,
} from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { inputTokens } from '@tidemark/model';
import type { Encoders, RebuildOptions, Rebuilt } from './rebuild.ts';
import { extendsSequence, rebuildSession } from './rebuild.ts';

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
  /** The length that this request was the first to go beyond, and what that added to its price. */
  readonly cliff?: CliffCost;
  /** What the provider says of it, and how that stands to the causes named here; absent where it has nothing to say. */
  readonly checked?: { readonly diagnosis: DiagnosisRecord; readonly verdict: CrossCheckVerdict };
  readonly answer?: AnswerReceived;
}

/** Requests of which it is not known what they read, by the reason. */
export interface UntoldReads {
  /** The answer came, and its usage does not tell what was read. */
  readonly answered: number;
  /** No whole answer came, and no usage that tells what was read. */
  readonly unanswered: number;
}

/** What was found in a session. */
export interface Explained {
  /** Requests of this runtime, side calls included; an import holds none. */
  readonly requests: number;
  /** Requests of which it is not known what they read from a cache. */
  readonly untold: UntoldReads;
  readonly explained: readonly Explanation[];
}

/**
 * Explains the steps of a session that broke, missed or crossed a price cliff, and the side calls that missed; with `step`, that step of the main
 * stream, each time it was sent, whatever happened there.
 */
export async function explainSession(
  log: Log,
  session: SessionId,
  encoders: Encoders,
  step?: number,
): Promise<Explained> {
  const found: Explanation[] = [];
  const asked = new Map<Position, UnansweredRequest>();
  const reads = new Map<Position, ReadCount>();
  let before: Rebuilt | undefined;
  let last: Length | undefined;
  // Nothing can be held against a request that the log no longer makes.
  const unmade: RebuildOptions['unmade'] = ({ data }) => {
    if (data.stream === 'main') before = undefined;
  };
  for await (const one of rebuildSession(log, session, { encoders, unmade })) {
    if (one.type === 'request') {
      const { record } = one.rebuilt;
      const main = record.data.stream === 'main';
      const { capabilities } = one.rebuilt.promptStream.materials;
      const index = found.push(explain(main ? before : undefined, one.rebuilt)) - 1;
      asked.set(record.position, { index, capabilities, at: record.at });
      reads.set(record.position, 'unanswered');
      if (main) before = one.rebuilt;
      continue;
    }
    noteReads(reads, one.record);
    if (one.record.kind === 'answer.received') {
      const { data } = one.record;
      addAnswer(found, asked, { answer: data, last, step });
      if (data.stream === 'main') last = { model: data.model, tokens: inputTokens(data.usage) ?? last?.tokens ?? 0 };
    }
  }
  return { requests: found.length, untold: untoldReads(reads), explained: found.filter((one) => isAsked(one, step)) };
}

/** What is known of the tokens that a request read. */
type ReadCount = 'told' | 'answered' | 'unanswered';

function untoldReads(reads: ReadonlyMap<Position, ReadCount>): UntoldReads {
  const all = [...reads.values()];
  const count = (known: ReadCount): number => all.filter((one) => one === known).length;
  return { answered: count('answered'), unanswered: count('unanswered') };
}

/** An answer that was cut counts as none where its usage does not tell what was read. */
function noteReads(reads: Map<Position, ReadCount>, { kind, data }: Recorded): void {
  if (kind !== 'answer.received' && kind !== 'answer.interrupted') return;
  if (data.request === undefined || !reads.has(data.request)) return;
  if (data.usage?.read !== undefined) reads.set(data.request, 'told');
  else if (kind === 'answer.received') reads.set(data.request, 'answered');
}

/** A request that waits for its answer, and where it is in the list. */
interface UnansweredRequest {
  readonly index: number;
  readonly capabilities: Capabilities;
  readonly at: Timestamp;
}

/** How long the last answered request of the main stream was, in input tokens, and who counted it. */
interface Length {
  readonly model: string;
  readonly tokens: number;
}

interface ExplainedAnswer {
  readonly answer: AnswerReceived;
  readonly last: Length | undefined;
  readonly step: number | undefined;
}

function addAnswer(
  found: Explanation[],
  asked: Map<Position, UnansweredRequest>,
  { answer, last, step }: ExplainedAnswer,
): void {
  const { request, miss } = answer;
  const waiting = request === undefined ? undefined : asked.get(request);
  const explanation = waiting === undefined ? undefined : found[waiting.index];
  if (request === undefined || waiting === undefined || explanation === undefined) return;
  asked.delete(request);
  const missed = miss === undefined ? {} : { miss };
  const cliff = crossedBy(waiting, answer, last);
  const answered: Explanation = {
    ...explanation,
    ...missed,
    ...defined({ cliff }),
    ...checkedBy(explanation, answer),
    answer,
  };
  // An answer that nobody asked about is not kept: together they are most of the log.
  if (isAsked(answered, step)) found[waiting.index] = answered;
}

/** A side call is as long as what it goes on from: the request of the main stream says it. */
function crossedBy(
  { capabilities, at }: UnansweredRequest,
  { stream, model, usage }: AnswerReceived,
  last: Length | undefined,
): CliffCost | undefined {
  const before = last?.model === model ? last.tokens : 0;
  return stream === 'main' ? cliffCrossed({ capabilities, at, usage }, before) : undefined;
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
  return one.divergence !== undefined || one.miss !== undefined || one.cliff !== undefined;
}

function explain(before: Rebuilt | undefined, { record, promptStream, state }: Rebuilt): Explanation {
  const { epoch } = state;
  const broke = before !== undefined && !extendsSequence(before.promptStream.sequence, promptStream.sequence);
  const divergence = broke ? firstDivergence(before.promptStream.sequence, promptStream.sequence) : undefined;
  const opened =
    broke && epoch !== undefined && epoch.position !== before.state.epoch?.position ? epoch.opened : undefined;
  return {
    step: record.data.step,
    stream: record.data.stream,
    purpose: record.data.purpose,
    at: record.at,
    ...(before === undefined ? {} : { gap: Date.parse(record.at) - Date.parse(before.record.at) }),
    ...defined({ divergence, opened: opened === undefined ? undefined : openedAs(opened) }),
  };
}

function openedAs({ cause, also, number, forecast }: EpochOpened): NonNullable<Explanation['opened']> {
  return defined({ cause, also, number, forecast });
}
