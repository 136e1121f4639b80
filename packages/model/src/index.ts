// Public exports of the `model` package: the provider port, and the types and data that describe a model.

export type {
  AbortSignalLike,
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
} from '@tidemark/core';
export type { Answer, Diagnosis, StreamPart, Transport } from './answer.ts';
export { isBlank } from './text.ts';
export type { Block, Marker, BlockRun, Section } from './block.ts';
export { canonicalText, parseJson } from '@tidemark/core';
export type { Capabilities, ImplicitCache, LostFrom, Price, PriceList } from './capabilities.ts';
export type { Catalog, CatalogErrorCode, CatalogIssue } from './catalog.ts';
export { CatalogError } from './catalog.ts';
export { defaultCatalog } from './default-catalog.ts';
export type { ProviderErrorClass, ProviderErrorCode, ProviderErrorData, RefusedPlace } from './errors.ts';
export { ProviderError } from './errors.ts';
export type { NearestModel } from './find-model.ts';
export { effortProblem, effortsOf } from './efforts.ts';
export { findModel, nearestModel } from './find-model.ts';
export { graphemeAt, graphemesOf } from './text.ts';
export type { Hash, NewHash } from './hash.ts';
export type { ImageKind } from './image-kind.ts';
export { imageKind } from './image-kind.ts';
export type { ImageInput, ImageSize, PatchCount, TileCount } from './image-input.ts';
export { imageTokens, SENT_SIDE, sentSize } from './image-input.ts';
export type { ClaudeName } from './find-model.ts';
export type { NamedParameters } from './render-parameters.ts';
export { idleParameters, nameParameters, renameParameters } from './render-parameters.ts';
export { normalModelName, readClaudeName, undatedModelName } from './find-model.ts';
export { parseCatalog, withOverrides } from './parse-catalog.ts';
export type {
  AddedTool,
  BoundReasoningPart,
  ChangePart,
  Part,
  ReasoningChange,
  ResultPart,
  RoleChange,
  ToolsChange,
} from './parts.ts';
export type { Cost } from './prices.ts';
export { costAtMost, costOf, multiplier, priceAt, sumOfMoney } from './prices.ts';
export type {
  Answered,
  BodyWriter,
  Continuation,
  Encoder,
  Envelope,
  LoweredFront,
  Lowering,
  Materials,
  Outgoing,
  Provider,
} from './provider.ts';
export type { FoundPage, ProviderSearch, ProviderSearchAnswer } from './provider-search.ts';
export type { Front, JsonValue, Origin, Role, Span, Stability, SystemText, FrontToolDefinition } from './span.ts';
export type { UnlistedModel } from './unlisted-model.ts';
export { unlistedModel } from './unlisted-model.ts';
export type { CallFacts } from './prices.ts';
export { allWritten, cachedTokens, completeUsage, inputTokens, outputTokens, writtenTokens } from './prices.ts';
export {
  findAmong,
  modelNamed,
  readShortClaudeName,
  rowOfShortName,
  rowsOfProvider,
  rowsWithWords,
  wordsOfModelName,
} from './short-names.ts';
