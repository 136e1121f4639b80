// Property test: five compactions in a row over random histories. The test checks every directive, decision, changed
// file and open task of the first round. Each of them is still in the last checkpoint, or the last checkpoint lists its
// position as left out.

import type { HistoryCompacted } from '@tidemark/log';
import { callId, position } from '@tidemark/log';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TestEvent } from '../../tests/log-of.ts';
import { answer, created, logOf, named, prompt, text } from '../../tests/log-of.ts';
import type { Checkpoint } from './checkpoint.ts';
import { checkpointText, checkpointTokens } from './checkpoint-text.ts';
import { makeCheckpoint } from './make-checkpoint.ts';

const ROUNDS = 5;
/**
 * Minimum bound of a checkpoint in this test, in tokens. The fixed text of a checkpoint alone may exceed a smaller
 * bound.
 */
const MIN_BOUND = 700;

const words = fc.string({
  unit: fc.constantFrom('a', 'word ', 'é', '👩‍👩‍👧', '\n', '[', '…'),
  minLength: 1,
  maxLength: 900,
});
const name = fc.integer({ min: 0, max: 30 }).map(String);
const status = fc.constantFrom('open', 'active', 'done', 'dropped');

/** Makes the events of one random action between two requests. `id` is the id of its tool call. */
type Happens = (id: string) => readonly TestEvent[];

const happening: fc.Arbitrary<Happens> = fc.oneof(
  words.map((word): Happens => () => [prompt(`p${word}`)]),
  words.map((word): Happens => () => [answer([text(word)])]),
  fc
    .record({
      tasks: fc.array(fc.record({ task: name.map((one) => `task ${one}`), status }), { maxLength: 6 }),
      decisions: fc.array(fc.record({ what: name.map((one) => `decided ${one}`), why: words }), { maxLength: 3 }),
    })
    .map((plan): Happens => (id) => [calls(id, 'plan', plan), ['tool.returned', { call: callId(id), parts: [] }]]),
  fc.tuple(name, fc.constantFrom('read' as const, 'written' as const)).map(([file, as]): Happens => (id) => [
    calls(id, 'edit', { path: file }),
    ['tool.returned', { call: callId(id), parts: [], files: [{ path: `/w/${file}`, digest: named(file), as }] }],
  ]),
  fc.tuple(name, fc.nat({ max: 2 }), words).map(([command, exit, output]): Happens => (id) => [
    calls(id, 'bash', { command }),
    ['tool.returned', { call: callId(id), parts: [{ type: 'text', text: output }], exit }],
  ]),
);

const rounds = fc.array(
  fc.record({
    happenings: fc.array(happening, { minLength: 1, maxLength: 40 }),
    bound: fc.integer({ min: MIN_BOUND, max: 6_000 }),
  }),
  { minLength: ROUNDS, maxLength: ROUNDS },
);

function calls(id: string, tool: string, input: object): TestEvent {
  return answer([{ type: 'call', call: callId(id), name: tool, arguments: JSON.stringify(input) }]);
}

/**
 * Compacts after each round. Each compaction gets the record of the previous compaction, in the form in which it is
 * read back from the log.
 */
function compact(all: readonly { happenings: readonly Happens[]; bound: number }[]): {
  readonly first: readonly TestEvent[];
  readonly told: readonly TestEvent[];
  readonly made: readonly Checkpoint[];
  readonly last: Checkpoint;
} {
  const events: TestEvent[] = [created];
  let first: readonly TestEvent[] = [];
  let previous: HistoryCompacted | undefined;
  const made = all.map(({ happenings, bound }, round) => {
    for (const [index, happens] of happenings.entries()) events.push(...happens(`c${round}-${index}`));
    if (round === 0) first = [...events];
    const range = { from: position(0), to: position(events.length - 1) };
    const checkpoint = makeCheckpoint({ records: logOf(events), range, bound, ...(previous && { previous }) });
    const rendered = checkpointText(checkpoint);
    const fields: NonNullable<HistoryCompacted['fields']> = JSON.parse(JSON.stringify(checkpoint));
    const { strategy } = checkpoint;
    previous = {
      range,
      strategy,
      trigger: 'manual',
      checkpoint: rendered.text,
      limitations: rendered.limitations,
      fields,
    };
    return checkpoint;
  });
  const last = made.at(-1);
  if (last === undefined) throw new Error('no checkpoint was made');
  return { first, told: events, made, last };
}

