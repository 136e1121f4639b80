// Decoders of events about calls to a model and to tools. They do not change after the first release.

import { z } from 'zod';
import type {
  AnswerFailed,
  AnswerInterrupted,
  AnswerReceived,
  BilledIn,
  CallForecast,
  ContinuationRecord,
  DiagnosisRecord,
  EstimatedUse,
  KeptPlace,
  KeptRecord,
  MarkerRecord,
  Miss,
  RequestPrepared,
  SequenceRecord,
  SizeForecast,
} from '../../events/call.ts';
import type {
  FileTouch,
  Granted,
  PermissionDecided,
  Shaping,
  ToolAbandoned,
  ToolCharged,
  ToolEnded,
  ToolStarted,
} from '../../events/tool.ts';
import { sharedEntry } from './context.ts';
import type { Decoders, PayloadShape } from './decoder.ts';
import {
  callId,
  decoder,
  digest,
  fileState,
  flag,
  jsonRecord,
  money,
  number,
  optional,
  position,
  sessionId,
  text,
} from './decoder.ts';
import { answerParts, contentParts, sequenceParameters, ttl, usage } from './parts.ts';

const marker = z.object({ block: number, ttl, prefix: digest } satisfies PayloadShape<MarkerRecord>);

const keptPlace = z.object({
  block: number,
  prefix: digest,
  found: optional(z.literal(true)),
} satisfies PayloadShape<KeptPlace>);

const keptSchema = z.object({
  key: optional(text),
  idle: number,
  age: optional(number),
  grid: optional(z.object({ first: number, step: number })),
  places: z.array(keptPlace),
} satisfies PayloadShape<KeptRecord>);

const forecast = z.object({
  read: number,
  write: number,
  fresh: number,
  unsent: number,
  reads: optional(number),
  cost: optional(money),
  error: optional(number),
  caching: optional(z.literal('unknown')),
} satisfies PayloadShape<CallForecast>);

const size = z.object({
  input: number,
  measured: number,
  appended: number,
  whole: optional(number),
  since: optional(number),
  media: optional(number),
  error: optional(number),
} satisfies PayloadShape<SizeForecast>);

const sequence = z.object({
  parameters: sequenceParameters,
  blocks: number,
  digest,
} satisfies PayloadShape<SequenceRecord>);

const counts = z.object({
  tools: number,
  system: number,
  messages: number,
} satisfies PayloadShape<RequestPrepared['counts']>);

const continuation = z.object({
  response: text,
  from: number,
  digest,
  bytes: number,
} satisfies PayloadShape<ContinuationRecord>);

const requestPrepared = z.object({
  step: number,
  attempt: number,
  stream: text,
  purpose: text,
  epoch: number,
  encoder: text,
  rendering: optional(text),
  digest,
  bytes: number,
  relation: z.enum(['opens', 'inherits', 'extends']),
  sequence,
  extra: optional(contentParts),
  history: optional(z.literal('none')),
  markers: z.array(marker),
  kept: optional(keptSchema),
  outputLimit: number,
  envelope: jsonRecord,
  responseIds: optional(z.array(text)),
  betas: optional(z.array(text)),
  counts,
  forecast,
  size: optional(size),
  mediaBytes: optional(number),
  account: optional(text),
  continuation: optional(continuation),
  cached: optional(sharedEntry),
} satisfies PayloadShape<RequestPrepared>);

const transport = z.object({
  kind: text,
  continuation: optional(flag),
  reset: optional(text),
  fallback: optional(text),
} satisfies PayloadShape<NonNullable<AnswerReceived['transport']>>);

const missCause = z.enum([
  'expired',
  'evicted',
  'below-floor',
  'lookback',
  'racing',
  'overflow-routing',
  'image',
  'thinking-stripped',
  'parameter',
  'account',
  'opened',
  'unknown',
]);

const miss = z.object({
  cause: missCause,
  also: optional(z.array(missCause)),
  tokens: number,
  cost: optional(money),
} satisfies PayloadShape<Miss>);

const diagnosis = z.object({
  found: z.enum(['same', 'hit', 'miss', 'pending', 'unknown-response', 'unavailable']),
  reason: optional(text),
  missed: optional(number),
} satisfies PayloadShape<DiagnosisRecord>);

const billed = z.object({ session: sessionId, position, usage } satisfies PayloadShape<BilledIn>);

const estimated = z.object({
  input: optional(number),
  output: optional(number),
  cost: optional(money),
} satisfies PayloadShape<EstimatedUse>);

