// The face of `model`: what a model is.

export type { Answer, StopReason, StreamPart } from './answer.ts';
export type { Block, Marker, Run, Section } from './block.ts';
export type { Capabilities, LostFrom, Price, PriceList } from './capabilities.ts';
export type { ProviderErrorClass, ProviderErrorCode, ProviderErrorData } from './errors.ts';
export { ProviderError } from './errors.ts';
export type { Hash, NewHash } from './hash.ts';
export type { AnswerPart, CallPart, ImagePart, NativePart, Part, ReasoningPart, ResultPart, TextPart } from './parts.ts';
export type {
  AbortSignalLike,
  BodyWriter,
  Encoder,
  Envelope,
  LoweredFront,
  Lowering,
  Materials,
  Outgoing,
  Provider,
} from './provider.ts';
export type {
  Front,
  JsonValue,
  Origin,
  RenderParameters,
  Role,
  Span,
  Stability,
  SystemText,
  ToolDefinition,
} from './span.ts';
export type { CacheWrite, Ttl, Usage } from './usage.ts';
export { inputTokens, writtenTokens } from './usage.ts';
