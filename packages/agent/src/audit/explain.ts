// Explains why a request broke or missed the cache. The explanation names the first block that differs from the
// previous request on its stream, and the first different byte in that block. It also names the origin of the block (a
// layer or an event), the cause, and the price.

import { defined } from '@tidemark/core';
import type { CliffCost, CrossCheckVerdict, Divergence, ModelCall } from '@tidemark/context';
import { cliffCrossed, crossCheck, firstDivergence } from '@tidemark/context';
import type {
  AnswerReceived,
  DiagnosisRecord,
  EpochCause,
  EpochForecast,
  EpochOpened,
  Log,
  Position,
  Recorded,
  RecordedOf,
  SessionId,
  Timestamp,
} from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { inputTokens } from '@tidemark/model';
import type { DifferenceExcerpt, ObservedExplanation } from './explain-observed.ts';
import { explainObserved, rowOf } from './explain-observed.ts';
import { extendsSequence } from './extends-sequence.ts';
import type { Encoders, RebuildOptions, Rebuilt } from './rebuild.ts';
import { rebuildSession } from './rebuild.ts';

/** Explanation of one request of a step or of a side call. */
export interface Explanation {
  readonly step: number;
  /** `main`, or the stream of a side call. */
  readonly stream: string;
  readonly purpose: string;
  readonly at: string;
  /** Milliseconds since the previous request on the stream. */
  readonly gap?: number;
  /** First difference from the previous request. Absent if the request only extends it. */
  readonly divergence?: Divergence;
  /** Epoch that opened with this request. If present, the break is labelled. */
  readonly opened?: {
    readonly cause: EpochCause;
    readonly also?: readonly EpochCause[];
    readonly number: number;
    readonly forecast: EpochForecast;
  };
  /**
   * Cache miss of the request, with its cause. Missed tokens are tokens that an earlier request had sent but that were
   * not read from the cache. Absent if no tokens were missed.
   */
  readonly miss?: NonNullable<ModelCall['again']>;
  /**
   * Set for a request that another program sent and recorded. L3 is not claimed for it. `cause` is the cause of its
   * break, derived from the two requests. `cause` is absent if the requests do not show it. `excerpt` is the text
   * around the first different character.
   */
  readonly observed?: { readonly cause?: EpochCause; readonly excerpt?: DifferenceExcerpt };
  /**
   * True for a call of an imported session whose request the recording does not contain. Its miss and the cause of it
   * follow from the token counts of the calls before it.
   */
  readonly counted?: true;
  /** Price cliff that this request was the first to exceed, and the added cost. */
  readonly cliff?: CliffCost;
  /**
   * Diagnosis of the provider, compared with the causes found in the log. Absent if the provider reported nothing to
   * compare.
   */
  readonly checked?: { readonly diagnosis: DiagnosisRecord; readonly verdict: CrossCheckVerdict };
  readonly answer?: AnswerReceived;
}

/** Numbers of requests whose cache reads are unknown, by reason. */
export interface UntoldReads {
  /** Requests with an answer whose usage does not report cache reads. */
  readonly answered: number;
  /** Requests without a complete answer and without usage that reports cache reads. */
  readonly unanswered: number;
}

/** Result of `explainSession`. */
export interface Explained {
  /**
   * Number of requests. Counts each sent request that could be rebuilt from the log, including side calls. Also counts
   * each request that an imported recording contains.
   */
  readonly requests: number;
  /** Number of answers in an imported log for which the recording contains no request. */
  readonly unrecorded: number;
  /** Numbers of requests whose cache reads are unknown. */
  readonly untold: UntoldReads;
  readonly explained: readonly Explanation[];
}

