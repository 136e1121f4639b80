// The face of `provider-openai-wire`: what speaks OpenAI's wire, whoever listens.

export type { AnswerDecoder, Decoding } from './decode/decoding.ts';
export { sortFailure } from './decode/failure.ts';
export type { AnswerReading } from './decode/stream.ts';
export { completionDecoder } from './decode/stream.ts';
export type { WireCount, CountedCall, Counts } from './decode/usage.ts';
export { decodeUsage } from './decode/usage.ts';
export { callPiece, RESULT_PREFIX } from './encode/call.ts';
export { chatForm, PART_PREFIX } from './encode/chat-form.ts';
export { imageStub, wireImage } from './encode/image.ts';
export type { BodyFields, ParameterNames } from './encode/parameters.ts';
export { bodyEnd, bodyHeader, frozenParameters, wireParameters } from './encode/parameters.ts';
export type { BlockPiece } from './encode/piece.ts';
export { chatBlocks, frontBlock, piece, piecesOf, spanBlocks, systemBlocks, wireRole } from './encode/piece.ts';
export { resultContents, resultWords } from './encode/result-text.ts';
export { functionMembers } from './encode/tool.ts';
export { wireId, wireName } from './encode/wire-names.ts';
export { insideString, jsonString } from './encode/wire-text.ts';
export { isReasoning } from './model-generation.ts';
export type { ProviderConnection } from './socket/connection.ts';
export { NotReached } from './socket/not-reached.ts';
export type { ProviderSocket, SocketOptions } from './socket/socket.ts';
export { openSocket } from './socket/socket.ts';
