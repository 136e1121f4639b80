// The answer that a model is asked for: its schema, the door that reads it, and the words of a retry. A bad answer is a
// value with a reason, as what a model does is an event and no error.

import type { AnswerPart } from '@tidemark/log';
import { canonicalText } from '@tidemark/log';
import { z } from 'zod';
import { isRecord, parseArguments } from './known-tools.ts';
import { lineOf, keyOfLine } from './excerpt.ts';

/** One schema for each field, none forgotten. */
type ModelShape<T> = { readonly [K in keyof T]-?: z.ZodType<T[K]> };

const words = z.string().min(1);

const position = z.exactOptional(z.int().min(0));

const answer = z.object({
  objective: z.exactOptional(words),
  decisions: z.array(
    z.object({
      what: words,
      why: z.exactOptional(words),
      status: z.enum(['settled', 'tentative', 'reversed']),
      replaces: z.exactOptional(words),
      position,
    } satisfies ModelShape<ModelDecision>),
  ),
  work: z.array(z.object({ what: words, position } satisfies ModelShape<ModelFields['work'][number]>)),
  tasks: z.array(
    z.object({
      task: words,
      status: z.enum(['open', 'active', 'done', 'dropped']),
      position,
    } satisfies ModelShape<ModelTask>),
  ),
  questions: z.array(z.object({ question: words, answer: z.exactOptional(words) } satisfies ModelShape<ModelQuestion>)),
  risks: z.array(words),
  limitations: z.array(words),
} satisfies ModelShape<ModelFields>);

/** The JSON schema of the answer, as canonical JSON. */
export function answerSchema(): string {
  const { $schema: _, ...schema } = z.toJSONSchema(answer);
  return canonicalText(schema);
}

/** Why an answer is of no use. */
export interface UnusableAnswer {
  /**
   * It called tools; it said nothing; what it said is no JSON object; the object does not fit the schema; all lists are empty; two
   * of them contradict.
   */
  readonly code: 'calls' | 'silent' | 'no-json' | 'unfit' | 'empty' | 'contradicts';
  /** What is wrong, in words that fit a retry. Of the answer it repeats names of fields and tools, and lines that contradict. */
  readonly message: string;
}

/** An answer that was read, or why it could not be. */
export type ParsedCheckpoint =
  | { readonly ok: true; readonly fields: ModelFields }
  | { readonly ok: false; readonly unusable: UnusableAnswer };

const MOST_NAMED = 5;

/** Of words of the answer in a retry, in UTF-16 units. */
const MOST_SAID = 300;

/** Reads an answer. Words around the one object, and fields that were not asked for, pass. Nothing is thrown. */
export function parseCheckpoint(said: string | readonly AnswerPart[]): ParsedCheckpoint {
  const parts: readonly AnswerPart[] = typeof said === 'string' ? [{ type: 'text', text: said }] : said;
  const calls = parts.flatMap((part) => (part.type === 'call' ? [lineOf(part.name, 64)] : []));
  if (calls.length > 0) return unusable('calls', `it called tools (${calls.slice(0, MOST_NAMED).join(', ')})`);
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  if (text.trim() === '') return unusable('silent', 'it held no text');
  const value = objectIn(text);
  if (value === undefined) return unusable('no-json', 'its text is no JSON object, or one that was cut');
  const read = answer.safeParse(tidyAnswer(value));
  return read.success ? sound(read.data) : unusable('unfit', `its object does not fit: ${issuesOf(read.error)}`);
}

/** An answer takes the place of the one before it, so an empty one would take everything away. */
function sound(fields: ModelFields): ParsedCheckpoint {
  const { decisions, work, tasks, questions, risks } = fields;
  if ([decisions, work, tasks, questions, risks].every(({ length }) => length === 0))
    return unusable('empty', 'all of its lists are empty');
  const contradiction = contradictionIn(fields);
  return contradiction === undefined ? { ok: true, fields } : unusable('contradicts', lineOf(contradiction, MOST_SAID));
}

/** What is said to the model when it is asked once more. */
export function retryText({ message }: UnusableAnswer): string {
  return `That answer cannot be used: ${message}. Call no tools, and answer with the one JSON object that was asked for.`;
}

function unusable(code: UnusableAnswer['code'], message: string): ParsedCheckpoint {
  return { ok: false, unusable: { code, message } };
}

/** Places of the text where the object is looked for. */
const MOST_STARTS = 20;

/** The first object in the text that has a field of an answer. */
function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  let start = text.indexOf('{');
  for (let tries = 0; start !== -1 && tries < MOST_STARTS; tries += 1) {
    const value = parseArguments(text.slice(start, objectEnd(text, start)));
    if (value !== undefined && Object.keys(value).some((name) => Object.hasOwn(answer.shape, name))) return value;
    start = text.indexOf('{', start + 1);
  }
  return undefined;
}

/** Where the object that begins at a place ends, behind its last bracket. */
function objectEnd(text: string, start: number): number {
  let depth = 0;
  let quoted = false;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (quoted && character === '\\') at += 1;
    else if (character === '"') quoted = !quoted;
    else if (!quoted && character === '{') depth += 1;
    else if (!quoted && character === '}' && (depth -= 1) === 0) return at + 1;
  }
  return text.length;
}

