// Script of the nine prompts: a coding session in which each prompt asks for work in one area of a shop, and each turn
// takes about 40 steps. In a turn the model plans, searches, reads the area and runs its tests. It changes files and
// tests until the tests pass, looks at another area, adds a file, checks the types and runs all tests. The script is
// the same in every run.

import { randomNumbers } from '../made-text.ts';
import { fullRun, testRun, typeCheck } from './command-outputs.ts';
import type { MadeArea, MadeFunction, MadeSource } from './made-shop.ts';
import { makeArea, makeFunction, textOfSource } from './made-shop.ts';

/** One call of a step. */
export interface CodingCall {
  readonly name: 'read' | 'grep' | 'find' | 'edit' | 'write' | 'bash' | 'plan';
  readonly arguments: { readonly [key: string]: unknown };
  /** Output of the command, for `bash`. */
  readonly output?: string;
  readonly exit?: number;
}

/** One step: the text of the model and its calls. */
export interface CodingStep {
  readonly text: string;
  readonly calls: readonly CodingCall[];
}

/** One prompt, the steps of its turn, and the text that ends the turn. */
export interface CodingPrompt {
  readonly words: string;
  readonly steps: readonly CodingStep[];
  readonly closing: string;
  /** Milliseconds before the prompt. */
  readonly pause: number;
}

/** Prompts of a coding session, with the project's files at its start. */
export interface CodingSession {
  /** Texts of the project's files by path, before the first prompt. */
  readonly files: ReadonlyMap<string, string>;
  readonly prompts: readonly CodingPrompt[];
}

const WORK: readonly (readonly [area: string, words: string])[] = [
  ['invoice', 'Round the tax of an invoice for each line, not for the total, and keep the old way for drafts.'],
  [
    'refund',
    'A refund in another currency uses the rate of today. Use the rate of the invoice, and say so in the notice.',
  ],
  ['shipping', 'Parcels above 31.5 kg are refused by the carrier. Split them, and show the parts on the label page.'],
  ['coupon', 'Two coupons on one order are added up. Apply the better one alone, and tell which one it was.'],
  [
    'account',
    'Closing an account leaves its open drafts behind. Close these first, and keep an audit record for each.',
  ],
  ['search', 'The search finds archived entries. Leave them out unless they are asked for, also in the counts.'],
  ['export', 'The monthly export stops at the first bad row. Skip such rows, and list them at its end.'],
  ['webhook', 'A webhook that fails is sent again at once. Wait longer each time, and give up after eight tries.'],
  ['report', 'The weekly report counts refunds twice. Find out where, fix it, and add a test that would have seen it.'],
];

const MINUTE = 60_000;

/** Makes the session, or only its first `prompts` prompts. */
export function codingSession(prompts: number = WORK.length): CodingSession {
  const areas = WORK.map(([name], index) => makeArea(name, 100 + index));
  const shared = makeArea('shared', 99);
  const sources = [shared, ...areas].flatMap((area) => [...area.sources, ...area.tests]);
  const project: Project = { areas, shared, texts: new Map(sources.map((one) => [one.path, textOfSource(one)])) };
  const files = new Map(project.texts);
  return { files, prompts: WORK.slice(0, prompts).map(([, words], index) => codingPrompt(project, words, index)) };
}

interface Project {
  readonly areas: readonly MadeArea[];
  readonly shared: MadeArea;
  /** Texts of the files by path, after the edits so far. */
  readonly texts: Map<string, string>;
}

interface Making {
  readonly project: Project;
  readonly area: MadeArea;
  readonly random: () => number;
  readonly steps: CodingStep[];
  runs: number;
}

