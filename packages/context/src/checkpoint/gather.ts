// Reads the records of a range once, and keeps what a checkpoint is made from: who said what, what each call was and how
// it closed, what the log itself says of turns, skills and subagents.

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

/** What a range holds. */
export interface Gathered {
  readonly counts: ReadonlyMap<string, number>;
  readonly directives: readonly Directive[];
  readonly calls: readonly ClosedCall[];
  /** Names of the calls that began and did not close in the range: what they did is not known. */
  readonly unclosed: readonly string[];
  /** Answers of the main stream. */
  readonly answers: number;
  /** The last words of one; empty where none said any. */
  readonly said: string;
  /** Words of the model, one item for each answer. */
  readonly prose: readonly CheckpointStep[];
  readonly turns: readonly TurnState[];
  readonly work: readonly WorkDone[];
  readonly skills: readonly ReadAgain[];
  /** Calls that loaded a skill: their results are instructions, of which no part is in force. */
  readonly loaders: ReadonlySet<string>;
  /** The latest word of each, by id. */
  readonly subagents: ReadonlyMap<string, SubagentState>;
}

/** A call of the main stream with what closed it. */
export interface ClosedCall {
  readonly call: CallId;
  /** Of what closed it. */
  readonly position: Position;
  /** Of the answer that made it. */
  readonly asked: Position;
  readonly name: string;
  /** As the model wrote them. */
  readonly arguments: string;
  /** Absent where it never started, and where a recording does not tell. */
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
  /** Where the open turn began; absent where that lies before what is read. */
  turn?: Position | undefined;
  readonly last: TurnState | undefined;
  readonly after: number;
}

type NoteRecord<K extends Kind> = (draft: GatherDraft, record: RecordedOf<K>) => void;

/** The outcome of a turn that the range ends in. */
export const UNDER_WAY = 'under way';

const LINE = 300;

/** What Claude Code records in the place of a prompt when its user presses Escape. */
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
    // A turn that had ended goes on: it is one turn, with one end.
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
  'notification.received': (draft, { position, data }) => {
    draft.work.push({ position, what: `Notification from ${data.source}: ${lineOf(data.body, LINE)}` });
  },
  'request.prepared': pass,
  'answer.received': (draft, { position, data }) => {
    if (data.stream !== 'main') return;
    draft.answers += 1;
    const said = proseOf(data.parts);
    if (said !== '') draft.said = said;
    let calls = 0;
    for (const part of data.parts) {
      if (part.type !== 'call') continue;
      calls += 1;
      if (!draft.open.has(part.call)) draft.open.set(part.call, { ...part, asked: position });
    }
    if (said !== '')
      draft.prose.push({ position, kind: 'said', text: said, ...(calls === 0 && { last: true as const }) });
  },
  'answer.failed': pass,
  'answer.interrupted': (draft, { position, data }) => {
    const said = data.stream === 'main' && data.by === 'user' ? proseOf(data.parts) : '';
    if (said !== '') draft.prose.push({ position, kind: 'said', text: said });
  },
  'tool.started': (draft, { data }) => {
    const call = draft.open.get(data.call);
    if (call !== undefined) draft.open.set(data.call, { ...call, effect: data.effect });
  },
  'tool.returned': (draft, { position, data }) =>
    close(draft, data.call, { position, closing: 'returned', ended: data }),
  'tool.failed': (draft, { position, data }) => close(draft, data.call, { position, closing: 'failed', ended: data }),
  'tool.abandoned': (draft, { position, data }) => close(draft, data.call, { position, closing: data.reason }),
  'permission.decided': pass,
  'mode.changed': pass,
  'foreign.recorded': pass,
  'tools.changed': pass,
  'reasoning.changed': pass,
  'reasoning.set': pass,
  'role.changed': pass,
  'skill.loaded': (draft, { position, data }) => {
    if (data.call !== undefined) draft.loaders.add(data.call);
    // What is preloaded stands in the front, which a compaction leaves as it is.
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
  'branch.summarized': (draft, { position, data }) => {
    draft.work.push({ position, what: `A branch was left; of it: ${lineOf(data.text, LINE)}` });
  },
  'turn.ended': (draft, { position, data }) => {
    endTurn(draft, position, data.error === undefined ? data.outcome : `${data.outcome} (${data.error.code})`);
    draft.turn = undefined;
  },
};

/**
 * The facts of the records behind `after`, up to `to` and with it; and how the calls that were made there closed, wherever
 * that stands: what was said while they ran may be kept behind them, and lies before their results. `last`: the last
 * turn up to `after`, which may go on.
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

// The table is typed by kind; TypeScript cannot see that a union indexes it with its own kind.
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
  // Of a turn whose begin is not known, what is read here is told.
  draft.turns.push({ position: draft.turn ?? positionOf(Math.min(draft.after + 1, to)), to, outcome });
}

function proseOf(parts: readonly AnswerPart[]): string {
  return parts
    .flatMap((part) => (part.type === 'text' && part.text.trim() !== '' ? [part.text.trim()] : []))
    .join('\n');
}

/** What a terminal shows of a result: without colours, and of a line that was written over and over its last state. */
export function shownByTerminal(text: string): string {
  return text.replaceAll(/\u001B\[[\d;?]*[A-Za-z]/g, '').replaceAll(/^.*\r(?!\n|$)/gm, '');
}

/** What parts say, in words: an image is named by its type, a file by its path. */
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

// The records after a range that stay in the context. A result goes with its call: what was said while calls ran may be kept
// after them, and lies before their results.

/** What closes a call. */
type ClosingRecord = RecordedOf<'tool.returned'> | RecordedOf<'tool.failed'> | RecordedOf<'tool.abandoned'>;

/** What tells of one call. */
type OfCall = ClosingRecord | RecordedOf<'tool.started'> | RecordedOf<'skill.loaded'>;

/** The records behind `to`, but for those of calls that were made up to there. `records`: those of the range, and all behind it. */
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

/** Whether it tells of one of these calls: how it began or closed, or what it loaded. */
function isOfCall(record: Recorded, calls: ReadonlySet<string>): record is OfCall {
  if (record.kind === 'skill.loaded') return record.data.call !== undefined && calls.has(record.data.call);
  return record.kind === 'tool.started' || isClosing(record) ? calls.has(record.data.call) : false;
}

function isClosing(record: Recorded): record is ClosingRecord {
  return record.kind === 'tool.returned' || record.kind === 'tool.failed' || record.kind === 'tool.abandoned';
}
