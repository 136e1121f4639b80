// The face of `simulator`: what a provider does.

export type {
  AnswerBlock,
  ScriptedAnswer,
  ScriptedBlock,
  ScriptedCall,
  SimulatedAnswer,
  StopReason,
} from './answer.ts';
export type { ClockChoice } from './clock.ts';
export type { BlockSizes } from './count.ts';
export type { SimulatorErrorCode } from './errors.ts';
export { SimulatorError } from './errors.ts';
export type { Fault, WrongUsage } from './faults.ts';
export type { Listening, ListenOptions } from './http.ts';
export type { LedgerCall } from './ledger.ts';
export type { AnswerPlan, CallPlan, SimulatorOptions } from './options.ts';
export { parseScenario } from './parse-scenario.ts';
export type { Refusal } from './refusal.ts';
export type { Expectation, Scenario, ScenarioStep } from './scenario.ts';
export type { SentRequest, SentResult } from './sent.ts';
export type { AnsweredCall, Simulator, SimulatorCall } from './simulator.ts';
export { createSimulator } from './simulator.ts';
export type { WireUsage } from './usage.ts';
export { totalInput } from './usage.ts';
export type { WireObject } from './wire.ts';
export type { AnsweredOpenAICall, ChatCall, OpenAICall } from './openai/in-process.ts';
export type { OpenAIRefusal } from './openai/refusal.ts';
export type { TokenCounts } from './openai/usage.ts';