/**
 * Explains a session. Returns the steps that broke, missed the cache or crossed a price cliff, and the side calls that
 * missed the cache. With `step`, explains each attempt of that step of the main stream, even if the attempt has no
 * break, no miss and no cliff.
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
  const observer = explainObserved(log.artifacts, session);
  const counted: Explanation[] = [];
  let imported = false;
  let before: Rebuilt | undefined;
  let last: Length | undefined;
  const ask = (explanation: Explanation, position: Position, request: Omit<UnansweredRequest, 'index'>): void => {
    asked.set(position, { index: found.push(explanation) - 1, ...request });
    reads.set(position, 'unanswered');
  };
  // A request that cannot be rebuilt from the log cannot be compared, so the next request has no predecessor.
  const unmade: RebuildOptions['unmade'] = ({ data }) => {
    if (data.stream === 'main') before = undefined;
  };
  for await (const one of rebuildSession(log, session, { encoders, unmade })) {
    if (one.type === 'request') {
      const { record } = one.rebuilt;
      const main = record.data.stream === 'main';
      const { capabilities } = one.rebuilt.promptStream.materials;
      ask(explain(main ? before : undefined, one.rebuilt), record.position, { capabilities, at: record.at });
      if (main) before = one.rebuilt;
      continue;
    }
    const { record } = one;
    const observed = await observer.take(record);
    if (observed !== undefined) ask(explainedAs(observed), record.position, observedRequest(observed));
    if (record.kind === 'session.created') imported = record.data.imported !== undefined;
    noteReads(reads, record);
    if (record.kind === 'answer.received') {
      const { data } = record;
      if (imported && data.request === undefined) counted.push(countedAs(record, counted.at(-1)));
      addAnswer(found, asked, { answer: data, last, step });
      if (data.stream === 'main') last = { model: data.model, tokens: inputTokens(data.usage) ?? last?.tokens ?? 0 };
    }
  }
  const misses = observer.misses();
  const explained = [...found, ...counted].map((one) => withCountedMiss(one, misses));
  return {
    requests: found.length,
    unrecorded: counted.length,
    untold: untoldReads(reads),
    explained: explained.filter((one) => isAsked(one, step)).toSorted((a, b) => (a.at < b.at ? -1 : 1)),
  };
}

/** Returns the explanation of a call without a recorded request. Its answer is kept without its parts. */
function countedAs({ at, data }: RecordedOf<'answer.received'>, before: Explanation | undefined): Explanation {
  const { step, stream, startedAt } = data;
  const sent = startedAt ?? at;
  const gap = before === undefined ? undefined : Date.parse(sent) - Date.parse(before.at);
  return defined({ step, stream, purpose: 'main', at: sent, gap, counted: true, answer: { ...data, parts: [] } });
}

function explainedAs({ request, gap, divergence, derived, excerpt }: ObservedExplanation): Explanation {
  const { data, at } = request.record;
  const { step, stream, purpose = 'main' } = data;
  return defined({ step, stream, purpose, at, gap, divergence, observed: defined({ cause: derived, excerpt }) });
}

function observedRequest({ request: { record } }: ObservedExplanation): Omit<UnansweredRequest, 'index'> {
  return { capabilities: rowOf(record.data.provider, record.data.model), at: record.at };
}

/** Adds the missed tokens to a call of another program. The provider's counts of the calls before it show them. */
function withCountedMiss(one: Explanation, misses: ReadonlyMap<number, NonNullable<ModelCall['again']>>): Explanation {
  const again = misses.get(one.step);
  if (one.answer === undefined || again === undefined) return one;
  if (one.counted === true) return { ...one, miss: again };
  if (one.observed === undefined) return one;
  // The cause of the break is evidence, so it is used first. The counts of the calls only show where the cache read
  // ended.
  return { ...one, miss: { ...again, cause: one.observed.cause ?? again.cause } };
}

/**
 * State of a request's cache reads. `reported`: the provider reported them. `answered`: the answer does not report
 * them. `unanswered`: no answer came.
 */
type ReadCount = 'reported' | 'answered' | 'unanswered';

function untoldReads(reads: ReadonlyMap<Position, ReadCount>): UntoldReads {
  const all = [...reads.values()];
  const count = (known: ReadCount): number => all.filter((one) => one === known).length;
  return { answered: count('answered'), unanswered: count('unanswered') };
}

/**
 * Records what an answer reports about cache reads. If an interrupted answer does not report cache reads, it counts as
 * no answer.
 */
function noteReads(reads: Map<Position, ReadCount>, { kind, data }: Recorded): void {
  if (kind !== 'answer.received' && kind !== 'answer.interrupted') return;
  if (data.request === undefined || !reads.has(data.request)) return;
  if (data.usage?.read !== undefined) reads.set(data.request, 'reported');
  else if (kind === 'answer.received') reads.set(data.request, 'answered');
}

/** A request without an answer so far. `index` is its place in the list of explanations. */
interface UnansweredRequest {
  readonly index: number;
  /** Catalog row. Absent for a recorded request to a model that the catalog does not contain. */
  readonly capabilities: Capabilities | undefined;
  readonly at: Timestamp;
}

/** Input tokens of the last answered request of the main stream, and the model that counted them. */
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
  // Only the selected answers are kept in memory, because all answers together would be almost as large as the log.
  if (isAsked(answered, step)) found[waiting.index] = answered;
  // The missed tokens of an observed request are known later, so its usage is kept.
  else if (answered.observed !== undefined) found[waiting.index] = { ...answered, answer: { ...answer, parts: [] } };
}

/**
 * Returns the price cliff that a request crossed. Side calls are not checked. A side call is about as long as the
 * request of the main stream that it continues, so the cliff is reported for that request.
 */
function crossedBy(
  { capabilities, at }: UnansweredRequest,
  { stream, model, usage }: AnswerReceived,
  last: Length | undefined,
): CliffCost | undefined {
  const before = last?.model === model ? last.tokens : 0;
  return stream === 'main' && capabilities !== undefined
    ? cliffCrossed({ capabilities, at, usage }, before)
    : undefined;
}

/**
 * Compares the provider's diagnosis with the causes found in the log. Returns an empty object if there is no diagnosis.
 * Also returns an empty object if the diagnosis reports no miss and the log contains no miss and no new epoch.
 */
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
