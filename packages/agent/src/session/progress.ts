// Progress of the work, folded from the log record by record: calls that began, usage of the turn, known files and
// outputs, and recorded notes. It is separate from the context that a model sees. It is derived from the log and
// discarded with the process (L9).

import { KEEP_WARM } from '@tidemark/context';
import type {
  AgentChosen,
  AnswerPart,
  AnswerReceived,
  CallId,
  ContentPart,
  EffectClass,
  Granted,
  Money,
  PermissionDecided,
  Recorded,
  RecordedOf,
  RenderParameters,
  SessionId,
  SkillLoaded,
  StartedBy,
  SubagentEnded,
  TurnTotals,
  SubagentStarted,
  TurnBegan,
  TurnEnded,
  TurnId,
} from '@tidemark/log';
import { money } from '@tidemark/log';
import { sumOfMoney } from '@tidemark/model';
import { PROCESSES } from '../ports/background-process.ts';
import type { Mode } from '../ports/permissions.ts';
import type { SkillLoad } from './loaded-skills.ts';
import { leavesWhole, unitsOf } from './loaded-skills.ts';
import type { ProcessProgress } from './process-progress.ts';
import { forgetEnded, loseProcesses, takeProcess } from './process-progress.ts';
import type { KnownFiles } from './known-files.ts';
import { noFiles, takeFiles } from './known-files.ts';
import type { CompactionAttempts, Spent, SpentCall } from './spent.ts';
import {
  chargeTotals,
  NOTHING_SPENT,
  NOTHING_TRIED,
  spend,
  spendTotals,
  takeAnswer,
  takeCompaction,
  trySince,
} from './spent.ts';

/** Source name of notifications that the runtime itself sends. */
export const RUNTIME = 'runtime';

/** Progress of the work in a session, derived from the log (L9). */
export interface Progress extends CompactionAttempts, ProcessProgress, KnownFiles {
  mode: Mode | undefined;
  /** The open turn. If no turn is open, the last turn. */
  turn: TurnProgress | undefined;
  /** Calls that have started and not ended. */
  readonly startedCalls: Map<CallId, EffectClass>;
  /** Number of times that the current step was sent. */
  stepAttempts: number;
  /** Attempts of the current step for the retry policy. 0 when a turn begins or is resumed, and after a repair. */
  retryAttempts: number;
  /** Number of repairs in the current step. A repair quarantines the content that a provider refused. */
  stepRepairs: number;
  /** Last request of the main stream in this turn, with its answer. */
  lastRequest: MainRequest | undefined;
  /** Position of the last prompt or notification. */
  lastInputPosition: number;
  /** Position of the last notification that the runtime itself sent to the model. */
  lastRuntimeMessagePosition: number;
  /** Number of consecutive answers that stopped at the output limit. */
  outputLimitStops: number;
  readonly lastNotes: Map<string, SourceNote>;
  /** Digests of the outputs, notes and attachments whose whole text was stored as an artifact. */
  readonly knownOutputs: Set<string>;
  /** Skills whose complete bodies are in the tail, in the order in which they were loaded. */
  loadedSkills: readonly SkillLoad[];
  /** Names of the skills recorded as preloaded. */
  readonly preloadedSkills: Set<string>;
  /** Render parameters that `setReasoning` set for the session. */
  reasoningParameters: RenderParameters;
  /** Grants that a person gave for the rest of this session. */
  sessionGrants: readonly Granted[];
  /** Own agent that was chosen for the session. */
  agent?: AgentChosen;
  /**
   * Known cost of all calls of the session in US dollars. `warmingCost` is the part of this cost for keeping the cache
   * warm.
   */
  sessionCost: Money;
  warmingCost: Money;
  /** For a subagent: the session and the call that started it. */
  startedBy: StartedBy | undefined;
  /** Subagents that have started and not ended, by session id. */
  readonly openSubagents: Map<SessionId, Subagent>;
  subagentsStarted: number;
  /** Stream of the last call that was sent to keep the cache warm. */
  warmingStream: string | undefined;
}

/** A subagent as its parent's log records it. */
export type Subagent = SubagentStarted;

export interface SourceNote {
  readonly revision: string;
  readonly position: number;
  /** Position of the last complete note. A note with the cause `changed` may contain only the changes. */
  readonly whole: number;
}

export interface TurnProgress {
  readonly id: TurnId | undefined;
  readonly spent: Spent;
  readonly ended: TurnEnded | undefined;
  /** Text of the last answer. */
  readonly text: string;
  /** Compaction policy that was chosen for the turn. */
  readonly compaction: TurnBegan['compaction'];
}

export interface MainRequest {
  readonly position: number;
  /** Finished answer. Absent while the answer is pending. Also absent if the answer failed or was cut off. */
  readonly answer: AnswerReceived | undefined;
  /** Position of the answer, or -1 without an answer. */
  readonly answeredAt: number;
}

