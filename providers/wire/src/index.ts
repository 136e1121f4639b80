// Public exports of `provider-wire`, the code that every provider over HTTP needs.

export { connectionError, redirected } from './address.ts';
export type { AnswerLimits } from './answer-limits.ts';
export { answerLimits, createPartMeter, MAX_TOKENS, oversized, requireFewParts } from './answer-limits.ts';
export type { BodyForm } from './body-writer.ts';
export { locateBlocks } from './body-writer.ts';
export { joinBody } from './body-writer.ts';
export type { FailureCode } from './call-errors.ts';
export {
  aborted,
  closed,
  CODE_OF_STATUS,
  cut,
  failedCall,
  malformed,
  parseJson,
  readAs,
  retryAfter,
  silent,
} from './call-errors.ts';
export type { ImageStub } from './content.ts';
export { imageStub, readImage, toolMembers } from './content.ts';
export type { BearerToken, Hide } from './credentials.ts';
export type {
  AnswerDecoder,
  Bridge,
  CallerConnection,
  Decoding,
  HttpClient,
  HttpClientOptions,
  SdkClient,
  SdkSetup,
} from './http-client.ts';
export { bridgeAbort, callerAccount, openHttpClient, wholeAsStream, within } from './http-client.ts';
export type { BlockPiece } from './lowering.ts';
export { frontBlock, isOwnReasoning, piece, piecesOf, spanBlocks, systemBlocks, wireRole } from './lowering.ts';
export type { AnsweredFailure, CallPhase, SdkErrors } from './map-error.ts';
export { mapError } from './map-error.ts';
export type { BodyFields, ParameterNames } from './lowering.ts';
export { bodyEnd, bodyHeader, frozenParameters, wireParameters } from './lowering.ts';
export type { Service } from './service.ts';
export { refuse } from './service.ts';
export { countBody, fittingName, jsonString, membersOf, textHead } from './content.ts';
export { searchPrompt } from './search-prompt.ts';