const LISTS = ['decisions', 'work', 'tasks', 'questions', 'risks', 'limitations'] as const;

/** What models call a status of a task. */
const STATUS: ReadonlyMap<unknown, string> = new Map([
  ['completed', 'done'],
  ['finished', 'done'],
  ['in_progress', 'active'],
  ['pending', 'open'],
  ['todo', 'open'],
  ['cancelled', 'dropped'],
]);

/** An answer without what says nothing: `null`, blank lines, and lists that are not there are empty ones. */
function tidyAnswer(value: Readonly<Record<string, unknown>>): unknown {
  const said = Object.entries(value).filter(([, one]) => saysSomething(one));
  const lists = LISTS.map((name) => {
    const list = value[name] ?? [];
    return [name, Array.isArray(list) ? list.map(tidiedItem).filter(saysSomething) : list];
  });
  return { ...Object.fromEntries(said), ...Object.fromEntries(lists) };
}

function tidiedItem(item: unknown): unknown {
  if (!isRecord(item)) return item;
  const entries = Object.entries(item).filter(([, one]) => saysSomething(one));
  if (!entries.some(([name]) => name === 'what' || name === 'task' || name === 'question')) return undefined;
  return Object.fromEntries(entries.map(([name, one]) => [name, name === 'status' ? (STATUS.get(one) ?? one) : one]));
}

function saysSomething(one: unknown): boolean {
  return typeof one === 'string' ? /[\p{L}\p{N}]/u.test(one) : one !== null && one !== undefined;
}

function issuesOf({ issues }: z.ZodError): string {
  const named = issues.slice(0, MOST_NAMED).map(({ path, message }) => `${path.map(String).join('.')}: ${message}`);
  const more = issues.length - named.length;
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join('; ');
}

/**
 * The answer of a model, read and checked. Positions are the model's own word, and are checked where they are merged. Files,
 * commands and the words of the user come from the log alone, so the model is not asked for them.
 */
export interface ModelFields {
  /** What the session is about now. */
  readonly objective?: string;
  readonly decisions: readonly ModelDecision[];
  readonly work: readonly { readonly what: string; readonly position?: number }[];
  readonly tasks: readonly ModelTask[];
  readonly questions: readonly ModelQuestion[];
  readonly risks: readonly string[];
  /** What it says that it could not carry over. */
  readonly limitations: readonly string[];
}

/** A decision as a model has it. */
export interface ModelDecision {
  readonly what: string;
  readonly why?: string;
  readonly status: string;
  /** The words of the decision that no longer holds because of this one. */
  readonly replaces?: string;
  readonly position?: number;
}

/** A task as a model has it. `done` and `dropped` close it. */
export interface ModelTask {
  readonly task: string;
  readonly status: 'open' | 'active' | 'done' | 'dropped';
  readonly position?: number;
}

/** A question as a model has it. An answer closes it. */
export interface ModelQuestion {
  readonly question: string;
  readonly answer?: string;
}

/** Returns why the lists of an answer contradict one another; `undefined` where they do not. */
function contradictionIn({ decisions, work, tasks, questions }: ModelFields): string | undefined {
  const standing = new Set(decisions.filter(({ status }) => status !== 'reversed').map(({ what }) => keyOfLine(what)));
  const replaced = decisions.find(({ replaces }) => replaces !== undefined && standing.has(keyOfLine(replaces)));
  if (replaced !== undefined) return `the decision "${replaced.replaces}" is listed, and another one replaces it`;
  const reversed = twice(
    decisions,
    ({ what }) => what,
    ({ status }) => status === 'reversed',
  );
  if (reversed !== undefined) return `the decision "${reversed}" is listed both as settled and as reversed`;
  const done = new Set(work.map(({ what }) => keyOfLine(what)));
  const both = tasks.find((one) => !isClosed(one) && done.has(keyOfLine(`Task done: ${one.task}`)));
  if (both !== undefined) return `the task "${both.task}" is listed as open, and as work done`;
  const task = twice(tasks, (one) => one.task, isClosed);
  if (task !== undefined) return `the task "${task}" is listed both as open and as ended`;
  const question = twice(
    questions,
    (one) => one.question,
    (one) => one.answer !== undefined,
  );
  return question === undefined ? undefined : `the question "${question}" is listed both with and without its answer`;
}

/** Returns true for a task that its status closes. */
export function isClosed({ status }: Pick<ModelTask, 'status'>): boolean {
  return status === 'done' || status === 'dropped';
}

/** Returns the words of one that is listed both closed and open. */
function twice<T>(all: readonly T[], wordsOf: (one: T) => string, closed: (one: T) => boolean): string | undefined {
  const ended = new Set(all.filter(closed).map((one) => keyOfLine(wordsOf(one))));
  const open = all.find((one) => !closed(one) && ended.has(keyOfLine(wordsOf(one))));
  return open === undefined ? undefined : wordsOf(open);
}
