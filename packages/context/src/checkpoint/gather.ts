// Reads the records of a range in one pass and collects the input of a checkpoint. The input contains prompts and
// texts, each call with its result, and the facts about turns, skills and subagents.

import { defined } from '@tidemark/core';
import type {
  AnswerPart,
  CallId,
  ContentPart,
  EffectClass,
  Kind,
  Position,
  Recorded,
  RecordedOf,
  ToolAbandoned,
  ToolEnded,
} from '@tidemark/log';
import { position as positionOf } from '@tidemark/log';
import type { Directive, ReadAgain, CheckpointStep, SubagentState, TurnState, WorkDone } from './checkpoint.ts';
import { lineOf } from './excerpt.ts';

/** Facts collected from a range. */
export interface Gathered {
  readonly counts: ReadonlyMap<string, number>;
  readonly directives: readonly Directive[];
  readonly calls: readonly ClosedCall[];
  /**
   * Tool names of calls in the range that started but have no closing record. The effects of these calls are unknown.
   */
  readonly unclosed: readonly string[];
  /** Number of answers on the main stream. */
  readonly answers: number;
  /** Last text that the model wrote. Empty if no answer contained text. */
  readonly said: string;
  /** Texts of the model: one item for each answer that contains text. */
  readonly prose: readonly CheckpointStep[];
  readonly turns: readonly TurnState[];
  readonly work: readonly WorkDone[];
  readonly skills: readonly ReadAgain[];
  /**
   * Ids of calls that loaded a skill. Their results are instructions that are no longer in force, so no part of these
   * results is kept.
   */
  readonly loaders: ReadonlySet<string>;
  /** Latest state of each subagent, by id. */
  readonly subagents: ReadonlyMap<string, SubagentState>;
}

/** Call of the main stream, with the record that closed it. */
export interface ClosedCall {
  readonly call: CallId;
  /** Position of the record that closed the call. */
  readonly position: Position;
  /** Position of the answer that made the call. */
  readonly asked: Position;
  readonly name: string;
  /** Arguments as the model wrote them. */
  readonly arguments: string;
  /** Effect class of the tool. Absent if the call never started or if another program recorded the session. */
  readonly effect?: EffectClass;
  readonly closing: 'returned' | 'failed' | ToolAbandoned['reason'];
  readonly ended?: ToolEnded;
}

interface OpenCall {
  readonly asked: Position;
  readonly name: string;
  readonly arguments: string;
  readonly effect?: EffectClass;
}

interface GatherDraft {
  readonly counts: Map<string, number>;
  readonly directives: Directive[];
  readonly open: Map<CallId, OpenCall>;
  readonly calls: ClosedCall[];
  readonly prose: CheckpointStep[];
  readonly turns: TurnState[];
  readonly work: WorkDone[];
  readonly skills: ReadAgain[];
  readonly loaders: Set<string>;
  readonly subagents: Map<string, SubagentState>;
  answers: number;
  said: string;
  /**
   * Position where the open turn began. `undefined` if no turn is open, or if the turn began before the records that
   * are read.
   */
  turn?: Position | undefined;
  readonly last: TurnState | undefined;
  readonly after: number;
}

type NoteRecord<K extends Kind> = (draft: GatherDraft, record: RecordedOf<K>) => void;

/** Outcome of a turn that is still in progress at the end of the range. */
export const UNDER_WAY = 'under way';

const LINE = 300;

/** Text that Claude Code records instead of a prompt when the user presses Escape. */
const CLIENT_MARK = /^\[Request interrupted by user[^\]]*\]$/;

const pass = (): void => {};

