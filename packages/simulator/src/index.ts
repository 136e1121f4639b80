// Public exports of `@tidemark/simulator`.

export type {
  AnswerBlock,
  PlannedAnswer,
  ScriptedBlock,
  ScriptedCall,
  SimulatedAnswer,
  WireStopReason,
} from './core/answer.ts';
export type { ClockChoice } from './core/clock.ts';
export type { RecordedSizes } from './core/tokens.ts';
export type { SimulatorErrorCode } from './core/errors.ts';
export { SimulatorError } from './core/errors.ts';
export type { Fault, WrongUsage } from './core/faults.ts';
export type { ListeningSimulator, ListenOptions } from './http/server.ts';
export type {
  CallWatcher,
  LedgerCall,
  ReceivedCall,
  RejectedRequest,
  SimulatedUsage,
  TokenCounts,
} from './core/ledger.ts';
export type { AnswerPlan, TimedAnswerPlan, SimulatorOptions } from './core/options.ts';
export { defineScenario, parseScenario } from './core/parse-scenario.ts';
export type { MessageRefusal } from './core/refusal.ts';
export type { ReceivedRequest, SentResult } from './core/received.ts';
export type {
  Expectation,
  RouteScenario,
  Scenario,
  ScenarioRoute,
  ScenarioStep,
  StepPlace,
  StepScenario,
} from './core/scenario.ts';
export type { RouteMatch, TextMatch, ToolsMatch } from './core/route-match.ts';
export { bucketsOf } from './core/tally.ts';
export type { CallBuckets, MissedCall, RefusedCall } from './core/tally.ts';
export { checkRun, placeText } from './core/report.ts';
export type { RunReport, RunThresholds } from './core/report.ts';
export type {
  AnsweredCall,
  Simulator,
  SimulatorCall,
  AnsweredOpenAICall,
  ChatCall,
  OpenAICall,
} from './http/simulator.ts';
export { createSimulator } from './http/simulator.ts';
export { totalInput } from './anthropic/message.ts';
export type { WireObject } from './core/wire.ts';
export type { OpenAIRefusal } from './openai/format/refusal.ts';