const answerReceived = z.object({
  step: number,
  stream: text,
  request: optional(position),
  provider: text,
  model: text,
  contract: optional(text),
  parts: answerParts,
  stop: z.enum(['end', 'calls', 'length', 'sequence', 'pause', 'refusal', 'window', 'other']),
  stopRaw: optional(text),
  response: optional(text),
  truncated: z.enum(['yes', 'no', 'unknown']),
  usage,
  billed: optional(billed),
  startedAt: optional(text),
  prices: optional(text),
  cost: optional(money),
  costAtMost: optional(money),
  estimated: optional(estimated),
  transport: optional(transport),
  forecast: optional(forecast),
  miss: optional(miss),
  diagnosis: optional(diagnosis),
} satisfies PayloadShape<AnswerReceived>);

const answerFailed = z.object({
  step: number,
  stream: text,
  request: optional(position),
  class: z.enum(['retryable', 'compaction', 'refused', 'stop']),
  code: text,
  message: text,
  retry: optional(flag),
  usage: optional(usage),
  startedAt: optional(text),
} satisfies PayloadShape<AnswerFailed>);

const answerInterrupted = z.object({
  step: number,
  stream: text,
  request: optional(position),
  by: z.enum(['user', 'limit', 'transport']),
  limit: optional(z.literal('time')),
  provider: text,
  model: text,
  parts: answerParts,
  usage: optional(usage),
  billed: optional(billed),
  prices: optional(text),
  cost: optional(money),
  costAtMost: optional(money),
  estimated: optional(estimated),
  startedAt: optional(text),
  message: optional(text),
} satisfies PayloadShape<AnswerInterrupted>);

const toolStarted = z.object({
  call: callId,
  name: text,
  effect: z.enum(['none', 'read', 'write', 'execute', 'network']),
} satisfies PayloadShape<ToolStarted>);

const shaping = z.object({
  by: text,
  kept: number,
  total: number,
  unit: z.enum(['bytes', 'lines', 'characters']),
} satisfies PayloadShape<Shaping>);

const fileTouch = z.object({
  path: text,
  digest: optional(digest),
  as: z.enum(['read', 'written', 'removed']),
  before: optional(fileState),
  shows: optional(z.union([z.enum(['change', 'other-form']), z.object({ from: number, to: number, of: number })])),
} satisfies PayloadShape<FileTouch>);

const toolEnded = z.object({
  call: callId,
  parts: contentParts,
  output: optional(digest),
  shaping: optional(shaping),
  exit: optional(number),
  durationMs: optional(number),
  files: optional(z.array(fileTouch)),
} satisfies PayloadShape<ToolEnded>);

const toolAbandoned = z.object({
  call: callId,
  reason: z.enum(['interrupted', 'unstarted', 'crashed', 'denied', 'unavailable', 'cut']),
} satisfies PayloadShape<ToolAbandoned>);

const granted: z.ZodType<Granted> = z.object({
  tool: text,
  commands: optional(z.array(z.array(text))),
  patterns: optional(z.array(text)),
  scripts: optional(z.array(z.object({ text, unsandboxed: optional(z.literal(true)) }))),
  paths: optional(z.array(text)),
  folders: optional(z.array(text)),
  hosts: optional(z.array(text)),
} satisfies PayloadShape<Granted>);

const permissionDecided = z.object({
  call: callId,
  decision: z.enum(['allowed', 'denied']),
  by: z.enum(['rule', 'person', 'hook']),
  rule: optional(text),
  always: optional(granted),
  kept: optional(z.literal('project')),
  shown: optional(digest),
} satisfies PayloadShape<PermissionDecided>);

const toolCharged = z.object({
  call: callId,
  service: text,
  requests: number,
  model: optional(text),
  usage: optional(usage),
  cost: optional(money),
} satisfies PayloadShape<ToolCharged>);

type CallKind =
  | 'request.prepared'
  | 'answer.received'
  | 'answer.failed'
  | 'answer.interrupted'
  | 'tool.started'
  | 'tool.returned'
  | 'tool.failed'
  | 'tool.abandoned'
  | 'tool.charged'
  | 'permission.decided';

export const callDecoders: Pick<Decoders, CallKind> = {
  'request.prepared': decoder('request.prepared', requestPrepared),
  'answer.received': decoder('answer.received', answerReceived),
  'answer.failed': decoder('answer.failed', answerFailed),
  'answer.interrupted': decoder('answer.interrupted', answerInterrupted),
  'tool.started': decoder('tool.started', toolStarted),
  'tool.returned': decoder('tool.returned', toolEnded),
  'tool.failed': decoder('tool.failed', toolEnded),
  'tool.abandoned': decoder('tool.abandoned', toolAbandoned),
  'tool.charged': decoder('tool.charged', toolCharged),
  'permission.decided': decoder('permission.decided', permissionDecided),
};
