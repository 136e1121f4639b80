// Edits of the text in the editor: one function for each command, with undo and the kill ring.

import type { Movement, TextBuffer } from './buffer.ts';
import {
  EMPTY_BUFFER,
  insertText,
  placeCursor,
  replaceRange,
  substituteRange,
  targetOf,
  transposeGraphemes,
} from './buffer.ts';
import { boundaryAt } from './graphemes.ts';
import type { KillRing } from './kill-ring.ts';
import { addKill, joinKill, rotateKills } from './kill-ring.ts';
import type { UndoResult, UndoSteps } from './undo.ts';
import { NO_STEPS, recordStep, redoStep, undoStep } from './undo.ts';

/** Text of the editor with everything that the next edit depends on. */
export interface EditedText {
  readonly buffer: TextBuffer;
  readonly steps: UndoSteps;
  readonly kills: KillRing;
  /** The last edit. Edits of the same kind that follow one another can be one step. */
  readonly last: LastEdit;
}

type LastEdit =
  | { readonly kind: 'typing' | 'deletion' | 'kill' | 'other' }
  /** The text from `from` to `to` was inserted from the kill ring. */
  | { readonly kind: 'yank'; readonly from: number; readonly to: number };

/** An edit of the text, or a movement of the cursor. */
export type EditCommand =
  | { readonly edit: 'type' | 'insert'; readonly text: string }
  | { readonly edit: 'move' | 'delete' | 'kill'; readonly movement: Movement }
  | { readonly edit: 'yank' | 'yank-older' | 'undo' | 'redo' | 'transpose' }
  | { readonly edit: 'place'; readonly at: number }
  | { readonly edit: 'replace' | 'substitute'; readonly from: number; readonly to: number; readonly text: string };

/** Empty text without earlier edits. */
export const NO_TEXT: EditedText = { buffer: EMPTY_BUFFER, steps: NO_STEPS, kills: [], last: { kind: 'other' } };

/** Applies an edit. An edit that changes nothing is no step for undo. */
export function editText(now: EditedText, command: EditCommand): EditedText {
  const { buffer } = now;
  switch (command.edit) {
    case 'type':
      return typeText(now, command.text);
    case 'insert':
      return change(now, insertText(buffer, command.text));
    case 'move':
      return moveTo(now, targetOf(buffer, command.movement));
    case 'place':
      return moveTo(now, command.at);
    case 'delete':
      return deleteTo(now, targetOf(buffer, command.movement));
    case 'kill':
      return killTo(now, command.movement);
    case 'yank':
      return yank(now, now);
    case 'yank-older':
      return yankOlder(now);
    case 'transpose':
      return change(now, transposeGraphemes(buffer));
    case 'replace':
      return change(now, replaceRange(buffer, command.from, command.to, command.text));
    case 'substitute':
      return change(now, substituteRange(buffer, command.from, command.to, command.text));
    case 'undo':
      return restore(now, undoStep(now.steps, buffer));
    case 'redo':
      return restore(now, redoStep(now.steps, buffer));
  }
}

/** Replaces the whole text. The cursor is at the end. */
export function setText(now: EditedText, text: string): EditedText {
  return change(now, { text, cursor: text.length });
}

function change(now: EditedText, buffer: TextBuffer, last: LastEdit = { kind: 'other' }): EditedText {
  const same = buffer.text === now.buffer.text;
  return { ...now, buffer, last, steps: same ? now.steps : recordStep(now.steps, now.buffer) };
}

/** Typed text continues the step of the text before it, up to the end of a word. */
function typeText(now: EditedText, text: string): EditedText {
  const typed = change(now, insertText(now.buffer, text), { kind: 'typing' });
  const before = now.buffer.text.slice(0, now.buffer.cursor);
  const beginsWord = /\s$/.test(before) && !/^\s/.test(text);
  return now.last.kind === 'typing' && !beginsWord ? { ...typed, steps: now.steps } : typed;
}

function moveTo(now: EditedText, at: number): EditedText {
  return { ...now, buffer: placeCursor(now.buffer, at), last: { kind: 'other' } };
}

function removed({ text, cursor }: TextBuffer, target: number): { readonly from: number; readonly to: number } {
  const at = boundaryAt(text, target);
  return { from: Math.min(at, cursor), to: Math.max(at, cursor) };
}

function deleteTo(now: EditedText, target: number): EditedText {
  const { from, to } = removed(now.buffer, target);
  const next = change(now, replaceRange(now.buffer, from, to, ''), { kind: 'deletion' });
  return now.last.kind === 'deletion' ? { ...next, steps: now.steps } : next;
}

function killTo(now: EditedText, movement: Movement): EditedText {
  const { buffer } = now;
  const target = targetOf(buffer, movement);
  // At the end of a line, the line break is removed.
  const beyond = movement === 'line-end' ? 'right' : 'left';
  const isLine = movement === 'line-end' || movement === 'line-start';
  const end = isLine && target === buffer.cursor ? targetOf(buffer, beyond) : target;
  const { from, to } = removed(buffer, end);
  const text = buffer.text.slice(from, to);
  if (text === '') return now;
  const place = to > buffer.cursor ? 'after' : 'before';
  const kills = now.last.kind === 'kill' ? joinKill(now.kills, text, place) : addKill(now.kills, text);
  return { ...change(now, replaceRange(buffer, from, to, ''), { kind: 'kill' }), kills };
}

/** Inserts the newest deleted text of `from` into the text of `now`. */
function yank(now: EditedText, { kills }: EditedText): EditedText {
  const text = kills.at(-1);
  if (text === undefined) return now;
  const at = now.buffer.cursor;
  const buffer = insertText(now.buffer, text);
  return { ...change(now, buffer, { kind: 'yank', from: at, to: buffer.cursor }), kills };
}

/** Replaces the text that was just inserted from the kill ring by an older one. */
function yankOlder(now: EditedText): EditedText {
  if (now.last.kind !== 'yank') return now;
  const { from, to } = now.last;
  const kills = rotateKills(now.kills);
  return yank({ ...now, buffer: replaceRange(now.buffer, from, to, '') }, { ...now, kills });
}

function restore(now: EditedText, result: UndoResult | undefined): EditedText {
  return result === undefined ? now : { ...now, ...result, last: { kind: 'other' } };
}
