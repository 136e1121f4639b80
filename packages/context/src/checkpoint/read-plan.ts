// What a call of a planning tool says: tasks, decisions, questions and risks. Lenient, as recordings of other programs
// name the same things otherwise; what has no words is passed over.

import { isRecord, textIn } from './call-arguments.ts';
import { carriedLine } from './excerpt.ts';

/** A plan as a call gave it. */
export interface Plan {
  readonly tasks: readonly { readonly task: string; readonly status: PlanStatus }[];
  readonly decisions: readonly { readonly what: string; readonly why?: string; readonly status: string }[];
  readonly questions: readonly string[];
  readonly risks: readonly string[];
  /** Questions and risks that no longer stand. */
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

/** Whether a tool of this name keeps a plan. */
export function isPlanTool(name: string): boolean {
  return TOOLS.has(name);
}

/** The plan in the arguments of such a call. A status that is not known is `open`: nothing is closed by a guess. */
export function readPlan(value: Readonly<Record<string, unknown>>): Plan {
  const tasks = listIn(value, ['tasks', 'plan', 'todos']).flatMap((one) => {
    const task = wordsOf(one, ['task', 'step', 'content', 'title']);
    return task === undefined ? [] : [{ task, status: STATUS.get(statusOf(one)) ?? 'open' }];
  });
  const decisions = listIn(value, ['decisions']).flatMap((one) => {
    const what = wordsOf(one, ['what', 'decision']);
    const why = isRecord(one) ? wordsOf(one, ['why', 'reason']) : undefined;
    return what === undefined ? [] : [{ what, ...(why !== undefined && { why }), status: statusOf(one) ?? 'in force' }];
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
