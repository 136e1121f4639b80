// What the log says about the work itself, beside what a model sees: which calls began, what the turn has taken, which
// files and outputs are known, what was noted. Folded from records as they come; derived, thrown away with the process (L9).

import { KEEP_WARM } from '@tidemark/context';
import type {
  AnswerPart,
  AnswerReceived,
  CallId,
  ContentPart,
  EffectClass,
  FileTouch,
  Granted,
  HistoryCompacted,
  Money,
  PermissionDecided,
  Recorded,
  RecordedOf,
  RenderParameters,
  SessionId,
  SkillLoaded,
  StartedBy,
  SubagentEnded,
  SubagentStarted,
  TurnBegan,
  TurnEnded,
  TurnId,
} from '@tidemark/log';
import { money } from '@tidemark/log';
import { sumOfMoney } from '@tidemark/model';
import type { Mode } from '../ports/permissions.ts';
import type { CompactionAttempts, Spent, SpentCall } from './spent.ts';
import { NOTHING_SPENT, NOTHING_TRIED, spend, spendTotals, takeAnswer, takeCompaction, trySince } from './spent.ts';

/** The source of a notification that the runtime itself gives. */
export const RUNTIME = 'runtime';

/** The state of the work itself. It is derived from the log (L9). */
export interface Progress extends CompactionAttempts {
  mode: Mode | undefined;
  /** The turn that is open, or ended last. */
  turn: TurnProgress | undefined;
  /** Calls that began to run and have not ended. */
  readonly startedCalls: Map<CallId, EffectClass>;
  /** How often the step at hand was sent. */
  stepAttempts: number;
  /** The same, as the retry policy counts: a turn that begins, or goes on after its end, begins anew. */
  retryAttempts: number;
  /** How often something of the step at hand was put aside because a provider refused it. */
  stepRepairs: number;
  /** The last request of the main stream in this turn, and what it came to. */
  lastRequest: MainRequest | undefined;
  /** Where the last prompt or notification stands. */
  lastInputPosition: number;
  /** Where the runtime itself last told the model something. */
  lastRuntimeMessagePosition: number;
  /** Answers in a row that stopped at the output limit. */
  outputLimitStops: number;
  /** The last note of each source. */
  readonly lastNotes: Map<string, SourceNote>;
  readonly knownFiles: Map<string, FileTouch>;
  /** Digests of outputs that this log names. */
  readonly knownOutputs: Set<string>;
  /** Bodies of skills that stand in the tail whole, in the order in which they were brought there. */
  loadedSkills: readonly SkillLoad[];
  /** UTF-16 units of the last result of a call. */
  lastResultUnits: number;
  /** Names of skills that were told to be preloaded. */
  readonly preloadedSkills: Set<string>;
  /** Render parameters that were set for the session. */
  reasoningParameters: RenderParameters;
  /** What a person allowed for the rest of this session. */
  sessionGrants: readonly Granted[];
  /** US dollars that all calls of the session cost, as far as known; and of these, those that kept its cache warm. */
  sessionCost: Money;
  warmingCost: Money;
  /** Of a subagent, for whom it works. */
  startedBy: StartedBy | undefined;
  /** Subagents that began and have not ended, by their sessions. */
  readonly openSubagents: Map<SessionId, Subagent>;
  /** How many began in all. */
  subagentsStarted: number;
  /** The stream of the call that keeps it warm, while that is on its way. */
  warmingStream: string | undefined;
}

/** A subagent as its parent's log tells it. */
export type Subagent = SubagentStarted;

/** The last note of a source. */
export interface SourceNote {
  readonly revision: string;
  /** Where it stands. */
  readonly position: number;
  /** Where the last one stands that told all: one that says that something changed may tell the change alone. */
  readonly whole: number;
}

/** A load as the log tells it. */
export interface SkillLoad extends Pick<SkillLoaded, 'name' | 'version' | 'tokens'> {
  /** A compaction up to here has dropped the body: of a result the answer that asked for it, since they leave together. */
  readonly at: number;
  /** UTF-16 units of the result that it is, which a compaction may cut; absent where it is a note. */
  readonly units?: number;
}

/** A turn as far as it is recorded. */
export interface TurnProgress {
  readonly id: TurnId | undefined;
  readonly spent: Spent;
  readonly ended: TurnEnded | undefined;
  /** The words of its last answer. */
  readonly text: string;
  /** The compaction policy that was chosen for it. */
  readonly compaction: TurnBegan['compaction'];
}

/** A request of the main stream. */
export interface MainRequest {
  readonly position: number;
  /** Its finished answer; absent while it is on its way, and when it failed or was cut. */
  readonly answer: AnswerReceived | undefined;
  /** Where that stands. */
  readonly answeredAt: number;
}