const NOTES: { readonly [K in Kind]: NoteRecord<K> } = {
  'session.created': pass,
  'epoch.opened': pass,
  'context.noted': pass,
  'turn.started': (draft, { position }) => {
    draft.turn = position;
  },
  'turn.resumed': (draft, { position }) => {
    // A turn that had ended is resumed. Both parts count as one turn with one end.
    draft.turn ??= (draft.turns.pop() ?? draft.last)?.position ?? position;
  },
  'prompt.given': (draft, { position, data }) => {
    const text = wordsOf(data.parts);
    if (CLIENT_MARK.test(text)) return;
    draft.directives.push({
      position,
      text,
      ...(data.steer === true && { steer: true as const }),
    });
  },
  'prompt.denied': pass,
  'notification.received': (draft, { position, data }) => {
    draft.work.push({ position, what: `Notification from ${data.source}: ${lineOf(data.body, LINE)}` });
  },
  'request.prepared': pass,
  'request.observed': pass,
  'answer.received': (draft, { position, data }) => {
    if (data.stream !== 'main') return;
    draft.answers += 1;
    const text = proseOf(data.parts);
    if (text !== '') draft.said = text;
    let calls = 0;
    for (const part of data.parts) {
      if (part.type !== 'call') continue;
      calls += 1;
      if (!draft.open.has(part.call)) draft.open.set(part.call, { ...part, asked: position });
    }
    if (text !== '') draft.prose.push({ position, kind: 'said', text, ...(calls === 0 && { last: true as const }) });
  },
  'answer.failed': pass,
  'answer.interrupted': (draft, { position, data }) => {
    const text = data.stream === 'main' && data.by !== 'transport' ? proseOf(data.parts) : '';
    if (text !== '') draft.prose.push({ position, kind: 'said', text });
  },
  'tool.started': (draft, { data }) => {
    const call = draft.open.get(data.call);
    if (call !== undefined) draft.open.set(data.call, { ...call, effect: data.effect });
  },
  'tool.returned': (draft, { position, data }) =>
    close(draft, data.call, { position, closing: 'returned', ended: data }),
  'tool.failed': (draft, { position, data }) => close(draft, data.call, { position, closing: 'failed', ended: data }),
  'tool.abandoned': (draft, { position, data }) => close(draft, data.call, { position, closing: data.reason }),
  'tool.charged': pass,
  'permission.decided': pass,
  'mode.changed': pass,
  'agent.chosen': pass,
  'foreign.recorded': pass,
  'tools.changed': pass,
  'reasoning.changed': pass,
  'reasoning.set': pass,
  'role.changed': pass,
  'skill.loaded': (draft, { position, data }) => {
    if (data.call !== undefined) draft.loaders.add(data.call);
    // A preloaded skill is in the front, which a compaction does not change.
    if (data.reason !== 'always') draft.skills.push({ position, name: data.name, version: data.version });
  },
  'history.compacted': pass,
  'compaction.refused': pass,
  'history.pruned': pass,
  'block.quarantined': pass,
  'pressure.crossed': pass,
  'memory.changed': pass,
  'subagent.started': (draft, { position, data }) => {
    const { child: id, role, task } = data;
    draft.subagents.set(id, { position, id, role, task: lineOf(task, LINE), status: 'running' });
  },
  'subagent.ended': (draft, { position, data }) => {
    const { child: id, status, summary } = data;
    draft.subagents.set(id, { ...draft.subagents.get(id), position, id, status, result: lineOf(summary, LINE) });
  },
  'process.started': pass,
  'process.ended': pass,
  'branch.summarized': (draft, { position, data }) => {
    draft.work.push({ position, what: `A branch was abandoned. Its summary: ${lineOf(data.text, LINE)}` });
  },
  'turn.ended': (draft, { position, data }) => {
    endTurn(draft, position, data.error === undefined ? data.outcome : `${data.outcome} (${data.error.code})`);
    draft.turn = undefined;
  },
};

/**
 * Collects facts from the records after `after` up to and including `to`. If a call is in this range, its result is
 * included even if the result is recorded after `to`. This happens if messages were sent while the calls ran and the
 * checkpoint keeps these messages. `last` is the last turn before these records. The records may resume that turn.
 */
