// First pass: takes the facts about each record in order and builds the tree of branches.

import { defined } from '@tidemark/core';
import { hashText } from '../file/fields.ts';
import type { Drawing, BranchPlace, BranchDraft, Voice } from './drawing.ts';
import { branchKey, emptyDrawing, rowOf, openBranch } from './drawing.ts';
import type { Outline, Sighting, Branch } from './outline.ts';

/** Builds the outline from the records of a file, in order. */
export interface OutlineDrawing {
  add(sighting: Sighting): void;
  /**
   * Returns the outline of the file. `lines` is the number of lines in the file. `add` must not be called afterwards.
   */
  finish(lines: number): Outline;
}

/** Returns a builder that has read no record. */
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

// Adds a copy of an earlier record. The copy belongs to the branch of the record directly before it in the file. There
// is such a record, because the first record of a file is never a copy.
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
  const { at, workspace, session, opening, title, spawned, step } = sighting;
  if (at !== undefined) facts.at ??= at;
  if (workspace !== undefined) facts.workspace ??= workspace;
  if (session !== undefined) facts.session ??= session;
  if (opening !== undefined) facts.opening ??= opening;
  if (spawned !== undefined) facts.spawned ??= spawned;
  if (title !== undefined && sighting.side !== true) facts.title = title;
  if (sighting.side !== true && step !== 'floats' && step !== 'belongs') drawing.mainSpeaks = true;
}