/** Nothing known. */
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
    knownFiles: new Map(),
    knownOutputs: new Set(),
    loadedSkills: [],
    lastResultUnits: 0,
    preloadedSkills: new Set(),
    reasoningParameters: {},
    sessionGrants: [],
    sessionCost: money('0'),
    warmingCost: money('0'),
    startedBy: undefined,
    openSubagents: new Map(),
    subagentsStarted: 0,
    warmingStream: undefined,
  };
}

/** Takes one more record. A record that says nothing about the work changes nothing. */
export function advance(progress: Progress, record: Recorded): void {
  switch (record.kind) {
    case 'session.created':
      startSession(progress, record.data.startedBy);
      return;
    case 'permission.decided':
      takeGrant(progress, record.data);
      return;
    case 'subagent.started':
      progress.openSubagents.set(record.data.child, record.data);
      progress.subagentsStarted += 1;
      return;
    case 'subagent.ended':
      subagentEnded(progress, record.data);
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
      // The next request takes it up: what it stands for is as good as gone.
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
    default:
      advanceCall(progress, record);
  }
}

/** A grant of the project is looked up where it is kept, so that taking it back ends it here too. */
function takeGrant(progress: Progress, { always, kept }: PermissionDecided): void {
  if (always !== undefined && kept === undefined) progress.sessionGrants = [...progress.sessionGrants, always];
}

/** What a fork's parent asked for is the parent's to end, and what its person allowed was allowed there. */
function startSession(progress: Progress, startedBy: StartedBy | undefined): void {
  progress.startedBy = startedBy;
  progress.openSubagents.clear();
  progress.subagentsStarted = 0;
  progress.sessionGrants = [];
}

function subagentEnded(progress: Progress, { child, totals }: SubagentEnded): void {
  const { turn } = progress;
  if (progress.openSubagents.delete(child) && turn !== undefined)
    progress.turn = { ...turn, spent: spendTotals(turn.spent, totals) };
}

function note({ lastNotes, knownOutputs }: Progress, { position, data }: RecordedOf<'context.noted'>): void {
  const { source, revision, cause, artifact } = data;
  const whole = cause === 'changed' ? (lastNotes.get(source)?.whole ?? position) : position;
  lastNotes.set(source, { revision, position, whole });
  if (artifact !== undefined) knownOutputs.add(artifact);
}

/** The whole of an attachment that was cut is read as the output of a call is. */
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

/** A turn that was cut goes on with what it has spent; one that ended begins anew. The policy chosen for it holds for both. */
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

function advanceCall(progress: Progress, record: Recorded): void {
  switch (record.kind) {
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
      if (record.data.by === 'user' && record.data.stream === 'main') endStep(progress, record.data.parts);
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
      for (const file of record.data.files ?? []) progress.knownFiles.set(file.path, file);
      if (record.data.output !== undefined) progress.knownOutputs.add(record.data.output);
      progress.lastResultUnits = unitsOf(record.data.parts);
      return;
    case 'tool.abandoned':
      progress.startedCalls.delete(record.data.call);
      return;
    default:
  }
}

/** As a compaction counts that shortens results. */
function unitsOf(parts: readonly ContentPart[]): number {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n').length;
}

function countRequest(progress: Progress, position: number): void {
  progress.stepAttempts += 1;
  progress.retryAttempts += 1;
  progress.lastRequest = { position, answer: undefined, answeredAt: -1 };
}

/** What is put aside for one refusal is one repair; the step then begins anew. */
function countRepair(progress: Progress): void {
  if (progress.retryAttempts > 0) progress.stepRepairs += 1;
  progress.retryAttempts = 0;
}

function takeMainAnswer(progress: Progress, answer: AnswerReceived, position: number): void {
  progress.lastRequest = { position: answer.request ?? position, answer, answeredAt: position };
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
  // That body stands in the front: the epoch that holds it says so.
  if (reason === 'always') return void progress.preloadedSkills.add(name);
  const at = call === undefined ? position : (progress.lastRequest?.answeredAt ?? position);
  const load = { name, version, tokens, at, ...(call !== undefined && { units: progress.lastResultUnits }) };
  progress.loadedSkills = [...progress.loadedSkills, load];
}

/** Whether a body still stands in the tail behind a compaction. One that is cut is none: the whole of it is loaded again. */
export function leavesWhole(
  { range, shortens = Infinity }: Pick<HistoryCompacted, 'range' | 'shortens'>,
  { at, units = 0 }: SkillLoad,
): boolean {
  return at > range.to && units <= shortens;
}