function codingPrompt(project: Project, words: string, index: number): CodingPrompt {
  const area = project.areas[index] ?? project.shared;
  const making: Making = { project, area, random: randomNumbers(7 + index), steps: [], runs: 0 };
  explore(making);
  change(making, 2 + drawn(making, 2));
  lookBeyond(making, index);
  change(making, 2 + drawn(making, 1));
  addFile(making);
  finish(making);
  const pause = Math.round((0.5 + 3 * making.random()) * MINUTE);
  const closing = `Done: ${words} The change is in src/${area.name}, its tests pass, and so do all others. Nothing else was changed.`;
  return { words, steps: making.steps, closing, pause };
}

/** Returns a random whole number from 0 to `most`. */
function drawn({ random }: Making, most: number): number {
  return Math.floor(random() * (most + 1));
}

function pick<T>(making: Making, list: readonly T[]): T {
  const one = list[drawn(making, list.length - 1)];
  if (one === undefined) throw new RangeError('no item can be picked from an empty list');
  return one;
}

function explore(making: Making): void {
  const { area, project } = making;
  const { name, sources } = area;
  const tasks = ['find where it is decided', 'change it', 'add tests', 'run all tests'];
  say(making, 'I begin with a plan.', plan(tasks.map((task, at) => ({ task, status: at === 0 ? 'active' : 'open' }))));
  say(making, `Which files are there in src/${name}?`, { name: 'find', arguments: { path: `src/${name}` } });
  say(making, 'Where are amounts compared?', grep(`given.amount < `, `src/${name}`));
  const order = sources.toSorted((a, b) => b.functions.length - a.functions.length);
  const some = [
    ...order.slice(1, 3),
    ...sources.filter((one) => order.indexOf(one) > 2).slice(0, 5 + drawn(making, 2)),
  ];
  for (const source of some) say(making, aboutReading(making, source), read(source));
  const [first, second] = area.tests;
  if (first !== undefined && second !== undefined) say(making, 'Their tests.', read(first), read(second));
  say(
    making,
    'What all areas use.',
    read(project.shared.sources[drawn(making, 1)] ?? pick(making, project.shared.sources)),
  );
  runTests(making, 0);
}

function change(making: Making, files: number): void {
  const { area } = making;
  const changed = Array.from({ length: files }, () => pick(making, area.sources));
  for (const source of changed) edit(making, source, `Now ${source.path}.`);
  runTests(making, 1 + drawn(making, 2));
  const failing = pick(making, changed);
  say(making, `The failure comes from ${failing.path}: I read it again as it is now.`, read(failing));
  edit(making, failing, 'The order of the two conditions was wrong.');
  runTests(making, 0);
}

/** Makes steps that look at another area that uses the changed code. Usually it is the area of an earlier prompt. */
function lookBeyond(making: Making, index: number): void {
  const { project, area } = making;
  const other = project.areas[drawn(making, Math.max(0, index - 1))] ?? project.shared;
  const used = pick(making, pick(making, area.sources).functions);
  say(making, `Who else uses \`${used.name}\`?`, grep(used.name));
  for (let left = 2 + drawn(making, 1); left > 0; left -= 1) {
    const source = pick(making, other.sources);
    say(making, `${source.path} looks like a user of it.`, read(source));
  }
  const test = pick(making, area.tests);
  say(making, `I look at ${test.path} once more before I add a case.`, read(test));
  edit(making, test, 'A case for the new rule.');
  say(
    making,
    'The middle of the work.',
    plan([
      { task: 'change it', status: 'done' },
      { task: 'add tests', status: 'active' },
    ]),
  );
}

function addFile(making: Making): void {
  const { area, project, random } = making;
  const path = `src/${area.name}/new-rule.ts`;
  const names = area.sources.slice(0, 4).map(({ functions }) => `${functions[0]?.name ?? 'other'}ByRule`);
  const functions: readonly MadeFunction[] = names.map((name) => ({ name, text: makeFunction(name, 6, random) }));
  const made: MadeSource = { path, functions };
  project.texts.set(path, textOfSource(made));
  const content = textOfSource(made);
  say(making, 'The rule gets a file of its own.', { name: 'write', arguments: { path, content } });
  edit(making, pick(making, area.sources), 'It is used here.');
  const errors = 3 + drawn(making, 8);
  say(making, 'The types.', bash('npx tsc --noEmit -p .', typeCheck(area, errors), 2));
  edit(making, pick(making, area.sources), 'One argument was missing.');
  say(making, 'Again.', bash('npx tsc --noEmit -p .', typeCheck(area, 0), 0));
}

