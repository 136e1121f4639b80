// What the log says about the work itself, beside what a model sees: which calls began, what the turn has taken, which
// files and outputs are known, what was noted. Folded from records as they come; derived, thrown away with the process (L9).

import type { CallId, EffectClass, FileTouch, Recorded, TurnEnded, TurnId, Usage } from '@tidemark/log';
import type { Mode } from '../tools/permissions.ts';
import type { Spent } from './spent.ts';
import { NOTHING_SPENT, spend } from './spent.ts';

/** See the head of this file. */
export interface Progress {
  mode: Mode | undefined;
  /** The turn that is open, or ended last. */
  turn: TurnProgress | undefined;
  /** Calls that began to run and have not ended. */
  readonly started: Map<CallId, EffectClass>;
  /** How often the step at hand was sent. */
  attempts: number;
  /** The last note of each source: its revision and place. */
  readonly noted: Map<string, { readonly revision: string; readonly position: number }>;
  readonly files: Map<string, FileTouch>;
  /** Digests of outputs that this log names. */
  readonly outputs: Set<string>;
}

/** A turn as far as it is recorded. */
export interface TurnProgress {
  readonly id: TurnId | undefined;
  readonly spent: Spent;
  readonly ended: TurnEnded | undefined;
}

/** Nothing known. */
export function emptyProgress(): Progress {
  return {
    mode: undefined,
    turn: undefined,
    started: new Map(),
    attempts: 0,
    noted: new Map(),
    files: new Map(),
    outputs: new Set(),
  };
}

/** Takes one more record. A record that says nothing about the work changes nothing. */
export function advance(progress: Progress, record: Recorded): void {
  switch (record.kind) {
    case 'mode.changed':
      progress.mode = record.data.mode;
      return;
    case 'turn.started':
      progress.turn = { id: record.turn, spent: NOTHING_SPENT, ended: undefined };
      return;
    case 'turn.resumed':
      progress.turn = resumed(progress.turn, record.turn);
      return;
    case 'turn.ended':
      if (progress.turn !== undefined) progress.turn = { ...progress.turn, ended: record.data };
      return;
    case 'context.noted':
      progress.noted.set(record.data.source, { revision: record.data.revision, position: record.position });
      return;
    default:
      advanceCall(progress, record);
  }
}

/** A turn that was cut goes on with what it has spent; one that ended begins anew. */
function resumed(turn: TurnProgress | undefined, id: TurnId | undefined): TurnProgress {
  return turn?.ended === undefined
    ? { id, spent: turn?.spent ?? NOTHING_SPENT, ended: undefined }
    : { id, spent: NOTHING_SPENT, ended: undefined };
}

function advanceCall(progress: Progress, record: Recorded): void {
  switch (record.kind) {
    case 'request.prepared':
      if (record.data.stream === 'main') progress.attempts += 1;
      return;
    case 'answer.received':
      if (record.data.stream === 'main') progress.attempts = 0;
      take(progress, record.data.usage, record.data.cost, record.data.stream === 'main' ? 1 : 0);
      return;
    case 'answer.interrupted':
      if (record.data.by === 'user' && record.data.stream === 'main') progress.attempts = 0;
      take(progress, record.data.usage ?? {}, record.data.cost, 0);
      return;
    case 'answer.failed':
      if (record.data.usage !== undefined) take(progress, record.data.usage, undefined, 0);
      return;
    case 'tool.started':
      progress.started.set(record.data.call, record.data.effect);
      return;
    case 'tool.returned':
    case 'tool.failed':
      if (progress.started.has(record.data.call)) called(progress);
      progress.started.delete(record.data.call);
      for (const file of record.data.files ?? []) progress.files.set(file.path, file);
      if (record.data.output !== undefined) progress.outputs.add(record.data.output);
      return;
    case 'tool.abandoned':
      progress.started.delete(record.data.call);
      return;
    default:
  }
}

function take(progress: Progress, usage: Usage, cost: string | undefined, steps: number): void {
  const { turn } = progress;
  if (turn === undefined) return;
  progress.turn = { ...turn, spent: spend(turn.spent, { usage, cost, steps }) };
}

function called(progress: Progress): void {
  const { turn } = progress;
  if (turn !== undefined) progress.turn = { ...turn, spent: { ...turn.spent, calls: turn.spent.calls + 1 } };
}