/**
 * Returns true if the limitations name a range of items that were left out of list `what`, and the range contains the
 * position.
 */
function isNamed({ limitations }: Checkpoint, what: string, at: number): boolean {
  return limitations
    .filter((line) => line.startsWith(`Omitted to limit the size, of ${what}: `))
    .some((line) =>
      [...line.slice(line.indexOf(', at ')).matchAll(/(\d+)(?:-(\d+))?/g)].some(
        ([, from, to]) => at >= Number(from) && at <= Number(to ?? from),
      ),
    );
}

function mentionsOf(
  events: readonly TestEvent[],
  kind: 'tasks' | 'decisions' | 'files',
): ReadonlyMap<string, Mentions> {
  const found = new Map<string, Mentions>();
  const calledAt = logOf(events);
  for (const [index, record] of calledAt.entries()) {
    if (record.kind !== 'tool.returned') continue;
    const call = calledAt[index - 1];
    const part = call?.kind === 'answer.received' ? call.data.parts[0] : undefined;
    if (part?.type !== 'call') continue;
    const plan: Planned = part.name === 'plan' ? JSON.parse(part.arguments) : {};
    const things = {
      tasks: (plan.tasks ?? []).map((one) => [one.task, one.status] as const),
      decisions: (plan.decisions ?? []).map((one) => [one.what, 'open'] as const),
      files: (record.data.files ?? []).map((one) => [one.path, one.as] as const),
    };
    for (const [item, is] of things[kind]) {
      const { places = [], statuses = [] } = found.get(item) ?? {};
      found.set(item, { places: [...places, record.position], statuses: [...statuses, is] });
    }
  }
  return found;
}

interface Mentions {
  readonly places: readonly number[];
  readonly statuses: readonly string[];
}

interface Planned {
  readonly tasks?: readonly { readonly task: string; readonly status: string }[];
  readonly decisions?: readonly { readonly what: string }[];
}

function lost(last: Checkpoint, what: string, kept: readonly string[], all: ReadonlyMap<string, Mentions>): unknown {
  return [...all].filter(([item, { places }]) => !kept.includes(item) && !places.some((at) => isNamed(last, what, at)));
}

test('after five compactions, every directive, decision, changed file and open task of the first round is kept or named as left out', () => {
  fc.assert(
    fc.property(rounds, (all) => {
      const { first, told, last } = compact(all);
      const prompts = logOf(first).flatMap(({ kind, position: at }) =>
        kind === 'prompt.given' ? [[`${at}`, { places: [at], statuses: [] }] as const] : [],
      );
      const later = { tasks: mentionsOf(told, 'tasks'), files: mentionsOf(told, 'files') };
      const ofFirst = (kind: 'tasks' | 'files', still: (is: readonly string[]) => boolean) =>
        new Map(
          [...later[kind]].filter(([item, { statuses }]) => mentionsOf(first, kind).has(item) && still(statuses)),
        );
      const isOpen = (is: readonly string[]): boolean => !['done', 'dropped'].includes(is.at(-1) ?? '');
      const wasChanged = (is: readonly string[]): boolean => is.includes('written');
      expect({
        prompts: lost(
          last,
          'prompts of the user',
          last.directives.map((one) => `${one.position}`),
          new Map(prompts),
        ),
        decisions: lost(
          last,
          'decisions',
          last.decisions.map(({ what }) => what),
          mentionsOf(first, 'decisions'),
        ),
        tasks: lost(
          last,
          'open tasks',
          last.tasks.map(({ task }) => task),
          ofFirst('tasks', isOpen),
        ),
        files: lost(
          last,
          'changed files',
          last.filesChanged.map(({ path }) => path),
          ofFirst('files', wasChanged),
        ),
      }).toEqual({ prompts: [], decisions: [], tasks: [], files: [] });
    }),
    { numRuns: 60 },
  );
});

test('each of five checkpoints fits its bound', () => {
  fc.assert(
    fc.property(rounds, (all) => {
      for (const [index, one] of compact(all).made.entries())
        expect(checkpointTokens(one)).toBeLessThanOrEqual(all[index]?.bound ?? 0);
    }),
    { numRuns: 60 },
  );
});
