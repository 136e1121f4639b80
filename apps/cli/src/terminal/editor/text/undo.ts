// Undo and redo. Typing is one step per word.

import type { TextBuffer } from './buffer.ts';

/** Steps that can be undone and redone, oldest first. */
export interface UndoSteps {
  readonly undo: readonly TextBuffer[];
  readonly redo: readonly TextBuffer[];
}

/** No steps. */
export const NO_STEPS: UndoSteps = { undo: [], redo: [] };

const MAX_STEPS = 300;

/** Records the buffer before a change. */
export function recordStep({ undo }: UndoSteps, before: TextBuffer): UndoSteps {
  return { undo: [...undo.slice(-MAX_STEPS + 1), before], redo: [] };
}

/** Result of an undo or a redo. */
export interface UndoResult {
  readonly steps: UndoSteps;
  readonly buffer: TextBuffer;
}

/** Returns the buffer before the last change. `undefined` if there is none. */
export function undoStep({ undo, redo }: UndoSteps, now: TextBuffer): UndoResult | undefined {
  const buffer = undo.at(-1);
  return buffer && { steps: { undo: undo.slice(0, -1), redo: [...redo, now] }, buffer };
}

/** Returns the buffer before the last undo. `undefined` if there is none. */
export function redoStep({ undo, redo }: UndoSteps, now: TextBuffer): UndoResult | undefined {
  const buffer = redo.at(-1);
  return buffer && { steps: { undo: [...undo, now], redo: redo.slice(0, -1) }, buffer };
}
