// Answer of a model that helps with a checkpoint: its schema, its parser, and the text of a retry. If an answer is
// unusable, the parser returns a reason and does not throw an error, because a bad answer is not a fault of this
// program.

import type { AnswerPart } from '@tidemark/log';
import { canonicalText } from '@tidemark/log';
import { z } from 'zod';
import { isRecord, parseArguments } from './known-tools.ts';
import { lineOf, keyOfLine } from './excerpt.ts';

/** Object with one schema for each field of `T`. A missing field is a type error. */
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

/** Returns the JSON schema of the answer, as canonical JSON. */
export function answerSchema(): string {
  const { $schema: _, ...schema } = z.toJSONSchema(answer);
  return canonicalText(schema);
}

/** Reason why an answer cannot be used. */
export interface UnusableAnswer {
  /**
   * Kind of fault. `calls`: the answer calls tools. `silent`: the answer contains no text. `no-json`: the text contains
   * no complete JSON object with a known field. `unfit`: the object does not match the schema. `empty`: the lists of
   * decisions, work, tasks, questions and risks are all empty. `contradicts`: two entries contradict each other.
   */
  readonly code: 'calls' | 'silent' | 'no-json' | 'unfit' | 'empty' | 'contradicts';
  /**
   * Description of the fault for the retry. It quotes only field names, tool names and contradicting lines from the
   * answer.
   */
  readonly message: string;
}

/** Result of parsing an answer: its fields, or the reason why it cannot be used. */
export type ParsedCheckpoint =
  | { readonly ok: true; readonly fields: ModelFields }
  | { readonly ok: false; readonly unusable: UnusableAnswer };

const MAX_NAMES = 5;

/** Maximum length of the description of a contradiction, in UTF-16 units. */
const MAX_CONTRADICTION = 300;

/** Parses an answer. Text around the object and unknown fields are ignored. It never throws. */
export function parseCheckpoint(answered: string | readonly AnswerPart[]): ParsedCheckpoint {
  const parts: readonly AnswerPart[] = typeof answered === 'string' ? [{ type: 'text', text: answered }] : answered;
  const calls = parts.flatMap((part) => (part.type === 'call' ? [lineOf(part.name, 64)] : []));
  if (calls.length > 0) return unusable('calls', `it called tools (${calls.slice(0, MAX_NAMES).join(', ')})`);
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
  if (text.trim() === '') return unusable('silent', 'it contained no text');
  const value = objectIn(text);
  if (value === undefined) return unusable('no-json', 'its text contains no JSON object, or only a part of one');
  const read = answer.safeParse(tidyAnswer(value));
  return read.success
    ? sound(read.data)
    : unusable('unfit', `its object does not match the schema: ${issuesOf(read.error)}`);
}

/**
 * Checks that a parsed answer does not contradict itself and is not empty. An empty answer would replace the previous
 * answer, and all items that the model wrote before would be lost.
 */
function sound(fields: ModelFields): ParsedCheckpoint {
  const { decisions, work, tasks, questions, risks } = fields;
  if ([decisions, work, tasks, questions, risks].every(({ length }) => length === 0))
    return unusable('empty', 'all of its lists are empty');
  const contradiction = contradictionIn(fields);
  return contradiction === undefined
    ? { ok: true, fields }
    : unusable('contradicts', lineOf(contradiction, MAX_CONTRADICTION));
}

/** Returns the text that asks the model to answer again. */
export function retryText({ message }: UnusableAnswer): string {
  return `That answer cannot be used: ${message}. Call no tools, and answer with only the JSON object of the schema.`;
}

function unusable(code: UnusableAnswer['code'], message: string): ParsedCheckpoint {
  return { ok: false, unusable: { code, message } };
}

/** Maximum number of opening braces at which parsing is tried. */
const MAX_STARTS = 20;

function objectIn(text: string): Readonly<Record<string, unknown>> | undefined {
  let start = text.indexOf('{');
  for (let tries = 0; start !== -1 && tries < MAX_STARTS; tries += 1) {
    const value = parseArguments(text.slice(start, objectEnd(text, start)));
    if (value !== undefined && Object.keys(value).some((name) => Object.hasOwn(answer.shape, name))) return value;
    start = text.indexOf('{', start + 1);
  }
  return undefined;
}

/**
 * Returns the offset after the closing brace of the object that begins at `start`, or the length of the text if the
 * object is not closed.
 */
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

/** Other words that models use for the status of a task. */
const STATUS: ReadonlyMap<unknown, string> = new Map([
  ['completed', 'done'],
  ['finished', 'done'],
  ['in_progress', 'active'],
  ['pending', 'open'],
  ['todo', 'open'],
  ['cancelled', 'dropped'],
]);

/**
 * Removes empty values (`null` and strings without letters or digits) and items without a text, and replaces the words
 * in `STATUS`. Missing lists become empty lists.
 */
function tidyAnswer(value: Readonly<Record<string, unknown>>): unknown {
  const filled = Object.entries(value).filter(([, one]) => saysSomething(one));
  const lists = LISTS.map((name) => {
    const list = value[name] ?? [];
    return [name, Array.isArray(list) ? list.map(tidiedItem).filter(saysSomething) : list];
  });
  return { ...Object.fromEntries(filled), ...Object.fromEntries(lists) };
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
  const named = issues.slice(0, MAX_NAMES).map(({ path, message }) => `${path.map(String).join('.')}: ${message}`);
  const more = issues.length - named.length;
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join('; ');
}

/**
 * Parsed answer of a model. Its positions are not verified here: `placeAdds` checks them against the range. Files,
 * commands and the user's prompts come only from the log, so the model is not asked for them.
 */
export interface ModelFields {
  /** Current subject of the session. */
  readonly objective?: string;
  readonly decisions: readonly ModelDecision[];
  readonly work: readonly { readonly what: string; readonly position?: number }[];
  readonly tasks: readonly ModelTask[];
  readonly questions: readonly ModelQuestion[];
  readonly risks: readonly string[];
  /** Content that the model could not carry over, as described by the model. */
  readonly limitations: readonly string[];
}

/** Decision as written by a model. */
export interface ModelDecision {
  readonly what: string;
  readonly why?: string;
  readonly status: string;
  /** Text of the earlier decision that this decision replaces. */
  readonly replaces?: string;
  readonly position?: number;
}

/** Task as written by a model. The statuses `done` and `dropped` close it. */
export interface ModelTask {
  readonly task: string;
  readonly status: 'open' | 'active' | 'done' | 'dropped';
  readonly position?: number;
}

/** Question as written by a model. An answer closes it. */
export interface ModelQuestion {
  readonly question: string;
  readonly answer?: string;
}

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

export function isClosed({ status }: Pick<ModelTask, 'status'>): boolean {
  return status === 'done' || status === 'dropped';
}

/**
 * Returns the text of an item that is listed both as closed and as open. Returns `undefined` if there is no such item.
 */
function twice<T>(all: readonly T[], wordsOf: (one: T) => string, closed: (one: T) => boolean): string | undefined {
  const ended = new Set(all.filter(closed).map((one) => keyOfLine(wordsOf(one))));
  const open = all.find((one) => !closed(one) && ended.has(keyOfLine(wordsOf(one))));
  return open === undefined ? undefined : wordsOf(open);
}
