// Public exports of `context`: the pure fold that decides what a model sees.

export type { Account, Compared, AccountRates, Tokens } from './account/account.ts';
export {
  accountOf,
  accountOfCharge,
  addAccounts,
  inputOfAccount,
  NO_CALLS,
  ratesOfAccount,
} from './account/account.ts';
export type { CountedUse } from './account/count-use.ts';
export { countUse } from './account/count-use.ts';
export type { Churn } from './account/churn.ts';
export { addChurn, beginChurn } from './account/churn.ts';
export type { FollowedRecord, Following, RowOf } from './account/follow-calls.ts';
export { beginFollowing, endFollowing, followRecord } from './account/follow-calls.ts';
export { causeByCounts } from './account/judge-import.ts';
export { forecastError, groupOf } from './account/model-call.ts';
export type { GroupBy, ModelCall } from './account/model-call.ts';
export type { AppendOnly } from './base/append-only.ts';
export { appendAll, appendOnly, itemAt, slice } from './base/append-only.ts';
export { sideCallSpans } from './fold/side-call-spans.ts';
export type { Bill, BilledCall } from './money/bill.ts';
export { addBills, billOf, NO_BILL, ratesOf, unitPrice } from './money/bill.ts';
export { withoutBoundReasoning } from './fold/packing-edits.ts';
export type {
  Budgets,
  BudgetSettings,
  Gauge,
  GaugeOptions,
  GaugeLimits,
  Tier,
  OutputFit,
  CliffCost,
} from './pressure/gauge.ts';
export {
  budgetsOf,
  crossingOf,
  CRITICAL,
  gaugeOf,
  fitOutput,
  inputLimitOf,
  gaugeInWords,
  cliffCost,
  cliffCrossed,
} from './pressure/gauge.ts';
export { keyInForce, neededEpoch, openEpoch } from './epoch/epoch.ts';
export type { CauseGroup, CountedCause, LossCause } from './base/cause-words.ts';
export { causeInWords, causesInWords, groupOfCause, isCause } from './base/cause-words.ts';
export { behindRange, gather } from './checkpoint/gather.ts';
export type { Checkpoint } from './checkpoint/checkpoint.ts';
export type { CheckpointText } from './checkpoint/checkpoint-text.ts';
export { checkpointSize, checkpointText, checkpointTokens } from './checkpoint/checkpoint-text.ts';
export type { CompactionContract, ContractInput } from './checkpoint/compaction-contract.ts';
export { compactionContract } from './checkpoint/compaction-contract.ts';
export type { Met } from './checkpoint/from-calls.ts';
export { filesOf } from './checkpoint/from-calls.ts';
export type { ClosedCall, Gathered } from './checkpoint/gather.ts';
export type { CheckpointInput } from './checkpoint/make-checkpoint.ts';
export { makeCheckpoint } from './checkpoint/make-checkpoint.ts';
export type { ParsedCheckpoint, UnusableAnswer, ModelFields } from './checkpoint/model-answer.ts';
export { parseCheckpoint, retryText } from './checkpoint/model-answer.ts';
export { readCheckpoint } from './checkpoint/read-checkpoint.ts';
export type { ChoiceInput, FrontChoice } from './epoch/choose-front.ts';
export { chanceOfNeed, GROUNDS, goToTurn, groundsOf, noteResult, noteSaid, noUses } from './pruning/uses.ts';
export { chooseFront } from './epoch/choose-front.ts';
export type { GuideSection } from './front/contract/guide.ts';
export { GUIDE } from './front/contract/guide.ts';
export { TM1_MINIMAL, TM1_RUNTIME } from './front/contract/tm1.ts';
export { TM2_BRIEF } from './front/contract/tm2.ts';
export { TM3_BRIEF, TM3_MINIMAL, TM3_RUNTIME } from './front/contract/tm3.ts';
export type { CrossCheckVerdict, MissInput } from './forecast/miss.ts';
export { crossCheck, missOf } from './forecast/miss.ts';
export type { CompactionStanding, NoteStanding } from './compaction/compaction-standing.ts';
export { compactionStanding, noteStanding } from './compaction/compaction-standing.ts';
export {
  largestParts,
  breakCost,
  cliffCleared,
  judgeCompaction,
  boundAt,
  LAST_RUNG,
  planCompaction,
} from './compaction/plan-compaction.ts';
export type { CompactionDraft } from './compaction/draft-compaction.ts';
export type {
  CompactionRefusal,
  CompactionSizes,
  JudgedCompaction,
  CompactionInput,
  CompactionPlan,
  RefusedPlan,
} from './compaction/plan-compaction.ts';
export type { FrontPart, HistoryPart, WindowPart } from './compaction/window-parts.ts';
export { windowParts } from './compaction/window-parts.ts';
export {
  turnGrowth,
  estimatedOutput,
  frontSize,
  isRecorded,
  learntOf,
  nextInput,
  sizeForecast,
} from './pressure/next-input.ts';
export type { Lookup } from './cache/entries.ts';
export {
  expiryOf,
  isAlive,
  isOfOther,
  LIFE,
  readableEntries,
  unreadable,
  cacheEntryOf,
  frontEntries,
  isWarmAt,
  sharedEntries,
  withEntry,
} from './cache/entries.ts';
export type { TextEdit } from './base/edited-text.ts';
export { editOf } from './base/edited-text.ts';
export type { EpochPrice, ForeseenRewrite, RequestEpoch } from './forecast/miss.ts';
export { epochForecast, foreseeRewrite } from './forecast/miss.ts';
export type { InheritedFront, RequestSpec } from './epoch/epoch.ts';
export { estimateImageTokens, estimateTokens, sizeOfSpan } from './base/estimate.ts';
export { branchState } from './fold/branch-state.ts';
export { evolve } from './fold/evolve.ts';
export type { ForecastInput, Outlook } from './forecast/forecast.ts';
export { expectedInput, newTextRatio } from './state/scales.ts';
export { forecast } from './forecast/forecast.ts';
export type {
  FrontSpec,
  FrontTexts,
  Layer,
  RuntimeText,
  FrontTool,
  ToolSpec,
  PadOptions,
  Preload,
} from './front/front.ts';
export { composeFront, frontOf, knownParameters, layer, padFront } from './front/front.ts';
export type { Keeping, KeepingInput } from './cache/implicit.ts';
export { planKeeping } from './cache/implicit.ts';
export type { KeepWarm, KeepWarmInput, NoWarming, WarmPlan } from './cache/keep-warm.ts';
export { KEEP_WARM, planKeepWarm } from './cache/keep-warm.ts';
export type { Lifetime, LifetimeInput, PlanInput } from './cache/plan.ts';
export { chooseLifetime, plan } from './cache/plan.ts';
export type { Need } from './epoch/needed-change.ts';
export { neededChange } from './epoch/needed-change.ts';
export type { NextInput } from './pressure/next-input.ts';
export type { Pace, CallPause, Pauses } from './state/call-times.ts';
export { isCrowded, addPause, NO_PAUSES } from './state/call-times.ts';
export type { BlockSizes, SizeInput } from './cache/prefix-size.ts';
export { blockSizes, scaleAt, sizeByBlock } from './cache/prefix-size.ts';
export type { PruningInput } from './pruning/pruning.ts';
export { planPruning } from './pruning/pruning.ts';
export type { Learnt, Ratio, Scales } from './state/scales.ts';
export { RENDERING, RENDERINGS, leftOutNotice, textOfResult } from './base/render.ts';
export type { Divergence, ParameterDigests, Sequence, TurnStart } from './cache/sequence.ts';
export {
  beginSequence,
  beginsTurn,
  extendSequence,
  firstDivergence,
  parameterDigests,
  tokensUpTo,
  turnStartOf,
} from './cache/sequence.ts';
export type { SpanSize } from './base/estimate.ts';
export type { Accepted, CacheEntry, Epoch, State, Stream } from './state/state.ts';
export { emptyState } from './state/state.ts';
export type { Grounds, ResultUse, Uses, UsesOptions } from './pruning/uses.ts';
