// Merges the fields of the previous checkpoint, the facts from new records, and the items from a model. Carried fields
// are not summarized again. A model's new answer replaces its earlier answer and closes the items that it names.

import { defined } from '@tidemark/core';
import type { Position } from '@tidemark/log';
import type {
  Checkpoint,
  CheckpointLists,
  CommandRun,
  Decision,
  Directive,
  FileState,
  Objective,
  ReadAgain,
  Remark,
  SubagentState,
  WorkDone,
} from './checkpoint.ts';
import { keyOfLine, oneLine } from './excerpt.ts';
import type { Met } from './from-calls.ts';
import { commandsOf, filesOf, plansOf } from './from-calls.ts';
import type { Gathered } from './gather.ts';
import { endsAny, mergeTasks } from './plan-tasks.ts';
import type { ModelAdds } from './model-adds.ts';
import { withoutModel } from './model-adds.ts';
import type { Plan } from './plan-tasks.ts';
import { isCommand, isRequest, isShortPrompt } from './requests.ts';

/**
 * Names of skills, paths of files and positions of prompts that remain in the context after the checkpoint. The
 * checkpoint does not repeat them.
 */
export interface ContextAfterCheckpoint {
  readonly skills: ReadonlySet<string>;
  readonly files: ReadonlySet<string>;
  readonly prompts: ReadonlySet<number>;
}

/** All merged fields before they are reduced to the token limit. */
export interface Merged extends CheckpointLists {
  readonly objective?: Objective;
}

const INSTRUCTIONS = /(^|[\\/])AGENTS\.md$/;

/**
 * Merges the previous checkpoint, the facts from new records and the items from a model. Lists are in log order.
 * Repeated entries for the same item become one entry with the latest values. `remaining` names the content that
 * remains after the checkpoint. The lists do not repeat this content.
 */
export function mergeFields(
  previous: Checkpoint | undefined,
  found: Gathered,
  adds: ModelAdds | undefined,
  remaining: ContextAfterCheckpoint,
): Merged {
  const before = previous && adds ? withoutModel(previous) : previous;
  const plans = plansOf(found.calls);
  const met = filesOf(found.calls);
  const { tasks, done } = mergeTasks(before?.tasks ?? [], plans, adds?.tasks ?? []);
  const proven = [...(before?.work ?? []), ...found.work, ...done];
  // A model cannot reopen a task whose end is proven by the log.
  const open = tasks.filter(
    (one) =>
      adds?.closes.tasks.has(keyOfLine(one.task)) !== true &&
      !(one.by === 'model' && proven.some((work) => work.by === undefined && endsAny([one], [])(work))),
  );
  const questions = mergeRemarks(before?.questions, plans, (plan) => plan.questions, adds?.questions).filter(
    ({ text }) => adds?.closes.questions.has(keyOfLine(text)) !== true,
  );
  const isReopened = endsAny(open, questions);
  const planned = plans.flatMap(({ position, decisions }) => decisions.map((one) => ({ position, ...one })));
  return {
    ...objectiveOf(before, found, adds),
    directives: directivesOf(before, found, remaining),
    decisions: mergeDecisions([...(before?.decisions ?? []), ...planned], adds),
    work: mergeWork([...proven, ...(adds?.work ?? [])]).filter((one) => !isReopened(one)),
    ...mergeFiles(before, met),
    commands: mergeCommands([...(before?.commands ?? []), ...commandsOf(found.calls)]),
    tasks: open,
    questions,
    risks: mergeRemarks(before?.risks, plans, ({ risks }) => risks, adds?.risks),
    subagents: mergeSubagents(before?.subagents ?? [], found.subagents),
    instructions: latest([...(before?.instructions ?? []), ...instructionsIn(met)], remaining.files),
    skills: latest([...(before?.skills ?? []), ...found.skills], remaining.skills),
  };
}

/** Maximum number of short prompts that are listed with the objective. */
const MAX_SHORT_PROMPTS = 3;

