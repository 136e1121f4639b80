// Results of calls: the parts of a result that are shown below the line of a call. They come from the arguments and the
// text that the log contains.

import { parseJson } from '@tidemark/log';

import { reasonOfHook } from '../../present/denials.ts';
import type { OutputExcerpt, PlannedTask, PrintedCall } from './blocks.ts';

/** A call that has ended, with its arguments as JSON and the text of its result. */
export interface EndedCall {
  readonly tool: string;
  readonly arguments: string;
  readonly outcome: PrintedCall['outcome'];
  readonly exit: number | undefined;
  readonly text: string;
  /** Number of lines of the whole output, if the result contains only a part of it. */
  readonly lines?: number | undefined;
}

const EXCERPT_LINES = 8;
/** Lines of the output of a command that succeeded. */
const GOOD_LINES = 3;
/** Maximum length of a shown line, in characters. */
const LONGEST = 2_000;

/** Returns the diff of a call, and the excerpt of its output. */
export function resultParts(call: EndedCall): Pick<PrintedCall, 'diff' | 'excerpt'> {
  const { outcome, exit, text } = call;
  if (outcome === 'denied') return excerptPart(excerptOf(reasonOfHook(text), 'after'));
  if (outcome === 'interrupted') return excerptPart(excerptOf(text.replace(END_LINES, ''), 'before'));
  if (outcome !== 'ok' && outcome !== 'failed') return {};
  // A command reports its error at the end of its output. The line with its exit code is in the title already.
  if (exit !== undefined && exit !== 0) return excerptPart(excerptOf(withoutExit(text), 'before'));
  if (outcome === 'failed') return excerptPart(excerptOf(text, 'after'));
  // The line with the exit code is at the end of the result. It says nothing new here.
  if (call.tool === 'bash') return excerptPart(excerptOf(withoutExit(text), 'before', GOOD_LINES));
  const diff = diffOf(call);
  return diff === undefined ? {} : { diff };
}

function withoutExit(text: string): string {
  return text.trimEnd().replace(/\n?\[exit \d+\]$/, '');
}

/** Lines that the tool `bash` adds at the end of a result. */
const END_LINES = /(?:(?:^|\n)\[[^\n]*\])+$/;

/** Returns true if the result of a failed call reports that the user interrupted the command. */
export function isInterrupted(tool: string, text: string): boolean {
  return tool === 'bash' && /\n\[interrupted: /.test(`\n${END_LINES.exec(text)?.[0] ?? ''}`);
}

function excerptPart(excerpt: OutputExcerpt): Pick<PrintedCall, 'excerpt'> {
  return excerpt.lines.length === 0 ? {} : { excerpt };
}

function excerptOf(text: string, leftOut: OutputExcerpt['leftOut'], most: number = EXCERPT_LINES): OutputExcerpt {
  const lines = text
    .trim()
    .split('\n')
    .filter((line, index) => line !== '' || index > 0);
  const shown = leftOut === 'after' ? lines.slice(0, most) : lines.slice(-most);
  return {
    lines: shown.map((line) => (line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line)),
    left: lines.length - shown.length,
    leftOut,
  };
}

/** Returns the diff in the result of an edit. For a new file, all lines of its content are added lines. */
function diffOf({ tool, arguments: input, text }: EndedCall): string | undefined {
  if (tool !== 'edit' && tool !== 'write') return undefined;
  const at = text.search(/^@@ -\d/m);
  if (at !== -1) return text.slice(at).trimEnd();
  if (tool !== 'write' || !text.startsWith('created ')) return undefined;
  const content = fieldOf(input, 'content');
  if (typeof content !== 'string' || content === '') return undefined;
  const lines = content.replace(/\r?\n$/, '').split(/\r?\n/);
  return [`@@ -0,0 +1,${lines.length} @@`, ...lines.map((line) => `+${line}`)].join('\n');
}

const STATUSES: readonly PlannedTask['status'][] = ['open', 'active', 'done', 'dropped'];

/** Returns the plan after a `plan` call: the open tasks so far with their new status, and the new tasks. */
export function planAfter(plan: readonly PlannedTask[], input: string): readonly PlannedTask[] {
  const tasks = new Map(
    plan.filter(({ status }) => status === 'open' || status === 'active').map((task) => [keyOf(task.task), task]),
  );
  const given = fieldOf(input, 'tasks');
  for (const one of Array.isArray(given) ? given : []) {
    const task = plannedTask(one);
    if (task !== undefined) tasks.set(keyOf(task.task), task);
  }
  return [...tasks.values()];
}

function plannedTask(value: unknown): PlannedTask | undefined {
  if (typeof value !== 'object' || value === null || !('task' in value) || !('status' in value)) return undefined;
  const { task } = value;
  const status = STATUSES.find((one) => one === value.status);
  return typeof task === 'string' && status !== undefined ? { task, status } : undefined;
}

function keyOf(task: string): string {
  return task.trim().toLowerCase();
}

/** Returns a field of the arguments of a call. Arguments that are not a JSON object have no fields. */
function fieldOf(input: string, name: 'content' | 'tasks'): unknown {
  try {
    const value = parseJson(input);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return new Map<string, unknown>(Object.entries(value)).get(name);
  } catch {
    return undefined;
  }
}
