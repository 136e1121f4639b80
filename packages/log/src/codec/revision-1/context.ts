// Decoders of events that decide the content of requests. They do not change after the first release.

import { z } from 'zod';
import type {
  BlockQuarantined,
  BranchSummarized,
  CompactionRefused,
  ContextNoted,
  EpochForecast,
  EpochOpened,
  FrontEdit,
  FrontEntry,
  HistoryCompacted,
  HistoryPruned,
  LayerRecord,
  NotificationReceived,
  PaddingRecord,
  PressureCrossed,
  PromptGiven,
  PrunedResult,
  Range,
  ReasoningChanged,
  ReasoningSet,
  RoleChanged,
  SkillLoaded,
  ToolRecord,
  ToolsChanged,
} from '../../events/context.ts';
import type { SharedEntry } from '../../events/shared-entry.ts';
import type { Decoders, PayloadShape } from './decoder.ts';
import {
  decoder,
  digest,
  flag,
  json,
  jsonRecord,
  money,
  number,
  optional,
  position,
  sessionId,
  text,
  timestamp,
} from './decoder.ts';
import { contentParts, sequenceParameters, ttl } from './parts.ts';

const layer = z.object({
  name: text,
  revision: text,
  stability: z.enum(['global', 'project', 'session']),
  digest,
  bytes: number,
  tokens: number,
  sized: optional(z.enum(['estimated', 'recorded'])),
} satisfies PayloadShape<LayerRecord>);

const tool = z.object({ name: text, digest } satisfies PayloadShape<ToolRecord>);

const epochForecast = z.object({ rewrite: number, cost: optional(money) } satisfies PayloadShape<EpochForecast>);

const padding = z.object({
  setting: z.enum(['auto', 'always', 'never']),
  natural: number,
  padded: optional(number),
  floor: optional(number),
  others: optional(number),
  calls: optional(number),
  gain: optional(number),
  why: z.enum([
    'pays',
    'always',
    'never',
    'costs',
    'above-floor',
    'no-fit',
    'implicit',
    'uncached',
    'unknown-floor',
    'unknown-price',
  ]),
  skills: optional(z.array(text)),
} satisfies PayloadShape<PaddingRecord>);

/** Schema of a cache entry that ends in a front, as it is stored in `epoch.opened` and in the index of warm fronts. */
export const frontEntry: z.ZodType<FrontEntry> = z.object({
  section: z.enum(['tools', 'system']),
  block: number,
  prefix: digest,
  parameters: sequenceParameters,
  key: optional(text),
  account: optional(text),
  tokens: optional(number),
  ttl: optional(ttl),
  kept: optional(z.object({ idle: number, age: optional(number), born: timestamp })),
  at: timestamp,
} satisfies PayloadShape<FrontEntry>);

export const sharedEntry: z.ZodType<SharedEntry> = z.object({
  section: z.enum(['tools', 'system', 'messages']),
  block: number,
  of: number,
  images: optional(flag),
  prefix: digest,
  parameters: sequenceParameters,
  key: optional(text),
  account: optional(text),
  tokens: optional(number),
  ttl: optional(ttl),
  kept: optional(z.object({ idle: number, age: optional(number), born: timestamp })),
  at: timestamp,
} satisfies PayloadShape<SharedEntry>);

const epochCause = z.enum([
  'initial',
  'model',
  'reasoning',
  'parameters',
  'tools',
  'skills',
  'contract',
  'role',
  'compaction',
  'pruning',
  'quarantine',
]);

const frontEdit = z.object({ digest, tokens: number, begins: number } satisfies PayloadShape<FrontEdit>);

const epochOpened = z.object({
  number,
  cause: epochCause,
  also: optional(z.array(epochCause)),
  provider: text,
  model: text,
  parameters: jsonRecord,
  capabilities: digest,
  contract: text,
  layers: z.array(layer),
  tools: z.array(tool),
  toolSize: optional(z.object({ tokens: number, bytes: number })),
  skills: optional(digest),
  checkpoint: optional(position),
  prunings: optional(z.array(position)),
  quarantines: optional(z.array(position)),
  cacheKey: text,
  forecast: epochForecast,
  padding: optional(padding),
  cached: optional(z.array(frontEntry)),
  edits: optional(z.array(frontEdit)),
} satisfies PayloadShape<EpochOpened>);

const contextNoted = z.object({
  source: text,
  revision: text,
  cause: z.enum(['initial', 'changed', 'switched', 'invalidated', 'refreshed', 'compacted-away']),
  urgent: optional(flag),
  body: optional(text),
  artifact: optional(digest),
} satisfies PayloadShape<ContextNoted>);