export function gather(records: Iterable<Recorded>, after: number, to: Position, last?: TurnState): Gathered {
  const draft: GatherDraft = {
    counts: new Map(),
    directives: [],
    open: new Map(),
    calls: [],
    prose: [],
    turns: [],
    work: [],
    skills: [],
    loaders: new Set(),
    subagents: new Map(),
    turn: last?.outcome === UNDER_WAY ? last.position : undefined,
    last,
    after,
    answers: 0,
    said: '',
  };
  let late: ReadonlySet<CallId> | undefined;
  for (const record of records) {
    if (record.position <= after) continue;
    if (record.position > to) {
      late ??= new Set(draft.open.keys());
      if (isOfCall(record, late)) note(draft, record);
      continue;
    }
    draft.counts.set(record.kind, (draft.counts.get(record.kind) ?? 0) + 1);
    if (record.kind !== 'unknown') note(draft, record);
  }
  if (draft.turn !== undefined) endTurn(draft, to, UNDER_WAY);
  const begun = [...draft.open.values()].filter(({ effect }) => effect !== undefined);
  return { ...draft, unclosed: begun.map(({ name }) => name) };
}

// The type parameter tells TypeScript that `NOTES[record.kind]` takes a record of the same kind.
function note<K extends Kind>(draft: GatherDraft, record: RecordedOf<K>): void {
  const one: NoteRecord<K> = NOTES[record.kind];
  one(draft, record);
}

function close(draft: GatherDraft, id: CallId, how: Pick<ClosedCall, 'position' | 'closing' | 'ended'>): void {
  const call = draft.open.get(id);
  if (call === undefined) return;
  draft.open.delete(id);
  const { name, effect, asked } = call;
  draft.calls.push({
    call: id,
    name,
    asked,
    arguments: call.arguments,
    ...defined({ effect }),
    ...how,
  });
}

function endTurn(draft: GatherDraft, to: Position, outcome: string): void {
  // If the beginning of the turn is unknown, only the part in this range is reported.
  draft.turns.push({ position: draft.turn ?? positionOf(Math.min(draft.after + 1, to)), to, outcome });
}

function proseOf(parts: readonly AnswerPart[]): string {
  return parts
    .flatMap((part) => (part.type === 'text' && part.text.trim() !== '' ? [part.text.trim()] : []))
    .join('\n');
}

/**
 * Returns a result as a terminal shows it. Color codes are removed. If a line was overwritten, only its last state
 * remains.
 */
export function shownByTerminal(text: string): string {
  return text.replaceAll(/\u001B\[[\d;?]*[A-Za-z]/g, '').replaceAll(/^.*\r(?!\n|$)/gm, '');
}

/** Returns the parts as text. An image is shown by its media type and size, a file by its path. */
export function wordsOf(parts: readonly ContentPart[]): string {
  return parts
    .map((part) => {
      switch (part.type) {
        case 'text':
          return part.text;
        case 'image':
          return `[image, ${part.mediaType}, ${part.bytes} bytes]`;
        case 'file':
          return `[file ${part.path}]`;
      }
    })
    .join('\n')
    .trim();
}

// The next functions find the records after a range. These records stay in the context when the range is replaced. A
// result belongs to the range of its call even if it is recorded later. This happens if messages were sent while calls
// ran. Such messages are recorded before the results and are kept after the range.

type ClosingRecord = RecordedOf<'tool.returned'> | RecordedOf<'tool.failed'> | RecordedOf<'tool.abandoned'>;

type OfCall = ClosingRecord | RecordedOf<'tool.started'> | RecordedOf<'skill.loaded'>;

/**
 * Returns the records after `to`. If a call is still open at `to`, the later records of the call are left out.
 * `records` contains the range and all records after it.
 */
export function behindRange(records: readonly Recorded[], to: Position): readonly Recorded[] {
  const open = new Set<string>();
  for (const record of records) {
    if (record.position > to) break;
    if (record.kind === 'answer.received' && record.data.stream === 'main')
      for (const part of record.data.parts) if (part.type === 'call') open.add(part.call);
    if (isClosing(record)) open.delete(record.data.call);
  }
  return records.filter((record) => record.position > to && !isOfCall(record, open));
}

function isOfCall(record: Recorded, calls: ReadonlySet<string>): record is OfCall {
  if (record.kind === 'skill.loaded') return record.data.call !== undefined && calls.has(record.data.call);
  return record.kind === 'tool.started' || isClosing(record) ? calls.has(record.data.call) : false;
}

function isClosing(record: Recorded): record is ClosingRecord {
  return record.kind === 'tool.returned' || record.kind === 'tool.failed' || record.kind === 'tool.abandoned';
}