/** Returns the progress of an empty log. */
export function emptyProgress(): Progress {
  return {
    mode: undefined,
    turn: undefined,
    startedCalls: new Map(),
    stepAttempts: 0,
    retryAttempts: 0,
    stepRepairs: 0,
    lastRequest: undefined,
    lastInputPosition: -1,
    lastRuntimeMessagePosition: -1,
    outputLimitStops: 0,
    ...NOTHING_TRIED,
    lastNotes: new Map(),
    ...noFiles(),
    knownOutputs: new Set(),
    loadedSkills: [],
    preloadedSkills: new Set(),
    reasoningParameters: {},
    sessionGrants: [],
    sessionCost: money('0'),
    warmingCost: money('0'),
    startedBy: undefined,
    openSubagents: new Map(),
    subagentsStarted: 0,
    processes: new Map(),
    lastProcess: 0,
    warmingStream: undefined,
  };
}

/** Applies one more record to the progress. Many kinds of record change nothing. */
export function advance(progress: Progress, record: Recorded): void {
  switch (record.kind) {
    case 'session.created':
      startSession(progress, record.data.startedBy);
      return;
    case 'permission.decided':
      takeGrant(progress, record.data);
      return;
    case 'mode.changed':
      progress.mode = record.data.mode;
      return;
    case 'reasoning.set':
      progress.reasoningParameters = { ...progress.reasoningParameters, ...record.data.parameters };
      return;
    case 'turn.started':
      beginAnew(progress, record.turn, record.data.compaction);
      return;
    case 'turn.resumed':
      resumeTurn(progress, record);
      return;
    case 'prompt.given':
      progress.lastInputPosition = record.position;
      trySince(progress);
      addAttachments(progress, record.data.parts);
      return;
    case 'notification.received':
      progress.lastInputPosition = record.position;
      trySince(progress);
      if (record.data.source === RUNTIME) progress.lastRuntimeMessagePosition = record.position;
      return;
    case 'turn.ended':
      if (progress.turn !== undefined) progress.turn = { ...progress.turn, ended: record.data };
      return;
    case 'history.compacted':
      takeCompaction(progress, record.data);
      // The next request applies the compaction, so the bodies that it drops no longer count.
      progress.loadedSkills = progress.loadedSkills.filter((load) => leavesWhole(record.data, load));
      return;
    case 'compaction.refused':
      progress.compactionRefusals += record.data.trigger === 'manual' ? 0 : 1;
      return;
    case 'context.noted':
      note(progress, record);
      return;
    case 'skill.loaded':
      takeSkill(progress, record.data, record.position);
      return;
    case 'process.started':
    case 'process.ended':
      takeProcess(progress, record);
      return;
    default:
      advanceOther(progress, record);
  }
}

/** Adds a grant for the session. A grant for the project is read from its store each time. */
function takeGrant(progress: Progress, { always, kept }: PermissionDecided): void {
  if (always !== undefined && kept === undefined) progress.sessionGrants = [...progress.sessionGrants, always];
}

/**
 * Begins a session or a fork. A fork inherits neither the subagents, the processes nor the session grants of its
 * parent.
 */
function startSession(progress: Progress, startedBy: StartedBy | undefined): void {
  progress.startedBy = startedBy;
  progress.openSubagents.clear();
  progress.subagentsStarted = 0;
  progress.sessionGrants = [];
  loseProcesses(progress);
}

function subagentEnded(progress: Progress, { child, totals }: SubagentEnded): void {
  if (progress.openSubagents.delete(child)) spendOn(progress, totals);
}

function spendOn(progress: Progress, totals: TurnTotals | undefined): void {
  const { turn } = progress;
  if (turn !== undefined) progress.turn = { ...turn, spent: spendTotals(turn.spent, totals) };
}

function note({ lastNotes, knownOutputs, processes }: Progress, { position, data }: RecordedOf<'context.noted'>): void {
  const { source, revision, cause, artifact } = data;
  const whole = cause === 'changed' ? (lastNotes.get(source)?.whole ?? position) : position;
  lastNotes.set(source, { revision, position, whole });
  if (artifact !== undefined) knownOutputs.add(artifact);
  if (source === PROCESSES) forgetEnded(processes);
}

/** Registers the full text of a shortened attachment, so that it can be read like the output of a call. */
function addAttachments({ knownOutputs }: Progress, parts: readonly ContentPart[]): void {
  for (const part of parts) if (part.type === 'file' && part.artifact !== undefined) knownOutputs.add(part.artifact);
}

const NEW_TURN: TurnProgress = {
  id: undefined,
  spent: NOTHING_SPENT,
  ended: undefined,
  text: '',
  compaction: undefined,
};

/**
 * Resumes a turn. A turn that was cut off keeps the tokens and cost used so far. A turn that had ended starts from
 * zero. If the record contains a compaction policy, it is used. Otherwise the turn keeps its own policy.
 */
function resumeTurn(progress: Progress, { turn: id, data }: RecordedOf<'turn.resumed'>): void {
  const { turn = NEW_TURN } = progress;
  const { compaction = turn.compaction } = data;
  if (turn.ended !== undefined) beginAnew(progress, id, compaction);
  else progress.turn = { ...turn, id, compaction };
}

