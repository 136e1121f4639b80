// The first pass: takes in one sighting after the other and draws the tree of branches.

import { hashText } from '../file/hash-text.ts';
import type { Drawing, BranchPlace } from './drawing.ts';
import { branchKey, emptyDrawing, rowOf } from './drawing.ts';
import { finishOutline } from './finish-outline.ts';
import type { Outline } from './outline.ts';
import type { Sighting } from './sighting.ts';
import { takePlace } from './take-place.ts';

/** Takes in the records of a file in order. */
export interface OutlineDrawing {
  add(sighting: Sighting): void;
  /** The outline of a file of so many lines; nothing is added after. */
  finish(lines: number): Outline;
}

/** An empty drawing. */
export function drawOutline(): OutlineDrawing {
  const drawing = emptyDrawing();
  return {
    add: (sighting) => add(drawing, sighting),
    finish: (lines) => finishOutline(drawing, lines),
  };
}

function add(drawing: Drawing, sighting: Sighting): void {
  if (rowOf(drawing, sighting.id) !== undefined) {
    repeat(drawing);
    return;
  }
  learn(drawing, sighting);
  const place = takePlace(drawing, sighting);
  lookAhead(drawing, sighting, place);
  remember(drawing, sighting, place);
  drawing.routes.push(place.branch.index);
}

// A second copy stands with what came before it; the first record of a file is never one.
function repeat(drawing: Drawing): void {
  const ordinal = drawing.routes.length;
  const index = drawing.routes.get(ordinal - 1);
  const branch = drawing.branches[index];
  if (branch !== undefined) branch.last = ordinal;
  drawing.repeated.add(ordinal);
  drawing.routes.push(index);
}

function learn(drawing: Drawing, sighting: Sighting): void {
  const { facts } = drawing;
  const { at, workspace, session, opening, title, step } = sighting;
  if (at !== undefined) facts.at ??= at;
  if (workspace !== undefined) facts.workspace ??= workspace;
  if (session !== undefined) facts.session ??= session;
  if (opening !== undefined) facts.opening ??= opening;
  if (title !== undefined) facts.title = title;
  if (sighting.side !== true && step !== 'floats' && step !== 'belongs') drawing.mainSpeaks = true;
}

function lookAhead(drawing: Drawing, sighting: Sighting, { branch }: BranchPlace): void {
  const ordinal = drawing.routes.length;
  const { step, answer, results, keptFrom, relinked } = sighting;
  if (step === 'answers' && answer !== undefined) drawing.answerEnds.set(branchKey(branch.index, answer), ordinal);
  for (const call of results ?? []) drawing.resultEnds.set(branchKey(branch.index, call), ordinal);
  const kept = keptOrdinal(drawing, keptFrom);
  if (kept !== undefined && kept < ordinal) drawing.kept.set(ordinal, kept);
  const tail = rowOf(drawing, relinked);
  if (tail !== undefined) drawing.rowGeneration.set(tail, branch.generation);
}

function keptOrdinal(drawing: Drawing, keptFrom: string | number | undefined): number | undefined {
  if (typeof keptFrom !== 'string') return keptFrom;
  const row = rowOf(drawing, keptFrom);
  return row === undefined ? undefined : drawing.rowOrdinal.get(row);
}

function remember(drawing: Drawing, sighting: Sighting, place: BranchPlace): void {
  if (sighting.id === undefined) return;
  drawing.rows.set(hashText(sighting.id), drawing.rowBranch.length);
  drawing.rowBranch.push(place.branch.index);
  drawing.rowGeneration.push(place.generation);
  drawing.rowOrdinal.push(drawing.routes.length);
}
