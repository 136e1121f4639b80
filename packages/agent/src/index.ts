// The face of `agent`: what happens next.

export { recordAnswer, recordInterrupted } from './answer.ts';
export type { CallPlan, PlanOptions } from './call-plan.ts';
export { planCall } from './call-plan.ts';
export type { AgentErrorCode, AgentErrorSort } from './errors.ts';
export { AGENT_ERRORS, AgentError } from './errors.ts';
export type { Explained, Explanation } from './explain.ts';
export { explainSession } from './explain.ts';
export type { EpochMaterials, Line, Resize } from './line.ts';
export { beginLine, continues, extendLine } from './line.ts';
export { keepCapabilities, keepFront, loadCapabilities, loadFront, readArtifact } from './materials.ts';
export { newHash } from './node-hash.ts';
export type { CallOptions, Lines, Prepared } from './prepare.ts';
export { prepareRequest } from './prepare.ts';
export type { Encoders, Rebuilt, RebuildOptions, Step } from './rebuild.ts';
export { rebuildSession } from './rebuild.ts';
export type { Session } from './session.ts';
export { commit, createSession, foldLog, openSession } from './session.ts';
export type { Break, Difference, Verification } from './verify.ts';
export { extendsSequence, verifySession } from './verify.ts';