/**
 * Returns the latest request and the last short prompts after it. Code cannot decide if a short prompt is a new
 * request, so the short prompts are shown to the model.
 */
function objectiveOf(
  before: Checkpoint | undefined,
  { directives }: Gathered,
  adds: ModelAdds | undefined,
): Pick<Merged, 'objective'> {
  const newest = directives.findLast(({ text, steer }) => steer !== true && isRequest(text));
  const first = directives.find(({ text }) => text !== '' && !isCommand(text));
  const asked = newest ?? before?.objective ?? first;
  if (asked === undefined) return {};
  const { position, text, of } = asked;
  const quote = defined({ position, text, of });
  const short = directives.filter((one) => one.position > position && one.steer !== true && isShortPrompt(one.text));
  const since = [...(newest === undefined ? (before?.objective?.since ?? []) : []), ...short].slice(-MAX_SHORT_PROMPTS);
  const now = adds?.objective ?? (newest === undefined ? before?.objective?.now : undefined);
  return {
    objective: {
      ...quote,
      ...(since.length > 0 && { since: since.map((one) => ({ position: one.position, text: one.text })) }),
      ...defined({ now }),
    },
  };
}

function directivesOf(
  before: Checkpoint | undefined,
  { directives }: Gathered,
  { prompts }: ContextAfterCheckpoint,
): readonly Directive[] {
  const given = directives.filter(({ text }) => text !== '');
  return [...(before?.directives ?? []), ...given].map((one) => {
    const { below: _, ...quote } = one;
    return prompts.has(one.position) ? { ...quote, below: true } : quote;
  });
}

function mergeDecisions(proven: readonly Decision[], adds: ModelAdds | undefined): readonly Decision[] {
  const closed = adds?.closes.decisions;
  const merged = lastOfEach(
    [...proven, ...(adds?.decisions ?? [])],
    ({ what }) => keyOfLine(what),
    (was, is) => {
      // If a model repeats a decision from the log, the decision from the log stays unchanged. Only the status
      // `reversed` is accepted.
      if (is.by === 'model' && was.by === undefined && is.status !== 'reversed') return was;
      const { by: _, ...decision } = { ...was, ...is, position: was.position };
      return is.by === undefined ? decision : { ...decision, by: is.by };
    },
  );
  const standing = merged.filter(({ what }) => closed?.has(keyOfLine(what)) !== true);
  return inOrder(withoutReplaced(standing));
}

/**
 * Removes decisions that another decision replaces. The text in `replaces` may differ slightly from the replaced
 * decision, but must match exactly one decision. A decision of a model cannot replace a newer decision from the log. In
 * this case, the decision of the model is removed.
 */
function withoutReplaced(decisions: readonly Decision[]): readonly Decision[] {
  const gone = new Set<Decision>();
  for (const one of decisions) {
    const { replaces } = one;
    if (replaces === undefined) continue;
    const meant = decisions.filter((other) => other !== one && isNearly(other.what, replaces));
    const [other] = meant;
    if (other === undefined || meant.length > 1) continue;
    gone.add(one.by === 'model' && other.by === undefined && other.position > one.position ? one : other);
  }
  return decisions.filter((one) => !gone.has(one));
}

/** Checks if all words of the shorter line are in the longer line. */
function isNearly(a: string, b: string): boolean {
  const [one, other] = [a, b].map((line) => new Set(keyOfLine(line).match(/[\p{L}\p{N}]+/gu) ?? []));
  if (one === undefined || other === undefined || one.size === 0 || other.size === 0) return false;
  const [few, many] = one.size < other.size ? [one, other] : [other, one];
  return [...few].every((word) => many.has(word));
}

function mergeWork(work: readonly WorkDone[]): readonly WorkDone[] {
  return inOrder(
    lastOfEach(
      work,
      ({ what }) => keyOfLine(what),
      (was) => was,
    ),
  );
}

