// The face of `agent`: what happens next.

export { recordAnswer, recordInterrupted } from './request/answer.ts';
export type { CallPlan, PlanOptions } from './request/call-plan.ts';
export { planCall } from './request/call-plan.ts';
export type { AgentErrorCode, AgentErrorSort } from './errors.ts';
export { AGENT_ERRORS, AgentError } from './errors.ts';
export type { Explained, Explanation } from './audit/explain.ts';
export { explainSession } from './audit/explain.ts';
export type { EpochMaterials, Line, Resize } from './request/line.ts';
export { beginLine, continues, extendLine } from './request/line.ts';
export { keepCapabilities, keepFront, loadCapabilities, loadFront, readArtifact } from './session/materials.ts';
export { newHash } from './session/node-hash.ts';
export type { CallOptions, Lines, Prepared } from './request/prepare.ts';
export { prepareRequest } from './request/prepare.ts';
export type { Encoders, Rebuilt, RebuildOptions, Step } from './audit/rebuild.ts';
export { rebuildSession } from './audit/rebuild.ts';
export type { Session } from './session/session.ts';
export { commit, createSession, foldLog, openSession } from './session/session.ts';
export type { Break, Difference, Verification } from './audit/verify.ts';
export { extendsSequence, verifySession } from './audit/verify.ts';
