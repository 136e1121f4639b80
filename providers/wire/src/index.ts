// The face of `provider-wire`: what every provider over HTTP needs.

export { accountName } from './account-name.ts';
export type { AddressReach } from './address.ts';
export { connectionError, createReach, providerErrorIn, redirected, requireAddress } from './address.ts';
export type { AnswerLimits } from './answer-limits.ts';
export { answerLimits, oversized, requireFewParts } from './answer-limits.ts';
export type { BodyForm } from './body-form.ts';
export { boundAnswer } from './bounded-body.ts';
export { boundFetch } from './bounded-fetch.ts';
export { joinBody } from './body-writer.ts';
export { aborted, closed, cut, malformed, parseJson, readAs, silent } from './broken-call.ts';
export type { ImageStub, SendableImage, ToolForm } from './content.ts';
export { imageStub, readImage, toolMembers } from './content.ts';
export type { FailureCode } from './failed-call.ts';
export { CODE_OF_STATUS, failedCall } from './failed-call.ts';
export type {
  AnswerDecoder,
  Bridge,
  Decoding,
  HttpClient,
  HttpClientOptions,
  SdkClient,
  SdkRequest,
  SdkSetup,
} from './http-client.ts';
export { bridgeAbort, openHttpClient, wholeAsStream, within } from './http-client.ts';
export { locateBlocks } from './locate.ts';
export type { BlockPiece, PlacedBlockPiece } from './lowering.ts';
export { frontBlock, isOwnReasoning, piece, piecesOf, spanBlocks, systemBlocks, wireRole } from './lowering.ts';
export type { AnsweredFailure, CallPhase, SdkError, SdkErrors } from './map-error.ts';
export { mapError } from './map-error.ts';
export type { BodyFields, ParameterNames } from './parameters.ts';
export { bodyEnd, bodyHeader, frozenParameters, wireParameters } from './parameters.ts';
export type { PartMeter } from './part-meter.ts';
export { createPartMeter } from './part-meter.ts';
export { retryAfter } from './retry-after.ts';
export type { Service } from './service.ts';
export { refuse } from './service.ts';
export { MOST_TOKENS } from './token-count.ts';
export { countBody, fittingName, jsonString, membersOf, textHead } from './wire-text.ts';
