// From the drawing to the outline: what the second pass asks, without the index that drew it.

import type { BranchDraft, Drawing } from './drawing.ts';
import { branchKey, openBranch } from './drawing.ts';
import type { Branch, Outline } from './outline.ts';

/** The outline of what was drawn. A file in which only subagents speak is one session: the first of them. */
export function finishOutline(drawing: Drawing, lines: number): Outline {
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
  const { index, agent, leaves, at } = draft;
  const isMain = draft === main;
  const merged = isMain ? silent : undefined;
  const starter = draft.startedBy === silent?.index ? main.index : draft.startedBy;
  return {
    index,
    kind: isMain ? 'main' : draft.kind,
    first: Math.min(draft.first, merged?.first ?? draft.first),
    last: Math.max(draft.last, merged?.last ?? draft.last),
    ...(agent === undefined ? {} : { agent }),
    ...(leaves === undefined ? {} : { leaves }),
    ...(isMain || starter === undefined ? {} : { startedBy: starter }),
    ...(at === undefined ? {} : { at }),
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
  { answerEnds, resultEnds, kept }: Drawing,
  branches: readonly Branch[],
): Pick<Outline, 'answerEnd' | 'isResultAhead' | 'forksBefore' | 'keptFrom' | 'isAnchor'> {
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
  };
}

function factsOf({ facts }: Drawing): Pick<Outline, 'at' | 'workspace' | 'session' | 'title'> {
  const { at, workspace, session } = facts;
  const title = facts.title ?? facts.opening;
  return {
    ...(at === undefined ? {} : { at }),
    ...(workspace === undefined ? {} : { workspace }),
    ...(session === undefined ? {} : { session }),
    ...(title === undefined ? {} : { title }),
  };
}
