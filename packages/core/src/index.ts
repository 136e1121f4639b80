// Public exports of `core`: types and functions that every package may use.

export type { AbortSignalLike } from './abort-signal.ts';
export type { ErrorData, ErrorSort } from './coded-error.ts';
export { CodedError, TidemarkError } from './coded-error.ts';
export { isConnectionHeader } from './connection-headers.ts';
export type { Defined } from './defined.ts';
export { defined } from './defined.ts';
export type {
  AnswerPart,
  AnswerText,
  CacheWrite,
  CallPart,
  ImagePart,
  NativePart,
  ReasoningPart,
  RenderParameters,
  StopReason,
  TextPart,
  Ttl,
  Usage,
} from './exchange.ts';
export type { SchemaIssue } from './issue-text.ts';
export { issuePlace, issueText } from './issue-text.ts';
export type { CanonicalJson, Json } from './json/canonical-json.ts';
export { canonicalJson, canonicalText } from './json/canonical-json.ts';
export { DEEPEST_JSON, JsonDepthError, isTooDeep, parseJson } from './json/read-json.ts';
export type { RawMember } from './json/read-json.ts';
export { isJsonObject, parseObject, rawMembers, rawElements, rawMember, rawValueEnd } from './json/read-json.ts';
