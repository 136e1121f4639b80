// The face of `simulator`: what a provider does.

export type {
  AnswerBlock,
  PlannedAnswer,
  ScriptedBlock,
  ScriptedCall,
  SimulatedAnswer,
  WireStopReason,
} from './answer.ts';
export type { ClockChoice } from './clock.ts';
export type { RecordedSizes } from './count.ts';
export type { SimulatorErrorCode } from './errors.ts';
export { SimulatorError } from './errors.ts';
export type { Fault, WrongUsage } from './faults.ts';
export type { ListeningSimulator, ListenOptions } from './http.ts';
export type { LedgerCall } from './ledger.ts';
export type { AnswerPlan, TimedAnswerPlan, SimulatorOptions } from './options.ts';
export { parseScenario } from './parse-scenario.ts';
export type { MessageRefusal } from './refusal.ts';
export type { Expectation, Scenario, ScenarioStep } from './scenario.ts';
export type { ReceivedRequest, SentResult } from './sent.ts';
export type { AnsweredCall, Simulator, SimulatorCall } from './simulator.ts';
export { createSimulator } from './simulator.ts';
export type { SimulatedUsage } from './usage.ts';
export { totalInput } from './usage.ts';
export type { WireObject } from './wire.ts';
export type { AnsweredOpenAICall, ChatCall, OpenAICall } from './openai/in-process.ts';
export type { OpenAIRefusal } from './openai/refusal.ts';
export type { TokenCounts } from './openai/usage.ts';
