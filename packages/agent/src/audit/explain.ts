// Explains why a request broke or missed the cache. The explanation names the first block that differs from the
// previous request on its stream, and the first byte in that block. It also names the layer or event that the block
// came from, the cause, and the price.

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
  /** Epoch that opened with this request, which makes the break a labelled one. */
  readonly opened?: {
    readonly cause: EpochCause;
    readonly also?: readonly EpochCause[];
    readonly number: number;
    readonly forecast: EpochForecast;
  };
  /**
   * Cache miss of the request, with its cause: tokens that an earlier request had sent and that were not read from the
   * cache. Absent if nothing was missed.
   */
  readonly miss?: Miss;
  /** Price cliff that this request was the first to exceed, and the cost that it added. */
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
   * Number of sent requests that could be rebuilt from the log, including side calls. 0 for an imported log, which
   * contains no requests.
   */
  readonly requests: number;
  /** Numbers of requests whose cache reads are unknown. */
  readonly untold: UntoldReads;
  readonly explained: readonly Explanation[];
}

/**
 * Explains a session: the steps that broke, missed the cache or crossed a price cliff, and the side calls that missed.
 * With `step`, explains each attempt of that step of the main stream, even if the attempt has no break, no miss and no
 * cliff.
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
  // A request that cannot be rebuilt from the log cannot be compared, so the next request has no predecessor.
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

/**
 * State of a request's cache reads: reported by the provider (`told`), missing in its answer, or missing because no
 * answer came.
 */
type ReadCount = 'told' | 'answered' | 'unanswered';

function untoldReads(reads: ReadonlyMap<Position, ReadCount>): UntoldReads {
  const all = [...reads.values()];
  const count = (known: ReadCount): number => all.filter((one) => one === known).length;
  return { answered: count('answered'), unanswered: count('unanswered') };
}

/**
 * Notes what an answer reports about cache reads. An interrupted answer counts as no answer if its usage does not
 * report them.
 */
function noteReads(reads: Map<Position, ReadCount>, { kind, data }: Recorded): void {
  if (kind !== 'answer.received' && kind !== 'answer.interrupted') return;
  if (data.request === undefined || !reads.has(data.request)) return;
  if (data.usage?.read !== undefined) reads.set(data.request, 'told');
  else if (kind === 'answer.received') reads.set(data.request, 'answered');
}

/** A request without an answer so far. `index` is its place in the list of explanations. */
interface UnansweredRequest {
  readonly index: number;
  readonly capabilities: Capabilities;
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
  return stream === 'main' ? cliffCrossed({ capabilities, at, usage }, before) : undefined;
}

/**
 * Compares the provider's diagnosis with the causes found in the log. Returns an empty object without a diagnosis, or
 * if the diagnosis reports no miss and the log contains neither a miss nor a new epoch.
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