function mergeFiles(
  before: Checkpoint | undefined,
  met: readonly Met[],
): Pick<CheckpointLists, 'filesRead' | 'filesChanged'> {
  const was = [
    ...(before?.filesRead ?? []).map((file): Met => ({ ...file, as: 'read' })),
    ...(before?.filesChanged ?? []).map((file): Met => ({ ...file, as: 'changed' })),
  ];
  const files = lastOfEach(
    [...was, ...met],
    ({ path }) => path,
    (first, last) => ({
      ...last,
      as: first.as === 'changed' ? 'changed' : last.as,
    }),
  );
  const state = (as: Met['as']): readonly FileState[] => inOrder(files.filter((file) => file.as === as).map(stateOf));
  return { filesRead: state('read'), filesChanged: state('changed') };
}

function stateOf(met: Met): FileState {
  // Names are removed here because each checkpoint selects them again.
  const { as: _, names: __, ...state } = met;
  return state;
}

function mergeCommands(commands: readonly CommandRun[]): readonly CommandRun[] {
  return inOrder(
    lastOfEach(
      commands,
      ({ command, folder = '' }) => `${folder}\n${command}`,
      (was, is) => ({ ...is, runs: was.runs + is.runs, ...failureBefore(was, is) }),
    ),
  );
}

/**
 * Returns the last failure of a command whose last run passed. Returns no fields if the last run did not pass or if the
 * command never failed.
 */
function failureBefore(was: CommandRun, is: CommandRun): Pick<CommandRun, 'failedAt' | 'failure'> {
  if (is.outcome !== 'passed') return {};
  const failed = was.outcome === 'failed' ? { failedAt: was.position, failure: was.excerpt } : was;
  return defined({ failedAt: failed.failedAt, failure: failed.failure });
}

/** Merges questions or risks. A plan adds or closes them. A later plan can add a closed question or risk again. */
function mergeRemarks(
  before: readonly Remark[] = [],
  plans: readonly (Plan & { readonly position: Position })[],
  pick: (plan: Plan) => readonly string[],
  adds: readonly Remark[] = [],
): readonly Remark[] {
  const open = new Map<string, Remark>();
  const add = (remark: Remark): void => {
    const key = keyOfLine(remark.text);
    if (!open.has(key)) open.set(key, remark);
  };
  before.forEach(add);
  for (const plan of plans) {
    for (const text of plan.closed) open.delete(keyOfLine(text));
    for (const text of pick(plan)) add({ position: plan.position, text });
  }
  adds.forEach(add);
  return [...open.values()];
}

function mergeSubagents(
  before: readonly SubagentState[],
  found: ReadonlyMap<string, SubagentState>,
): readonly SubagentState[] {
  const merged = lastOfEach(
    [...before, ...found.values()],
    ({ id }) => id,
    (was, is) => ({ ...was, ...is }),
  );
  return inOrder(merged);
}

function instructionsIn(met: readonly Met[]): readonly ReadAgain[] {
  return met
    .filter(({ path, removed }) => INSTRUCTIONS.test(path) && removed !== true)
    .map(({ position, path, digest }) => defined({ position, name: path, version: digest?.slice(0, 12) }));
}

function latest(all: readonly ReadAgain[], remaining: ReadonlySet<string>): readonly ReadAgain[] {
  return inOrder(
    lastOfEach(
      all,
      ({ name }) => name,
      (_, is) => is,
    ).filter(({ name }) => !remaining.has(name)),
  );
}

/**
 * Merges all items that have the same key. `join` merges two of them. The merged item is at the index of the first item
 * with its key.
 */
function lastOfEach<T>(all: readonly T[], keyOf: (one: T) => string, join: (was: T, is: T) => T): readonly T[] {
  const found = new Map<string, T>();
  for (const one of all) {
    const key = oneLine(keyOf(one));
    const was = found.get(key);
    found.set(key, was === undefined ? one : join(was, one));
  }
  return [...found.values()];
}

function inOrder<T extends { readonly position: Position }>(all: readonly T[]): readonly T[] {
  return all.toSorted((a, b) => a.position - b.position);
}
