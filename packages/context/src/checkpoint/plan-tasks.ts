// Open tasks across several plans. A task leaves the list when a plan marks it as done or dropped. A task that a later
// plan does not mention stays.

import { defined } from '@tidemark/core';
import type { Position } from '@tidemark/log';
import type { Remark, Task, WorkDone } from './checkpoint.ts';
import { keyOfLine, carriedLine } from './excerpt.ts';
import { isRecord, textIn } from './known-tools.ts';

/** Open tasks after all plans, and the tasks that the plans ended. */
export interface MergedTasks {
  readonly tasks: readonly Task[];
  readonly done: readonly WorkDone[];
}

/**
 * Merges the tasks of the previous checkpoint, of the plans and of a model. A model can only add tasks that are not in
 * the list.
 */
export function mergeTasks(
  before: readonly Task[],
  plans: readonly (Pick<Plan, 'tasks'> & { readonly position: Position })[],
  adds: readonly Task[],
): MergedTasks {
  let open: ReadonlyMap<string, Task> = new Map(before.map((task) => [keyOfLine(task.task), task]));
  const done: WorkDone[] = [];
  for (const plan of plans) {
    const next = new Map([...open].map(([key, task]) => [key, unlistTask(task)]));
    for (const { task, status } of plan.tasks) {
      const key = keyOfLine(task);
      const was = open.get(key);
      if (status === 'open' || status === 'active')
        next.set(key, { position: was?.position ?? plan.position, task, status });
      else if (next.delete(key) || !hasEnded(done, task))
        done.push({ position: plan.position, what: ending(task, status) });
    }
    open = next;
  }
  const added = new Map<string, Task>();
  for (const task of adds) {
    const key = keyOfLine(task.task);
    if (!open.has(key) && added.get(key)?.status !== 'active') added.set(key, task);
  }
  return { tasks: [...open.values(), ...added.values()], done };
}

/**
 * Marks a task as missing from the latest plan. A task from a model stays unchanged, because it was never in a plan.
 */
function unlistTask(task: Task): Task {
  return task.by === 'model' ? task : { ...task, status: 'unlisted' };
}

/**
 * Returns a function that checks if an item of work reports the end of one of these tasks or questions. The function
 * compares the item's text with the texts that `mergeTasks` and `placeAdds` write for an end.
 */
export function endsAny(
  tasks: readonly Task[],
  questions: readonly Remark[],
): (work: Pick<WorkDone, 'what'>) => boolean {
  const endings = new Set(
    tasks
      .flatMap(({ task }) =>
        ['done', 'dropped'].flatMap((status) => [`Task ${status}, by the plan: ${task}`, `Task ${status}: ${task}`]),
      )
      .map(keyOfLine),
  );
  const answered = questions.map(({ text }) => keyOfLine(`Question answered: ${text}`));
  return ({ what }) => {
    const key = keyOfLine(what);
    return endings.has(key) || answered.some((one) => key.startsWith(one));
  };
}

function ending(task: string, status: 'done' | 'dropped'): string {
  return status === 'done' ? `Task done, by the plan: ${task}` : `Task dropped, by the plan: ${task}`;
}

function hasEnded(done: readonly WorkDone[], task: string): boolean {
  return done.some(({ what }) => what === ending(task, 'done') || what === ending(task, 'dropped'));
}

/**
 * Plan from a call of a planning tool. Other programs use other field names, so `readPlan` accepts several. Entries
 * without text are skipped.
 */
export interface Plan {
  readonly tasks: readonly { readonly task: string; readonly status: PlanStatus }[];
  readonly decisions: readonly { readonly what: string; readonly why?: string; readonly status: string }[];
  readonly questions: readonly string[];
  readonly risks: readonly string[];
  /** Questions and risks that the plan closes. */
  readonly closed: readonly string[];
}

type PlanStatus = 'open' | 'active' | 'done' | 'dropped';

const TOOLS: ReadonlySet<string> = new Set(['plan', 'update_plan', 'TodoWrite', 'todo_write']);

const STATUS: ReadonlyMap<string | undefined, PlanStatus> = new Map([
  ['active', 'active'],
  ['in_progress', 'active'],
  ['done', 'done'],
  ['completed', 'done'],
  ['dropped', 'dropped'],
  ['cancelled', 'dropped'],
]);

export function isPlanTool(name: string): boolean {
  return TOOLS.has(name);
}

/**
 * Returns the plan in the arguments of a planning call. An unknown status counts as `open`, so no task is closed by
 * mistake.
 */
export function readPlan(value: Readonly<Record<string, unknown>>): Plan {
  const tasks = listIn(value, ['tasks', 'plan', 'todos']).flatMap((one) => {
    const task = wordsOf(one, ['task', 'step', 'content', 'title']);
    return task === undefined ? [] : [{ task, status: STATUS.get(statusOf(one)) ?? 'open' }];
  });
  const decisions = listIn(value, ['decisions']).flatMap((one) => {
    const what = wordsOf(one, ['what', 'decision']);
    const why = isRecord(one) ? wordsOf(one, ['why', 'reason']) : undefined;
    return what === undefined ? [] : [defined({ what, why, status: statusOf(one) ?? 'in force' })];
  });
  return {
    tasks,
    decisions,
    questions: remarksIn(value, 'questions'),
    risks: remarksIn(value, 'risks'),
    closed: remarksIn(value, 'closed'),
  };
}

function remarksIn(value: Readonly<Record<string, unknown>>, name: string): readonly string[] {
  return listIn(value, [name]).flatMap((one) => wordsOf(one, ['text']) ?? []);
}

function listIn(value: Readonly<Record<string, unknown>>, names: readonly string[]): readonly unknown[] {
  return (
    names
      .map((name) => (Object.hasOwn(value, name) ? value[name] : undefined))
      .find((found): found is readonly unknown[] => Array.isArray(found)) ?? []
  );
}

function wordsOf(one: unknown, names: readonly string[]): string | undefined {
  const words = typeof one === 'string' ? one : isRecord(one) ? textIn(one, names) : undefined;
  const line = words === undefined ? '' : carriedLine(words);
  return line === '' ? undefined : line;
}

function statusOf(one: unknown): string | undefined {
  return isRecord(one) ? textIn(one, ['status']) : undefined;
}
