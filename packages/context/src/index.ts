// The face of `context`: what the model sees.

export type { Account, Compared, Rates } from './account/account.ts';
export { accountOf, addAccounts, NO_CALLS, ratesOfAccount } from './account/account.ts';
export type { Churn } from './account/churn.ts';
export { addChurn, beginChurn } from './account/churn.ts';
export type { Followed, Following, RowOf } from './account/follow-calls.ts';
export { beginFollowing, endFollowing, followRecord } from './account/follow-calls.ts';
export { forecastError } from './account/forecast-error.ts';
export type { GroupBy } from './account/group-calls.ts';
export { groupOf } from './account/group-calls.ts';
export type { ModelCall } from './account/model-call.ts';
export type { AppendOnly } from './append-only.ts';
export { appendAll, appendOnly, itemAt, slice } from './append-only.ts';
export { besideSpans } from './beside.ts';
export type { Bill, BilledCall } from './bill.ts';
export { addBills, billOf, NO_BILL, ratesOf, unitPrice } from './bill.ts';
export { withoutBoundReasoning } from './bound-reasoning.ts';
export type { Budgets, BudgetSettings } from './budgets.ts';
export { budgetsOf } from './budgets.ts';
export { keyInForce } from './cache-key.ts';
export type { CauseGroup } from './cause-words.ts';
export { causeInWords, groupOfCause, isCause } from './cause-words.ts';
export { behindRange } from './checkpoint/behind-range.ts';
export type { Checkpoint } from './checkpoint/checkpoint.ts';
export type { CheckpointText } from './checkpoint/checkpoint-text.ts';
export { checkpointText, checkpointTokens } from './checkpoint/checkpoint-text.ts';
export type { CompactionContract, ContractInput } from './checkpoint/compaction-contract.ts';
export { compactionContract } from './checkpoint/compaction-contract.ts';
export type { CheckpointInput } from './checkpoint/make-checkpoint.ts';
export { makeCheckpoint } from './checkpoint/make-checkpoint.ts';
export type { ParsedCheckpoint, UnusableAnswer } from './checkpoint/model-answer.ts';
export { parseCheckpoint, retryText } from './checkpoint/model-answer.ts';
export type { ModelFields } from './checkpoint/model-fields.ts';
export { joinModelFields } from './checkpoint/model-fields.ts';
export { readCheckpoint } from './checkpoint/read-checkpoint.ts';
export type { ChoiceInput, FrontChoice } from './choose-front.ts';
export { chooseFront } from './choose-front.ts';
export type { GuideSection } from './contract/guide.ts';
export { GUIDE } from './contract/guide.ts';
export { TM1_MINIMAL, TM1_RUNTIME } from './contract/tm1.ts';
export type { Verdict } from './cross-check.ts';
export { crossCheck } from './cross-check.ts';
export { largestParts } from './compaction/context-unfit.ts';
export type { CompactionDraft } from './compaction/draft-compaction.ts';
export type { CompactionRefusal, CompactionSizes, Judged } from './compaction/judge-compaction.ts';
export { breakCost, judgeCompaction } from './compaction/judge-compaction.ts';
export type { CompactionInput, CompactionPlan, RefusedPlan } from './compaction/plan-compaction.ts';
export { LAST_RUNG, planCompaction } from './compaction/plan-compaction.ts';
export { crossingOf } from './crossing.ts';
export type { Lookup } from './entries.ts';
export { isAlive, LIFE, readableEntries, unreadable } from './entries.ts';
export type { EpochPrice } from './epoch-forecast.ts';
export { epochForecast } from './epoch-forecast.ts';
export type { Wanted } from './epoch.ts';
export { neededEpoch, openEpoch } from './epoch.ts';
export { estimateImageTokens, estimateTokens } from './estimate.ts';
export { evolve } from './evolve.ts';
export type { ForecastInput, Outlook } from './forecast.ts';
export { forecast } from './forecast.ts';
export type { ForeseenRewrite, RequestEpoch } from './foresee-rewrite.ts';
export { foreseeRewrite } from './foresee-rewrite.ts';
export type { FrontSpec, FrontTexts, Layer, RuntimeText, Tool, ToolSpec } from './front.ts';
export { composeFront, frontOf, knownParameters, layer } from './front.ts';
export type { Gauge, GaugeOptions, Limits, Tier } from './gauge.ts';
export { gaugeOf } from './gauge.ts';
export { gaugeInWords } from './gauge-words.ts';
export type { Keeping, KeepingInput } from './implicit.ts';
export { planKeeping } from './implicit.ts';
export type { KeepWarm, KeepWarmInput, NoWarming, WarmPlan } from './keep-warm.ts';
export { KEEP_WARM, planKeepWarm } from './keep-warm.ts';
export type { Lifetime, LifetimeInput } from './lifetime.ts';
export { chooseLifetime } from './lifetime.ts';
export type { MissInput } from './miss.ts';
export { missOf } from './miss.ts';
export type { Need } from './needed-change.ts';
export { neededChange } from './needed-change.ts';
export type { NextInput } from './next-input.ts';
export { isRecorded, learntOf, nextInput, sizeForecast } from './next-input.ts';
export type { Pace } from './pace.ts';
export { isCrowded } from './pace.ts';
export type { PadOptions } from './pad-front.ts';
export { padFront } from './pad-front.ts';
export type { Pause, Pauses } from './pauses.ts';
export { addPause, NO_PAUSES } from './pauses.ts';
export type { PlanInput } from './plan.ts';
export { plan } from './plan.ts';
export type { PruningInput } from './pruning.ts';
export { planPruning } from './pruning.ts';
export type { Learnt } from './ratio.ts';
export { RENDERING } from './render.ts';
export type { OutputFit } from './request-limit.ts';
export { fitOutput, inputLimitOf } from './request-limit.ts';
export type { Divergence, ParameterDigests, Sequence, TurnStart } from './sequence.ts';
export {
  beginSequence,
  beginsTurn,
  extendSequence,
  firstDivergence,
  parameterDigests,
  tokensUpTo,
  turnStartOf,
} from './sequence.ts';
export type { Size } from './span-size.ts';
export type { Accepted, Entry, Epoch, State, Stream } from './state.ts';
export { emptyState } from './state.ts';
