// L6 on real sessions: five compactions in a row, with the checkpoint limits of small windows. Each fact that the first
// checkpoint covers is in the fifth checkpoint, or the limitations of the fifth one name its positions. The test finds
// the facts in the transcripts with its own code.

import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Checkpoint } from '@tidemark/context';
import { checkpointText, checkpointTokens, emptyState, evolve, makeCheckpoint } from '@tidemark/context';
import type { HistoryCompacted, Position, Recorded } from '@tidemark/log';
import { importInto } from '@tidemark/recording';
import { createMemoryStore } from '@tidemark/store-memory';
import { expect, it, onTestFinished } from 'vitest';

const root = join(import.meta.dirname, '../..');
const shared = join(root, '../shared/transcripts');
const own = join(root, 'apps/cli/demo/recording.jsonl');
const RECORDED = ['pi-coding-session-sonnet.jsonl', 'claude-code-session-opus.jsonl'].map((name) => join(shared, name));
const there = RECORDED.every((path) => existsSync(path));
if (!there) console.warn('skipped: no ../shared/transcripts next to the repository');

const ROUNDS = 5;
/**
 * Maximum sizes of a checkpoint in tokens. The first two are the limits in windows of 8,000 and 24,000 tokens. The
 * third is a possible limit in a window of 200,000 tokens.
 */
const BOUNDS = [600, 1_500, 8_000];

async function recordsOf(path: string): Promise<readonly Recorded[]> {
  const store = createMemoryStore();
  const { session } = await importInto(store, path);
  return Array.fromAsync(store.read(session));
}

/**
 * Returns five positions at which no call and no answer is open. They divide the session into about six equal parts.
 */
function cutsOf(records: readonly Recorded[]): readonly Position[] {
  const closed: Position[] = [];
  let state = emptyState();
  for (const record of records) {
    state = evolve(state, record);
    if (state.history.batch === undefined && !state.history.inFlight) closed.push(record.position);
  }
  return Array.from({ length: ROUNDS }, (_, round) => {
    const at = closed[Math.floor(((round + 1) * closed.length) / (ROUNDS + 1))];
    if (at === undefined) throw new Error('the session is too short');
    return at;
  });
}

/**
 * Compacts at each cut and returns the checkpoints in order. Each compaction starts from the previous one in the form
 * in which a log stores it.
 */
function compactAt(records: readonly Recorded[], cuts: readonly Position[], bound: number): readonly Checkpoint[] {
  const from = records[0]?.position;
  if (from === undefined) throw new Error('there are no records');
  let previous: HistoryCompacted | undefined;
  return cuts.map((to) => {
    const made = makeCheckpoint({ records, range: { from, to }, bound, ...(previous && { previous }) });
    const { text: checkpoint, limitations } = checkpointText(made);
    const fields: NonNullable<HistoryCompacted['fields']> = JSON.parse(JSON.stringify(made));
    const { range, strategy } = made;
    previous = { range, strategy, trigger: 'manual', checkpoint, limitations, fields };
    return made;
  });
}

/** A fact that the first checkpoint covers: its text, and the positions of all records that contain it. */
interface Fact {
  readonly list: 'prompts of the user' | 'changed files' | 'open tasks';
  readonly words: string;
  readonly places: readonly number[];
}

function doneCalls(records: readonly Recorded[]): readonly Done[] {
  const made = new Map<string, Pick<Done, 'name' | 'input'>>();
  return records.flatMap((record) => {
    if (record.kind === 'answer.received')
      for (const part of record.data.parts)
        if (part.type === 'call') made.set(part.call, { name: part.name, input: JSON.parse(part.arguments) });
    const call = record.kind === 'tool.returned' ? made.get(record.data.call) : undefined;
    return call === undefined ? [] : [{ ...call, at: record.position }];
  });
}

interface Done {
  readonly name: string;
  readonly at: number;
  readonly input: { readonly file_path?: string; readonly path?: string; readonly todos?: readonly Todo[] };
}

interface Todo {
  readonly content: string;
  readonly status: string;
}

const CHANGES = new Set(['Write', 'Edit', 'MultiEdit', 'write', 'edit']);

function factsOf(records: readonly Recorded[], first: number, last: number): readonly Fact[] {
  const facts = records.flatMap((one): readonly Fact[] => {
    if (one.kind !== 'prompt.given' || one.position > first) return [];
    const words = one.data.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
    return words.trim() === '' ? [] : [{ list: 'prompts of the user', words, places: [one.position] }];
  });
  const done = doneCalls(records).filter(({ at }) => at <= last);
  const files = placesOf(done, ({ name, input: { file_path: file, path } }) =>
    CHANGES.has(name) ? [file ?? path ?? ''] : [],
  );
  const tasks = placesOf(done, ({ input: { todos = [] } }) => todos.map(({ content }) => content));
  const isOver = new Map(done.flatMap(({ input: { todos = [] } }) => todos.map((one) => [one.content, one.status])));
  const inFirst = ({ places }: Fact): boolean => places.some((at) => at <= first);
  return [
    ...facts,
    ...[...files].map(([words, places]): Fact => ({ list: 'changed files', words, places })).filter(inFirst),
    ...[...tasks]
      .filter(([words]) => isOver.get(words) !== 'completed')
      .map(([words, places]): Fact => ({ list: 'open tasks', words, places }))
      .filter(inFirst),
  ];
}

