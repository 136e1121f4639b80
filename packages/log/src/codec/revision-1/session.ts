// Decoders of events about the session itself. They do not change after the first release.

import { z } from 'zod';
import type {
  AgentChosen,
  ForeignRecorded,
  ImportedFrom,
  MemoryChanged,
  ModeChanged,
  Parent,
  ProcessEnded,
  ProcessStarted,
  PromptDenied,
  SessionCreated,
  StartedAgent,
  StartedBy,
  SubagentEnded,
  SubagentStarted,
  TurnBegan,
  TurnEnded,
  TurnTotals,
} from '../../events/session.ts';
import type { Decoders, PayloadShape } from './decoder.ts';
import {
  callId,
  chain,
  decoder,
  digest,
  flag,
  json,
  money,
  number,
  optional,
  position,
  sessionId,
  text,
} from './decoder.ts';

const parent = z.object({ session: sessionId, position, chain } satisfies PayloadShape<Parent>);

const startedBy = z.object({
  session: sessionId,
  call: callId,
  depth: number,
  agent: optional(text),
  model: optional(text),
} satisfies PayloadShape<StartedBy>);

const imported = z.object({
  format: text,
  source: text,
  digest: optional(digest),
  bytes: optional(number),
} satisfies PayloadShape<ImportedFrom>);

const sessionCreated = z.object({
  id: sessionId,
  root: sessionId,
  parent: optional(parent),
  startedBy: optional(startedBy),
  workspace: text,
  title: optional(text),
  imported: optional(imported),
  model: optional(text),
  provider: optional(text),
} satisfies PayloadShape<SessionCreated>);

const turnBegan = z.object({
  trigger: z.enum(['user', 'notification', 'subagent', 'schedule']),
  compaction: optional(z.enum(['manual', 'preflight', 'auto'])),
} satisfies PayloadShape<TurnBegan>);

const turnError = z.object({
  code: text,
  message: text,
  next: text,
} satisfies PayloadShape<NonNullable<TurnEnded['error']>>);

const turnTotals = z.object({
  steps: number,
  calls: number,
  input: optional(number),
  output: optional(number),
  cost: optional(money),
  taken: optional(z.object({ tokens: optional(number), cost: optional(money) })),
} satisfies PayloadShape<TurnTotals>);

const turnEnded = z.object({
  outcome: z.enum(['completed', 'failed', 'interrupted', 'limited']),
  error: optional(turnError),
  totals: optional(turnTotals),
} satisfies PayloadShape<TurnEnded>);

const promptDenied = z.object({
  by: z.literal('hook'),
  rule: text,
  reason: text,
  presenter: text,
  steer: optional(flag),
} satisfies PayloadShape<PromptDenied>);

const modeChanged = z.object({
  mode: z.enum(['read-only', 'ask', 'accept-edits', 'auto']),
  by: z.enum(['user', 'settings']),
} satisfies PayloadShape<ModeChanged>);

const chosen = { name: text, version: text, role: text, tools: optional(z.array(text)) };

const agentChosen = z.object({ ...chosen, as: optional(z.literal('note')) } satisfies PayloadShape<AgentChosen>);

const startedAgent = z.object({ ...chosen, effort: optional(text) } satisfies PayloadShape<StartedAgent>);

const foreignRecorded = z.object({
  format: text,
  line: number,
  record: json,
  reason: optional(text),
} satisfies PayloadShape<ForeignRecorded>);

const memoryChanged = z.object({
  file: text,
  operation: z.enum(['add', 'replace', 'consolidate']),
  before: optional(digest),
  after: digest,
  bytes: number,
} satisfies PayloadShape<MemoryChanged>);

const subagentStarted = z.object({
  child: sessionId,
  role: text,
  task: text,
  call: optional(callId),
  agent: optional(startedAgent),
  model: optional(text),
  provider: optional(text),
} satisfies PayloadShape<SubagentStarted>);

const subagentEnded = z.object({
  child: sessionId,
  status: z.enum(['completed', 'failed', 'interrupted', 'limited']),
  summary: text,
  cost: optional(text),
  totals: optional(turnTotals),
} satisfies PayloadShape<SubagentEnded>);

const processStarted = z.object({
  process: text,
  command: text,
  call: optional(callId),
} satisfies PayloadShape<ProcessStarted>);

const processEnded = z.object({
  process: text,
  exit: optional(number),
  signal: optional(text),
  by: z.enum(['itself', 'model', 'user', 'session', 'lost']),
} satisfies PayloadShape<ProcessEnded>);

type SessionKind =
  | 'session.created'
  | 'turn.started'
  | 'turn.resumed'
  | 'turn.ended'
  | 'prompt.denied'
  | 'mode.changed'
  | 'agent.chosen'
  | 'foreign.recorded'
  | 'memory.changed'
  | 'subagent.started'
  | 'subagent.ended'
  | 'process.started'
  | 'process.ended';

export const sessionDecoders: Pick<Decoders, SessionKind> = {
  'session.created': decoder('session.created', sessionCreated),
  'turn.started': decoder('turn.started', turnBegan),
  'turn.resumed': decoder('turn.resumed', turnBegan),
  'turn.ended': decoder('turn.ended', turnEnded),
  'prompt.denied': decoder('prompt.denied', promptDenied),
  'mode.changed': decoder('mode.changed', modeChanged),
  'agent.chosen': decoder('agent.chosen', agentChosen),
  'foreign.recorded': decoder('foreign.recorded', foreignRecorded),
  'memory.changed': decoder('memory.changed', memoryChanged),
  'subagent.started': decoder('subagent.started', subagentStarted),
  'subagent.ended': decoder('subagent.ended', subagentEnded),
  'process.started': decoder('process.started', processStarted),
  'process.ended': decoder('process.ended', processEnded),
};
