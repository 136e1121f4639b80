// Property test: several compactions in a row. Each compaction uses the cut that the fold makes. After each compaction,
// every prompt and every changed file is in the checkpoint or still packed.

import type { EpochOpened, HistoryCompacted } from '@tidemark/log';
import { callId, position } from '@tidemark/log';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TestEvent } from '../../tests/log-of.ts';
import { answer, created, fold, logOf, named, prompt, row, text } from '../../tests/log-of.ts';
import { slice } from '../base/append-only.ts';
import type { Checkpoint } from '../checkpoint/checkpoint.ts';
import { checkpointText } from '../checkpoint/checkpoint-text.ts';
import { makeCheckpoint } from '../checkpoint/make-checkpoint.ts';
import type { State } from '../state/state.ts';
import { draftCompaction } from './draft-compaction.ts';

const ROUNDS = 5;

/** Makes the events of one random action between two requests. `id` is unique for each action. */
type Happens = (id: string) => readonly TestEvent[];

function opened(checkpoint?: number): TestEvent {
  const data: EpochOpened = {
    number: 0,
    cause: checkpoint === undefined ? 'initial' : 'compaction',
    provider: 'anthropic',
    model: 'm',
    parameters: {},
    capabilities: named('row'),
    contract: 'tm1',
    layers: [],
    tools: [],
    cacheKey: 'tm1',
    forecast: { rewrite: 0 },
    ...(checkpoint !== undefined && { checkpoint: position(checkpoint) }),
  };
  return ['epoch.opened', data];
}

const started: TestEvent = ['turn.started', { trigger: 'user' }];
const ended: TestEvent = ['turn.ended', { outcome: 'completed' }];

/**
 * Random batches of calls. Each call changes a file. The calls close in any order. A prompt is given before their
 * results or between them.
 */
const batch: fc.Arbitrary<Happens> = fc
  .record({ calls: fc.integer({ min: 1, max: 3 }), said: fc.nat(3), forward: fc.boolean() })
  .map(({ calls, said, forward }) => (id) => {
    const ids = Array.from({ length: calls }, (_, index) => `${id}.${index}`);
    const made = ids.map((one) => ({ type: 'call', call: callId(one), name: 'edit', arguments: '{}' }) as const);
    const closing = (forward ? ids : ids.toReversed()).map((one): TestEvent => {
      const files = [{ path: `/w/${one}`, digest: named(one), as: 'written' }] as const;
      return ['tool.returned', { call: callId(one), parts: [{ type: 'text', text: 'done' }], files }];
    });
    return [answer(made), ...closing.toSpliced(said, 0, prompt(`while ${id} ran`))];
  });

const happening: fc.Arbitrary<Happens> = fc.oneof(
  batch,
  batch,
  fc.constant<Happens>((id) => [ended, started, prompt(`prompt ${id}`)]),
  fc.constant<Happens>((id) => [answer([text(`said ${id}`)])]),
);

const rounds = fc.array(
  fc.record({ happenings: fc.array(happening, { minLength: 1, maxLength: 8 }), tail: fc.nat(200) }),
  { minLength: ROUNDS, maxLength: ROUNDS },
);

interface Compacted {
  readonly told: readonly TestEvent[];
  readonly state: State;
  readonly last: Checkpoint | undefined;
}

function compact(all: readonly { readonly happenings: readonly Happens[]; readonly tail: number }[]): Compacted {
  const events: TestEvent[] = [created, opened(), started, prompt('first')];
  let last: Checkpoint | undefined;
  let previous: HistoryCompacted | undefined;
  for (const [round, { happenings, tail }] of all.entries()) {
    for (const [index, happens] of happenings.entries()) events.push(...happens(`${round}.${index}`));
    const draft = draftCompaction(fold(events), { row: row('claude-sonnet-4-5'), tail, noted: [] });
    if (draft === undefined) continue;
    const { range, keeps } = draft;
    const records = logOf(events);
    last = makeCheckpoint({ records, range, bound: 100_000, keptPrompts: keeps, ...(previous && { previous }) });
    const { text: checkpoint, limitations } = checkpointText(last);
    const fields: NonNullable<HistoryCompacted['fields']> = JSON.parse(JSON.stringify(last));
    previous = { range, strategy: 'deterministic', trigger: 'manual', checkpoint, limitations, fields, keeps };
    events.push(['history.compacted', previous], opened(events.length));
  }
  return { told: events, state: fold(events), last };
}

function lost({ told, state, last }: Compacted): unknown {
  const packed = new Set<number>(
    slice(state.history.packed).flatMap(({ origin }) => (origin.from === 'event' ? [origin.position] : [])),
  );
  const files = new Set(last?.filesChanged.map(({ path }) => path));
  const prompts = new Set(last?.directives.map((one) => Number(one.position)));
  return logOf(told).filter((record) => {
    if (packed.has(record.position)) return false;
    if (record.kind === 'prompt.given') return !prompts.has(record.position);
    return record.kind === 'tool.returned' && record.data.files?.every(({ path }) => !files.has(path)) === true;
  });
}

test('compactions lose no prompt and no changed file at any cut, including prompts given while calls ran', () => {
  fc.assert(
    fc.property(rounds, (all) => {
      expect(lost(compact(all))).toEqual([]);
    }),
    { numRuns: 80 },
  );
});