function lookAhead(drawing: Drawing, sighting: Sighting, { branch }: BranchPlace): void {
  const ordinal = drawing.routes.length;
  const { step, answer, results, keptFrom, relinked, wants } = sighting;
  for (const one of wants ?? []) drawing.wanted.add(hashText(one));
  if (step === 'answers' && answer !== undefined) drawing.answerEnds.set(branchKey(branch.index, answer), ordinal);
  for (const call of results ?? []) drawing.resultEnds.set(branchKey(branch.index, call), ordinal);
  const firstKept = keptOrdinal(drawing, keptFrom);
  if (firstKept !== undefined && firstKept < ordinal) drawing.kept.set(ordinal, firstKept);
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

/**
 * Finds the place of a record, which is after its parent, or else after the last record of the same speaker. Then
 * advances the branch or opens a fork, as the record's `step` requires.
 */
function takePlace(drawing: Drawing, sighting: Sighting): BranchPlace {
  const found = locate(drawing, sighting);
  const place = move(drawing, sighting, found);
  place.branch.voice.current = place.branch;
  place.branch.last = drawing.routes.length;
  place.branch.at ??= sighting.at;
  if (sighting.side === true) place.branch.title ??= sighting.title;
  place.branch.call ??= sighting.startingCall;
  return place;
}

function locate(drawing: Drawing, sighting: Sighting): BranchPlace {
  const parent = parentPlace(drawing, sighting);
  const voice = voiceOf(drawing, sighting, parent);
  if (voice !== drawing.main) drawing.lastSide = voice;
  if (parent !== undefined && parent.branch.voice === voice) return parent;
  const current = voice.current ?? openBranch(drawing, voice, { kind: 'main' });
  const root = voice.root ?? current;
  const fromNothing = sighting.parent === null && sighting.step === 'begins';
  return fromNothing ? { branch: root, generation: 0 } : { branch: current, generation: current.generation };
}

function parentPlace(drawing: Drawing, sighting: Sighting): BranchPlace | undefined {
  const row = rowOf(drawing, sighting.parent);
  if (row === undefined) return undefined;
  const branch = drawing.branches[drawing.rowBranch.get(row)];
  return branch === undefined ? undefined : { branch, generation: drawing.rowGeneration.get(row) };
}

function voiceOf(drawing: Drawing, sighting: Sighting, parent: BranchPlace | undefined): Voice {
  if (sighting.side !== true) return drawing.main;
  if (sighting.agent === undefined) {
    if (parent !== undefined && parent.branch.voice !== drawing.main) return parent.branch.voice;
    if (sighting.step !== 'begins' && drawing.lastSide !== undefined) return drawing.lastSide;
  }
  const name = sighting.agent ?? `${drawing.sides.size + 1}`;
  const known = drawing.sides.get(name);
  if (known !== undefined) return known;
  const voice: Voice = { root: undefined, current: undefined };
  drawing.sides.set(name, voice);
  openBranch(drawing, voice, { kind: 'agent', agent: name });
  return voice;
}

function move(drawing: Drawing, sighting: Sighting, place: BranchPlace): BranchPlace {
  const { branch } = place;
  switch (sighting.step) {
    case 'begins':
      return begin(drawing, place);
    case 'advances':
      branch.answer = undefined;
      return advance(drawing, branch);
    case 'answers':
      if (branch.answer === sighting.answer) return { branch, generation: branch.generation };
      branch.answer = sighting.answer;
      return advance(drawing, branch);
    case 'belongs':
      return place;
    case 'floats':
      return { branch, generation: branch.generation };
  }
}

function begin(drawing: Drawing, { branch, generation }: BranchPlace): BranchPlace {
  const before = branch.began[generation];
  if (before === undefined) {
    branch.answer = undefined;
    return advance(drawing, branch);
  }
  const fork = openBranch(
    drawing,
    branch.voice,
    defined({ kind: 'fork', leaves: { branch: branch.index, before }, agent: branch.agent }),
  );
  return advance(drawing, fork);
}

function advance(drawing: Drawing, branch: BranchDraft): BranchPlace {
  branch.began.push(drawing.routes.length);
  branch.generation += 1;
  return { branch, generation: branch.generation };
}

/** If a file contains only subagent records, the first subagent becomes the main session. */
function finishOutline(drawing: Drawing, lines: number): Outline {
  const main = speakerOf(drawing);
  const silent = drawing.branches.find((branch) => branch.kind === 'main' && branch !== main);
  const branches = drawing.branches.map((branch) => asBranch(branch, main, silent));
  return {
    records: drawing.routes.length,
    lines,
    branches,
    main: main.index,
    ...routesOf(drawing, main, silent),
    ...aheadOf(drawing, branches),
    ...factsOf(drawing),
  };
}

function speakerOf(drawing: Drawing): BranchDraft {
  const [side] = drawing.sides.values();
  const speaker = drawing.mainSpeaks ? drawing.main.root : (side?.root ?? drawing.main.root);
  return speaker ?? openBranch(drawing, drawing.main, { kind: 'main' });
}

function asBranch(draft: BranchDraft, main: BranchDraft, silent: BranchDraft | undefined): Branch {
  const { index, agent, leaves, at, title, call } = draft;
  const isMain = draft === main;
  const merged = isMain ? silent : undefined;
  const starter = draft.startedBy === silent?.index ? main.index : draft.startedBy;
  return {
    index,
    kind: isMain ? 'main' : draft.kind,
    first: Math.min(draft.first, merged?.first ?? draft.first),
    last: Math.max(draft.last, merged?.last ?? draft.last),
    ...defined({ agent, leaves }),
    ...(isMain || starter === undefined ? {} : { startedBy: starter }),
    ...defined({ at, title }),
    ...(isMain ? {} : defined({ call })),
  };
}

function routesOf(
  { routes, repeated }: Drawing,
  main: BranchDraft,
  silent: BranchDraft | undefined,
): Pick<Outline, 'branchOf' | 'isRepeated'> {
  return {
    isRepeated: (ordinal) => repeated.has(ordinal),
    branchOf: (ordinal) => {
      const index = routes.get(ordinal);
      return index === silent?.index ? main.index : index;
    },
  };
}

function aheadOf(
  { answerEnds, resultEnds, kept, wanted }: Drawing,
  branches: readonly Branch[],
): Pick<Outline, 'answerEnd' | 'isResultAhead' | 'forksBefore' | 'keptFrom' | 'isAnchor' | 'isWanted' | 'hasRequests'> {
  const forks = new Map<number, number[]>();
  for (const { index, leaves } of branches) {
    if (leaves !== undefined) forks.set(leaves.before, [...(forks.get(leaves.before) ?? []), index]);
  }
  const anchors = new Set(kept.values());
  return {
    answerEnd: (branch, answer) => answerEnds.get(branchKey(branch, answer)),
    isResultAhead: (branch, call, ordinal) => (resultEnds.get(branchKey(branch, call)) ?? -1) > ordinal,
    forksBefore: (ordinal) => forks.get(ordinal) ?? [],
    keptFrom: (ordinal) => kept.get(ordinal),
    isAnchor: (ordinal) => anchors.has(ordinal),
    isWanted: (one) => wanted.has(hashText(one)),
    hasRequests: wanted.size > 0,
  };
}

function factsOf({ facts }: Drawing): Pick<Outline, 'at' | 'workspace' | 'session' | 'title' | 'spawned'> {
  const { at, workspace, session, spawned } = facts;
  const title = facts.title ?? facts.opening;
  return defined({ at, workspace, session, title, spawned });
}