const promptGiven = z.object({
  parts: contentParts,
  presenter: text,
  steer: optional(flag),
} satisfies PayloadShape<PromptGiven>);

const notificationReceived = z.object({
  source: text,
  body: text,
  provenance: text,
} satisfies PayloadShape<NotificationReceived>);

const toolsChanged = z.object({
  added: z.array(tool),
  removed: z.array(text),
  as: z.enum(['appended', 'queued']),
} satisfies PayloadShape<ToolsChanged>);

const reasoningChanged = z.object({
  parameter: optional(text),
  setting: text,
  as: z.enum(['appended', 'epoch']),
  scope: z.enum(['turn', 'lasting']),
} satisfies PayloadShape<ReasoningChanged>);

const reasoningSet = z.object({ parameters: jsonRecord } satisfies PayloadShape<ReasoningSet>);

const roleChanged = z.object({
  role: optional(digest),
  text,
  as: z.literal('appended'),
  rendering: optional(text),
} satisfies PayloadShape<RoleChanged>);

const skillLoaded = z.object({
  name: text,
  version: text,
  reason: z.enum(['always', 'on_demand', 'auto_suggested']),
  tokens: number,
  source: text,
  call: optional(text),
} satisfies PayloadShape<SkillLoaded>);

const range = z.object({ from: position, to: position } satisfies PayloadShape<Range>);

const strategy = z.enum(['deterministic', 'model-assisted', 'recorded']);

const historyCompacted = z.object({
  range,
  strategy,
  trigger: text,
  checkpoint: text,
  limitations: z.array(text),
  fields: optional(jsonRecord),
  keeps: optional(z.array(position)),
  shortens: optional(number),
  before: optional(number),
  after: optional(number),
  made: optional(json),
  fallback: optional(text),
} satisfies PayloadShape<HistoryCompacted>);

const compactionRefused = z.object({
  trigger: text,
  reason: text,
  sizes: z.record(text, number),
} satisfies PayloadShape<CompactionRefused>);

const tier = z.enum(['calm', 'advisory', 'warning', 'critical']);

const historyPruned = z.object({
  calls: z.array(text),
  results: optional(
    z.array(
      z.object({ position, kept: number, from: optional(z.literal('end')) } satisfies PayloadShape<PrunedResult>),
    ),
  ),
  freed: number,
  cost: optional(money),
  breakEven: optional(number),
  waits: optional(number),
  tier: optional(tier),
  cause: text,
} satisfies PayloadShape<HistoryPruned>);

const blockQuarantined = z.object({
  origin: z.object({ position, part: number }),
  reason: text,
  stub: text,
} satisfies PayloadShape<BlockQuarantined>);

const pressureCrossed = z.object({
  tier,
  ratio: number,
  limit: number,
  input: number,
  unit: optional(z.literal('bytes')),
  checkpoint: optional(position),
} satisfies PayloadShape<PressureCrossed>);

const branchSummarized = z.object({
  session: optional(sessionId),
  range,
  strategy,
  text,
  limitations: z.array(text),
} satisfies PayloadShape<BranchSummarized>);

type ContextKind =
  | 'epoch.opened'
  | 'context.noted'
  | 'prompt.given'
  | 'notification.received'
  | 'tools.changed'
  | 'reasoning.changed'
  | 'reasoning.set'
  | 'role.changed'
  | 'skill.loaded'
  | 'history.compacted'
  | 'compaction.refused'
  | 'history.pruned'
  | 'block.quarantined'
  | 'pressure.crossed'
  | 'branch.summarized';

export const contextDecoders: Pick<Decoders, ContextKind> = {
  'epoch.opened': decoder('epoch.opened', epochOpened),
  'context.noted': decoder('context.noted', contextNoted),
  'prompt.given': decoder('prompt.given', promptGiven),
  'notification.received': decoder('notification.received', notificationReceived),
  'tools.changed': decoder('tools.changed', toolsChanged),
  'reasoning.changed': decoder('reasoning.changed', reasoningChanged),
  'reasoning.set': decoder('reasoning.set', reasoningSet),
  'role.changed': decoder('role.changed', roleChanged),
  'skill.loaded': decoder('skill.loaded', skillLoaded),
  'history.compacted': decoder('history.compacted', historyCompacted),
  'compaction.refused': decoder('compaction.refused', compactionRefused),
  'history.pruned': decoder('history.pruned', historyPruned),
  'block.quarantined': decoder('block.quarantined', blockQuarantined),
  'pressure.crossed': decoder('pressure.crossed', pressureCrossed),
  'branch.summarized': decoder('branch.summarized', branchSummarized),
};
