// Prepares the request of a step. Before the request is sent, the user is informed about four things: a limit that ends
// the turn, a rewrite and its price, the pressure, and a price cliff.

import { defined } from '@tidemark/core';
import type { CliffCost, ForeseenRewrite, Preload, RequestSpec } from '@tidemark/context';
import { causesInWords, composeFront, expectedInput, gaugeInWords, knownParameters, padFront } from '@tidemark/context';
import type { Artifacts } from '@tidemark/log';
import { sumOfMoney } from '@tidemark/model';
import { unlessAborted } from '../concurrency.ts';
import { whyBeyond } from '../decide/limits.ts';
import type { TurnEnding } from '../decide/next-move.ts';
import { lastingOf } from '../decide/warmth.ts';
import { messageOf } from '../errors.ts';
import { listedTools } from '../permissions/limit-tools.ts';
import type { Asker, RewriteQuestion } from '../ports/permissions.ts';
import { isYes, requireAnswer } from '../ports/permissions.ts';
import type { RewriteNotice, Runtime } from '../ports/runtime.ts';
import { REWRITE_NOTICE } from '../ports/runtime.ts';
import { chooseEncoder } from '../request/choose-encoder.ts';
import type { CallOptions, Foreseen } from '../request/draft-call.ts';
import type { PromptStreams, Prepared } from '../request/prepare.ts';
import { prepareRequest } from '../request/prepare.ts';
import { keepCapabilities, loadFront, newHash } from '../session/materials.ts';
import type { TurnContext } from '../session/turn-context.ts';
import { takenBy } from '../session/turn-context.ts';
import { policyOf } from './recover-context.ts';

/**
 * Returns the request after it is in the log and flushed. If no request may be made, returns an ending. If the user
 * interrupted, returns `undefined`.
 */
export async function prepareStep(working: StepContext): Promise<Prepared | TurnEnding | undefined> {
  for (;;) {
    const made = await tryToPrepare(working);
    if (!(made instanceof NotYet)) return made;
    if ('outcome' in made.why) return made.why;
    // The report runs outside the session's mutex. The user may need a long time to answer, and other commands must be
    // able to append during this time.
    const ending = await reportRewrite(working, made.step, made.why);
    if (ending !== undefined || working.signal.aborted) return ending;
    working.reportedRewrites.add(made.step);
  }
}

/**
 * Thrown from the preparation, before anything is committed. It leads to the report of a rewrite or to the end of the
 * turn.
 */
class NotYet extends Error {
  readonly why: TurnEnding | ForeseenRewrite;
  readonly step: number;
  constructor(why: TurnEnding | ForeseenRewrite, step: number) {
    super('the next call was stopped before it was recorded');
    this.why = why;
    this.step = step;
  }
}

async function tryToPrepare(working: StepContext): Promise<Prepared | NotYet> {
  const { session, promptStreams, runtime, turn } = working;
  const options = await stepOptions(working);
  const { provider, envelope, betas } = runtime;
  try {
    return await prepareRequest(session, promptStreams, {
      ...options,
      turn,
      continues: provider.continues ?? false,
      attempt: session.progress.stepAttempts,
      envelope,
      betas,
      admit: (foreseen) => requireReported(working, foreseen),
    });
  } catch (error) {
    if (error instanceof NotYet) return error;
    throw error;
  }
}

/** Returns the options that decide the content and the price of the next request of the main stream. */
export async function stepOptions(work: StepContext): Promise<CallOptions> {
  const { session, promptStreams, runtime, wantedFor } = work;
  const { capabilities, provider, warm = 'off', pruning = 'auto', budgets, surroundings } = runtime;
  return {
    wanted: await wantedFor(runtime),
    at: surroundings.now(),
    capabilities,
    encoder: chooseEncoder(provider, session.state, promptStreams.encoder),
    account: provider.account,
    outputLimit: Math.min(runtime.outputLimit, capabilities.outputLimit),
    ttl: lastingOf(runtime.ttl, warm, capabilities, session.state),
    pruning,
    compacts: policyOf(work) !== 'manual',
    ...defined({ budgets }),
  };
}

/**
 * Checks the next call before anything is committed.
 *
 * @throws NotYet if the call exceeds the limit of tokens or cost, or if its rewrite is above a threshold and was not
 *   reported.
 */