function finish(making: Making): void {
  const { area, project } = making;
  const source = pick(making, area.sources);
  say(making, 'A last look at what was changed.', bash('git diff --stat && git diff', diffOf(making)));
  say(making, `And ${source.path} as a whole.`, read(source));
  say(making, 'All tests.', bash('npm test', fullRun([project.shared, ...project.areas])));
  const tasks = ['find where it is decided', 'change it', 'add tests', 'run all tests'];
  say(making, 'All is done.', plan(tasks.map((task) => ({ task, status: 'done' }))));
}

function say({ steps }: Making, text: string, ...calls: readonly CodingCall[]): void {
  steps.push({ text, calls });
}

function read({ path }: MadeSource): CodingCall {
  return { name: 'read', arguments: { path } };
}

function grep(pattern: string, path?: string): CodingCall {
  return { name: 'grep', arguments: { pattern, literal: true, ...(path !== undefined && { path }), limit: 40 } };
}

function bash(command: string, output: string, exit = 0): CodingCall {
  return { name: 'bash', arguments: { command }, output, exit };
}

function plan(tasks: readonly { readonly task: string; readonly status: string }[]): CodingCall {
  return { name: 'plan', arguments: { tasks } };
}

function aboutReading(making: Making, source: MadeSource): string {
  const { name } = pick(making, source.functions);
  return `${source.path} has \`${name}\`, which compares the amount before it is rounded; whether that is meant I see in the file.`;
}

/**
 * Makes a step that replaces one function of a file with another function. In a test file, the step adds a changed copy
 * of the test case instead.
 */
function edit(making: Making, source: MadeSource, text: string): void {
  const { project, random } = making;
  const { path } = source;
  const { name } = pick(making, source.functions);
  const file = project.texts.get(path) ?? '';
  const old = functionIn(file, name);
  const changed = makeFunction(name, 6 + drawn(making, 6), random);
  const next = old.startsWith('test(')
    ? `${old}\n\n${old.replace("', () =>", ` by the new rule ${making.steps.length}', () =>`)}`
    : changed;
  project.texts.set(
    path,
    file.replace(old, () => next),
  );
  say(making, `${text} \`${name}\` looks up the rule first.`, {
    name: 'edit',
    arguments: { path, old_text: old, new_text: next },
  });
}

function functionIn(file: string, name: string): string {
  const pieces = file.split('\n\n');
  const found = pieces.find(
    (piece) => piece.includes(`function ${name}(`) || piece.includes(`= ${name.replace('test of ', '')}(`),
  );
  if (found === undefined) throw new Error(`no piece of the file has ${name}`);
  return found.trimEnd();
}

function runTests(making: Making, failing: number): void {
  const { area } = making;
  making.runs += 1;
  const output = testRun(area, { failing, run: making.runs });
  const text = failing === 0 ? 'The tests of this area.' : 'I run the tests of this area.';
  say(making, text, bash(`npx vitest run test/${area.name}`, output, failing === 0 ? 0 : 1));
}

function diffOf({ steps }: Making): string {
  const edits = steps.flatMap(({ calls }) => calls.filter(({ name }) => name === 'edit'));
  return edits
    .map(
      ({ arguments: { path, new_text: text } }) =>
        `diff --git a/${String(path)} b/${String(path)}\n@@ -1,9 +1,12 @@\n${added(String(text))}`,
    )
    .join('\n');
}

function added(text: string): string {
  return text
    .split('\n')
    .map((line) => `+${line}`)
    .join('\n');
}