function beginAnew(progress: Progress, id: TurnId | undefined, compaction: TurnBegan['compaction']): void {
  progress.turn = { ...NEW_TURN, id, compaction };
  progress.lastRequest = undefined;
  progress.retryAttempts = 0;
  progress.stepRepairs = 0;
  progress.outputLimitStops = 0;
}

function advanceOther(progress: Progress, record: Recorded): void {
  switch (record.kind) {
    case 'agent.chosen':
      progress.agent = record.data;
      return;
    case 'subagent.started':
      progress.openSubagents.set(record.data.child, record.data);
      progress.subagentsStarted += 1;
      return;
    case 'subagent.ended':
      subagentEnded(progress, record.data);
      return;
    case 'request.prepared':
      if (record.data.stream === 'main') countRequest(progress, record.position);
      if (record.data.purpose === KEEP_WARM) progress.warmingStream = record.data.stream;
      return;
    case 'block.quarantined':
      countRepair(progress);
      return;
    case 'answer.received':
      if (record.data.stream === 'main') takeMainAnswer(progress, record.data, record.position);
      take(progress, record.data, record.data.stream === 'main' ? 1 : 0);
      pay(progress, record.data);
      return;
    case 'answer.interrupted':
      if (record.data.by !== 'transport' && record.data.stream === 'main') endStep(progress, record.data.parts);
      take(progress, record.data, 0);
      pay(progress, record.data);
      return;
    case 'answer.failed':
      if (record.data.usage !== undefined) take(progress, { usage: record.data.usage }, 0);
      return;
    case 'tool.started':
      progress.startedCalls.set(record.data.call, record.data.effect);
      return;
    case 'tool.returned':
    case 'tool.failed':
      progress.compactionRefusals = 0;
      if (progress.startedCalls.has(record.data.call)) countStartedCall(progress);
      progress.startedCalls.delete(record.data.call);
      if (record.data.output !== undefined) progress.knownOutputs.add(record.data.output);
      progress.lastResultUnits = unitsOf(record.data.parts);
      takeFiles(progress, record);
      return;
    case 'tool.abandoned':
      progress.startedCalls.delete(record.data.call);
      return;
    case 'tool.charged':
      spendOn(progress, chargeTotals(record.data));
      return;
    default:
  }
}

function countRequest(progress: Progress, position: number): void {
  progress.stepAttempts += 1;
  progress.retryAttempts += 1;
  progress.lastRequest = { position, answer: undefined, answeredAt: -1 };
}

/**
 * Counts a repair. All parts that are quarantined after one refusal count as one repair. Afterwards the retry policy
 * counts the attempts of the step from 0 again.
 */
function countRepair(progress: Progress): void {
  if (progress.retryAttempts > 0) progress.stepRepairs += 1;
  progress.retryAttempts = 0;
}

function takeMainAnswer(progress: Progress, answer: AnswerReceived, position: number): void {
  progress.lastRequest = { position: answer.request ?? position, answer, answeredAt: position };
  progress.lastAnswerPosition = position;
  progress.outputLimitStops = answer.stop === 'length' ? progress.outputLimitStops + 1 : 0;
  takeAnswer(progress, answer);
  endStep(progress, answer.parts);
}

function endStep(progress: Progress, parts: readonly AnswerPart[]): void {
  progress.stepAttempts = 0;
  progress.retryAttempts = 0;
  progress.stepRepairs = 0;
  progress.compactionRefusals = 0;
  progress.recoveryCompactions = 0;
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  if (progress.turn !== undefined) progress.turn = { ...progress.turn, text };
}

function take(progress: Progress, call: SpentCall, steps: number): void {
  const { turn } = progress;
  if (turn === undefined) return;
  progress.turn = { ...turn, spent: spend(turn.spent, call, steps) };
}

function pay(progress: Progress, { stream, cost }: Pick<AnswerReceived, 'stream' | 'cost'>): void {
  if (cost === undefined) return;
  progress.sessionCost = money(sumOfMoney([progress.sessionCost, cost]));
  if (stream === progress.warmingStream) progress.warmingCost = money(sumOfMoney([progress.warmingCost, cost]));
}

function countStartedCall(progress: Progress): void {
  const { turn } = progress;
  if (turn !== undefined) progress.turn = { ...turn, spent: { ...turn.spent, calls: turn.spent.calls + 1 } };
}

function takeSkill(progress: Progress, { name, version, tokens, reason, call }: SkillLoaded, position: number): void {
  // A preloaded body is in the front, not in the tail, so it is not counted as a loaded skill. Only its name is kept.
  if (reason === 'always') return void progress.preloadedSkills.add(name);
  const at = call === undefined ? position : (progress.lastRequest?.answeredAt ?? position);
  const load = { name, version, tokens, at, ...(call !== undefined && { units: progress.lastResultUnits }) };
  progress.loadedSkills = [...progress.loadedSkills, load];
}