function requireReported(working: StepContext, { step, outlook, rewrite }: Foreseen): void {
  const { limits, rewriteNotice = REWRITE_NOTICE } = working.runtime;
  const ending = whyBeyond(limits, takenBy(working).spent, outlook.forecast);
  if (ending !== undefined) throw new NotYet(ending, step);
  if (rewrite === undefined || working.reportedRewrites.has(step) || !isWorthSaying(rewriteNotice, rewrite)) return;
  throw new NotYet(rewrite, step);
}

/** Context of a turn, with state that is kept while the turn runs in this process. */
export interface StepContext extends TurnContext {
  readonly promptStreams: PromptStreams;
  readonly wantedFor: WantedFor;
  /** Numbers of the steps whose rewrite was reported. If the user was asked, the user has accepted the rewrite. */
  readonly reportedRewrites: Set<number>;
}

/** Returns the specification of the next request. */
export type WantedFor = (runtime: Runtime) => Promise<RequestSpec>;

/**
 * Creates the function that returns the specification of the next request. The specification contains the front, its
 * padding, and the digest of the catalog row. The front is composed from the runtime's tools and role. The row is
 * stored, so that the log can refer to it. The front is composed again only if the runtime or the skill bodies to
 * preload changed.
 */
export function createWantedFor(artifacts: Artifacts): WantedFor {
  let kept:
    | { readonly runtime: Runtime; readonly preloads: readonly Preload[]; readonly wanted: RequestSpec }
    | undefined;
  return async (runtime) => {
    const { preloads = [] } = runtime.skills ?? {};
    if (kept?.runtime !== runtime || !isSame(kept.preloads, preloads))
      kept = { runtime, preloads, wanted: await compose(artifacts, runtime, preloads) };
    return kept.wanted;
  };
}

function isSame(a: readonly Preload[], b: readonly Preload[]): boolean {
  return a.length === b.length && a.every(({ name, body }, at) => name === b[at]?.name && body === b[at].body);
}

async function compose(artifacts: Artifacts, runtime: Runtime, preloads: readonly Preload[]): Promise<RequestSpec> {
  const { provider, capabilities, parameters, takeTools, padding = 'auto', neighbours = 0 } = runtime;
  const tools = listedTools(runtime);
  const specs = tools.map(({ name, description, schema, earlier }) => ({
    name,
    description,
    schema,
    ...defined({ earlier }),
  }));
  const patientTools = new Set(tools.filter(({ joins }) => joins === 'next-epoch').map(({ name }) => name));
  const instructions = {
    ...defined({ role: roleIn(runtime) }),
    runtime: runtime.promptVerbosity ?? 'full',
  } as const;
  const texts = composeFront({ tools: specs, ...instructions }, newHash);
  const { inherits } = runtime;
  const padded = padFront(texts, { floor: capabilities.floor, preloads }, newHash);
  return {
    provider: provider.name,
    model: capabilities.model,
    // Parameters that the catalog row does not contain are not sent. If they change, the request does not change.
    parameters: knownParameters(parameters, capabilities),
    capabilities: await keepCapabilities(artifacts, capabilities),
    texts,
    padding: { setting: padding, padded, others: neighbours },
    ...(inherits && { inherited: { ...inherits, texts: await loadFront(artifacts, inherits.opened) } }),
    ...defined({ takeTools }),
    ...(patientTools.size > 0 && { patientTools }),
  };
}

/** Returns the system text of the session: that of the author, then the role of an own agent of the user. */
function roleIn({ role, agent }: Runtime): string | undefined {
  const texts = [role, agent?.as === 'note' ? undefined : agent?.role].filter((text) => text !== undefined);
  return texts.length === 0 ? undefined : texts.join('\n\n');
}

/**
 * Reports a step that is billed again for tokens sent before. In mode `ask` it asks a question, otherwise it raises a
 * notice. A rewrite by pruning saves more than it costs, so it is only reported. If the user declines, returns the
 * ending of the turn, otherwise `undefined`.
 */
async function reportRewrite(
  work: TurnContext,
  step: number,
  rewrite: ForeseenRewrite,
): Promise<TurnEnding | undefined> {
  const { session, runtime, tell } = work;
  const asks = session.progress.mode === 'ask' && rewrite.cause !== 'pruning';
  if (asks && runtime.ask !== undefined) return askAboutRewrite(work, runtime.ask, step, rewrite);
  const notice = {
    code: 'turn/rewrite',
    message: rewriteInWords(rewrite),
    next: 'Interrupt to stop before the answer.',
  };
  tell({ type: 'notice.raised', notice });
  return undefined;
}

