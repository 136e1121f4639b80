// Where a record stands: by its parent, or behind the last record of its voice. Here a rewind is told from what only
// looks like one: results of parallel calls hang side by side, and so do the rows of one answer.

import type { BranchDraft, Drawing, BranchPlace, Voice } from './drawing.ts';
import { openBranch, rowOf } from './drawing.ts';
import type { Sighting } from './sighting.ts';

/** The place of a record. It moves its branch on, or opens a fork where the record goes on from an earlier one. */
export function takePlace(drawing: Drawing, sighting: Sighting): BranchPlace {
  const found = locate(drawing, sighting);
  const place = move(drawing, sighting, found);
  place.branch.voice.current = place.branch;
  place.branch.last = drawing.routes.length;
  place.branch.at ??= sighting.at;
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
  const fork = openBranch(drawing, branch.voice, {
    kind: 'fork',
    leaves: { branch: branch.index, before },
    ...(branch.agent === undefined ? {} : { agent: branch.agent }),
  });
  return advance(drawing, fork);
}

function advance(drawing: Drawing, branch: BranchDraft): BranchPlace {
  branch.began.push(drawing.routes.length);
  branch.generation += 1;
  return { branch, generation: branch.generation };
}
