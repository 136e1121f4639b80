// What is still to be done, carried through plans: a task leaves the list when a plan says that it is done or dropped,
// and never because a later plan is silent about it.

import type { Position } from '@tidemark/log';
import type { Remark, Task, WorkDone } from './checkpoint.ts';
import { keyOfLine } from './excerpt.ts';
import type { Plan } from './read-plan.ts';

/** The open tasks behind these plans, and those that they ended. */
export interface MergedTasks {
  readonly tasks: readonly Task[];
  readonly done: readonly WorkDone[];
}

/** Merges. A model adds tasks that are not there. */
export function mergeTasks(
  before: readonly Task[],
  plans: readonly (Pick<Plan, 'tasks'> & { readonly position: Position })[],
  adds: readonly Task[],
): MergedTasks {
  let open: ReadonlyMap<string, Task> = new Map(before.map((task) => [keyOfLine(task.task), task]));
  const done: WorkDone[] = [];
  for (const plan of plans) {
    const next = new Map([...open].map(([key, task]) => [key, unlisted(task)]));
    for (const { task, status } of plan.tasks) {
      const key = keyOfLine(task);
      const was = open.get(key);
      if (status === 'open' || status === 'active')
        next.set(key, { position: was?.position ?? plan.position, task, status });
      else if (next.delete(key) || !ended(done, task))
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

/** What a model wrote was never on a plan: that none names it says nothing. */
function unlisted(task: Task): Task {
  return task.by === 'model' ? task : { ...task, status: 'unlisted' };
}

/** Returns true for the work that says of an open task, or of an open question, that it ended: it was opened again since. */
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

function ended(done: readonly WorkDone[], task: string): boolean {
  return done.some(({ what }) => what === ending(task, 'done') || what === ending(task, 'dropped'));
}