function placesOf(done: readonly Done[], of: (one: Done) => readonly string[]): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, readonly number[]>();
  for (const one of done) for (const words of of(one)) found.set(words, [...(found.get(words) ?? []), one.at]);
  return found;
}

function isThere({ directives, filesChanged, tasks }: Checkpoint, { list, words, places }: Fact): boolean {
  switch (list) {
    case 'prompts of the user':
      // An excerpt of a prompt does not count as kept. The limitations must name the positions of shortened prompts.
      return directives.some(({ position, text }) => places.includes(position) && text === words.trim());
    case 'changed files':
      return filesChanged.some(({ path }) => path === words);
    case 'open tasks':
      return tasks.some(({ task }) => task === words.replaceAll(/\s+/g, ' ').trim());
  }
}

const SHORTENED = 'Long prompts are shortened, and […] marks omitted text: ';

function isNamed({ limitations }: Checkpoint, { list, places }: Fact): boolean {
  const gone = limitations.find((one) => one.startsWith(`Omitted to limit the size, of ${list}: `)) ?? '';
  const short = list === 'prompts of the user' ? (limitations.find((one) => one.startsWith(SHORTENED)) ?? '') : '';
  const named = [gone.slice(gone.indexOf(', at ')), short.slice(SHORTENED.length)].join(' ');
  const spans = [...named.matchAll(/(\d+)(?:-(\d+))?/g)];
  return spans.some(([, from, to]) => places.some((at) => at >= Number(from) && at <= Number(to ?? from)));
}

/** Checks a session, and returns for each bound the numbers of things that remain and that are named as left out. */
async function judge(path: string): Promise<readonly { readonly kept: number; readonly named: number }[]> {
  const records = await recordsOf(path);
  const cuts = cutsOf(records);
  return BOUNDS.map((bound) => {
    const made = compactAt(records, cuts, bound);
    const last = made.at(-1);
    const [first] = cuts;
    if (last === undefined || first === undefined) throw new Error('nothing was compacted');
    const facts = factsOf(records, first, last.range.to);
    const gone = facts.filter((fact) => !isThere(last, fact));
    const name = path.slice(path.lastIndexOf('/') + 1);
    console.info(
      `${name}, bound ${bound}: the first of ${ROUNDS} compactions stands for ${facts.length} things: ${facts.length - gone.length} are in the last, ${gone.length} are named as left out`,
    );
    expect(gone.filter((fact) => !isNamed(last, fact))).toEqual([]);
    expect(made.map((one) => checkpointTokens(one) <= bound)).toEqual(cuts.map(() => true));
    expect(compactAt(records, cuts, bound)).toEqual(made);
    return { kept: facts.length - gone.length, named: gone.length };
  });
}

/** Writes a session of 30 turns, each with a prompt, a new file and a new open task, and returns its path. */
function madeSession(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tidemark-l6-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'made.jsonl');
  const start = Date.UTC(2026, 10, 20);
  const lines: object[] = [
    { type: 'session', id: 'made', timestamp: new Date(start).toISOString(), cwd: '/w', provider: 'anthropic' },
  ];
  const says = (message: object): void => {
    const at = start + lines.length * 1_000;
    lines.push({ type: 'message', timestamp: new Date(at).toISOString(), message: { ...message, timestamp: at } });
  };
  const todos: object[] = [];
  for (let turn = 0; turn < 30; turn += 1) {
    todos.push({ content: `Check the report of country ${turn}`, status: 'pending' });
    const calls = [
      { type: 'toolCall', id: `w${turn}`, name: 'write', arguments: { path: `src/country-${turn}.ts`, content: 'x' } },
      { type: 'toolCall', id: `t${turn}`, name: 'TodoWrite', arguments: { todos } },
    ];
    says({ role: 'user', content: [{ type: 'text', text: `Add country ${turn}, and round as rule ${turn} says.` }] });
    says({ role: 'assistant', content: calls, provider: 'anthropic', model: 'm', usage: {}, stopReason: 'toolUse' });
    for (const { id: toolCallId, name: toolName } of calls)
      says({ role: 'toolResult', toolCallId, toolName, content: [{ type: 'text', text: 'ok' }], isError: false });
    const text = [{ type: 'text', text: 'Done.' }];
    says({ role: 'assistant', content: text, provider: 'anthropic', model: 'm', usage: {}, stopReason: 'stop' });
  }
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return path;
}

it('L6: after five compactions of the demo session, everything is in the checkpoint or named as left out', () =>
  judge(own));

it('L6: after five compactions of a session of 30 turns, a small checkpoint names what it leaves out, and a large one contains everything', async () => {
  const [small, , large] = await judge(madeSession());
  expect(small?.named).toBeGreaterThan(5);
  expect(large).toEqual({ kept: expect.any(Number), named: 0 });
  expect(large?.kept).toBeGreaterThan(10);
});

it.skipIf(!there)(
  'L6: after five compactions of the recorded sessions, everything is in the checkpoint or named as left out',
  async () => {
    for (const path of RECORDED) await judge(path);
  },
);