async function askAboutRewrite(
  { signal }: TurnContext,
  asker: Asker,
  step: number,
  rewrite: ForeseenRewrite,
): Promise<TurnEnding | undefined> {
  const title = rewriteInWords(rewrite);
  const question: RewriteQuestion = { about: 'rewrite', step, rewrite, title, rule: 'ask/rewrite' };
  try {
    const decision = await unlessAborted(Promise.resolve(asker(question, signal)), signal);
    return signal.aborted || isYes(requireAnswer(decision)) ? undefined : declinedEnding(step, rewrite);
  } catch (cause) {
    return signal.aborted ? undefined : declinedEnding(step, rewrite, `asking the user failed: ${messageOf(cause)}`);
  }
}

/** Next action before a long request. */
const SEE_FREED = 'See what a compaction would free with `session.compact({ dryRun: true })`.';

/**
 * Reports how full the window is with the next request. Each step reports a status. If the request reaches a tier that
 * needs an action, one notice is raised. The record of the tier is already in the log, so no other process reports it
 * again.
 */
export function reportPressure({ tell }: TurnContext, { gauge, crossed }: Prepared): void {
  if (gauge === undefined) return;
  tell({ type: 'status.changed', gauge });
  if (crossed === undefined || crossed.tier === 'calm' || crossed.tier === 'advisory') return;
  const notice = {
    code: 'context/pressure',
    tier: crossed.tier,
    message: `the next request has ${gaugeInWords(gauge)}`,
    next: SEE_FREED,
  };
  tell({ type: 'notice.raised', notice });
}

/**
 * Reports the first request above a price cliff, before the request is sent. A price cliff is an input length above
 * which the whole request costs more. If the attempt is repeated, there is no second report.
 */
export function reportCliff({ tell }: TurnContext, { outlook: { cliff, forecast }, record }: Prepared): void {
  if (cliff === undefined || record.data.attempt > 0) return;
  const tokens = expectedInput(forecast).toLocaleString('en-US');
  const notice = {
    code: 'context/price-cliff',
    message: `the next request has about ${tokens} tokens: ${cliffInWords(cliff)}, and every longer request costs more, too`,
    next: SEE_FREED,
  };
  tell({ type: 'notice.raised', notice });
}

/**
 * Returns true if billed tokens, such as those of a rewrite, reach the threshold for tokens or for cost. With an unknown
 * price they can only reach the threshold for tokens.
 */
export function isWorthSaying(
  { tokens = Infinity, cost }: RewriteNotice,
  billed: Pick<ForeseenRewrite, 'tokens' | 'cost'>,
): boolean {
  if (billed.tokens >= tokens) return true;
  if (cost === undefined || billed.cost === undefined) return false;
  return !sumOfMoney([billed.cost, `-${cost}`]).startsWith('-');
}

/** Returns a rewrite as text: `the reasoning setting changed: 114,000 tokens are written again, $0.43`. */
export function rewriteInWords({ cause, also = [], tokens, cost }: ForeseenRewrite): string {
  const paid = cause === 'below-floor' ? 'are paid again' : 'are written again';
  return `${causesInWords([cause, ...also])}: ${tokens.toLocaleString('en-US')} tokens ${paid}, ${moneyInWords(cost)}`;
}

/** Returns a price cliff as text: `above 100,000 tokens the whole request costs more, $0.05 more for this request`. */
function cliffInWords({ above, cost }: CliffCost): string {
  const more = cost === undefined ? '' : `, ${moneyInWords(cost)} more for this request`;
  return `above ${above.toLocaleString('en-US')} tokens the whole request costs more${more}`;
}

/**
 * Returns an amount as text: rounded to a cent from 20 cents on, otherwise with three significant digits. If a smaller
 * amount were rounded to a cent, it would be less exact than the estimate itself.
 */
function moneyInWords(cost: string | undefined): string {
  if (cost === undefined) return 'at an unknown price';
  const dollars = Number(cost);
  return `$${dollars >= 0.2 ? dollars.toFixed(2) : dollars.toPrecision(3)}`;
}

/**
 * Returns the ending of a turn after the user declined the price of a step. The step was not sent. If the user could
 * not be asked, `why` is the reason.
 */
function declinedEnding(step: number, rewrite: ForeseenRewrite, why = 'the user declined'): TurnEnding {
  const error = {
    code: 'turn/rewrite-declined' as const,
    message: `step ${step} was not sent: ${why} (${rewriteInWords(rewrite)})`,
    next: 'Undo the change that is the cause, or resume to be asked again.',
  };
  return { outcome: 'limited', error };
}
