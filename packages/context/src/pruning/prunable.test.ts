import type {
  AnswerPart,
  CallId,
  Digest,
  EpochCause,
  EpochOpened,
  HistoryPruned,
  ImagePart,
  Usage,
} from '@tidemark/log';
import { callId, position } from '@tidemark/log';
import type { Span } from '@tidemark/model';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { counting } from '../../tests/counting.ts';
import type { TestEvent } from '../../tests/log-of.ts';
import { answer, created, fold, named, prompt, request, row, second, turn } from '../../tests/log-of.ts';
import { plainPruning } from '../../tests/plain-pruning.ts';
import type { RequestSpec } from '../epoch/epoch.ts';
import { gaugeOf } from '../pressure/gauge.ts';
import type { Need } from '../epoch/needed-change.ts';
import { neededChange } from '../epoch/needed-change.ts';
import type { PruningInput } from './pruning.ts';
import { planPruning } from './pruning.ts';
import type { State } from '../state/state.ts';
import { emptyState } from '../state/state.ts';

const SONNET = row('claude-sonnet-4-5');
const SHOT: ImagePart<Digest> = { type: 'image', artifact: named('shot'), mediaType: 'image/png', bytes: 90_000 };
const READER = { name: 'history_read', digest: named('history_read') };
const OTHER = { name: 'other', digest: named('other') };
const USAGE: Usage = { fresh: 0, read: 1_000, writes: [{ ttl: '5m', tokens: 100 }] };

const wanted: RequestSpec = {
  provider: 'anthropic',
  model: SONNET.model,
  parameters: {},
  capabilities: named('row'),
  texts: { contract: 'tm1', layers: [], tools: [{ record: READER, definition: '{}' }] },
};

function opened(state: State, cause: EpochCause, checkpoint = state.epoch?.opened.checkpoint): TestEvent {
  const data: EpochOpened = {
    number: (state.epoch?.opened.number ?? -1) + 1,
    cause,
    provider: wanted.provider,
    model: wanted.model,
    parameters: {},
    capabilities: wanted.capabilities,
    contract: 'tm1',
    layers: [],
    tools: [READER],
    cacheKey: 'tm1',
    forecast: { rewrite: 0 },
    ...(checkpoint === undefined ? {} : { checkpoint }),
    prunings: state.prunings.map((one) => one.position),
  };
  return ['epoch.opened', data];
}

type Gauge = PruningInput['gauge'];
const HALF_FULL: Gauge = { tier: 'calm', ratio: 0.6, bytes: 0 };
const GAUGES: readonly Gauge[] = [
  { tier: 'calm', ratio: 0.4, bytes: 0 },
  HALF_FULL,
  { tier: 'warning', ratio: 0.85, bytes: 0 },
];

type Move =
  | { readonly do: 'step'; readonly results: readonly Result[] }
  | { readonly do: 'prompt' | 'turn' | 'prune' | 'open' | 'compact' | 'add-tool' }
  | { readonly do: 'skill'; readonly call: number };

interface Result {
  /** Call ids repeat in this test because some providers repeat them. */
  readonly id: number;
  readonly length: number;
  readonly image: boolean;
  /** Tool of the call (default `look`). The call uses the file with the number `file` (default 0). */
  readonly tool?: 'read' | 'edit' | 'bash' | 'look';
  readonly file?: number;
}

function toldOf(move: Move, state: State): readonly TestEvent[] {
  switch (move.do) {
    case 'step': {
      const results = [...new Map(move.results.map((one) => [one.id, one])).values()];
      const marker = { block: state.steps, ttl: '5m', prefix: named(`prefix ${state.steps}`) } as const;
      const calls = results.map(called);
      return [request(state.steps + 1, [marker]), answer(calls, USAGE, state.steps), ...results.map(returned)];
    }
    case 'prompt':
      return [prompt(`and then? see f${state.length % 3}.ts `.repeat(20))];
    case 'turn':
      return [turn];
    case 'prune': {
      const pruned = plan(state, { need: { do: 'epoch', cause: 'model' } });
      return pruned === undefined ? [] : [['history.pruned', pruned]];
    }
    case 'open':
      return [opened(state, 'pruning', state.compacted?.position)];
    case 'compact': {
      const range = { from: position(0), to: position(Math.floor(state.length / 2)) };
      return [
        [
          'history.compacted',
          { range, strategy: 'deterministic', trigger: 'test', checkpoint: 'done', limitations: [] },
        ],
      ];
    }
    case 'add-tool':
      return [['tools.changed', { added: [OTHER], removed: [], as: 'appended' }]];
    case 'skill':
      return [
        [
          'skill.loaded',
          { name: 's', version: '1', reason: 'on_demand', tokens: 9, source: 'h', call: callId(`c${move.call}`) },
        ],
      ];
  }
}

function called({ id, tool = 'look', file = 0 }: Result): AnswerPart<CallId> {
  const input = tool === 'bash' ? { command: `run ${file}` } : { path: `f${file}.ts` };
  return { type: 'call', call: callId(`c${id}`), name: tool, arguments: JSON.stringify(input) };
}

function returned({ id, length, image }: Result): TestEvent {
  const parts = [{ type: 'text', text: 'word '.repeat(length / 5) }, ...(image ? [SHOT] : [])] as const;
  return ['tool.returned', { call: callId(`c${id}`), parts }];
}

function plan(state: State, more: Partial<PruningInput> = {}): HistoryPruned | undefined {
  return planPruning({ ...inputOf(state), ...more });
}

function inputOf(state: State): PruningInput {
  return { state, wanted, need: { do: 'nothing' }, capabilities: SONNET, at: second(60), ttl: '5m', gauge: HALF_FULL };
}

const result = fc.record({
  id: fc.nat(40),
  length: fc.oneof(fc.constantFrom(0, 200, 1_190, 1_300, 20_000), fc.nat(6_000)),
  image: fc.boolean(),
  tool: fc.constantFrom('read', 'edit', 'bash', 'look'),
  file: fc.nat(3),
});
const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 20, arbitrary: fc.record({ do: fc.constant('step'), results: fc.array(result, { maxLength: 4 }) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('prompt', 'prune', 'open', 'compact', 'add-tool') }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('turn') }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('skill'), call: fc.nat(40) }) },
);

const mixed: fc.Arbitrary<readonly Move[]> = fc.array(move, { minLength: 10, maxLength: 30, size: 'max' });
/**
 * Random histories. They read few files many times and never edit content that was sent. In such histories, there is a
 * time at which a batch saves more than it costs.
 */
const quiet: fc.Arbitrary<readonly Move[]> = fc.array(
  fc.record({
    do: fc.constant('step'),
    results: fc.array(
      // Each file has a fixed length. A later read supersedes an earlier read only if it does not return less text.
      fc
        .record({ id: fc.nat(40), image: fc.constant(false), tool: fc.constant('read'), file: fc.nat(2) })
        .map((one) => ({ ...one, length: one.file === 0 ? 1_300 : 20_000 })),
      { minLength: 1, maxLength: 1 },
    ),
  }),
  { minLength: 20, maxLength: 30, size: 'max' },
);

function compare(state: State): void {
  const needs: readonly Need[] = [{ do: 'epoch', cause: 'tools' }, neededChange(state, wanted, [])];
  for (const need of needs) {
    for (const gauge of GAUGES) {
      for (const at of [second(state.length), second(state.length + 3_000)]) {
        const input = { ...inputOf(state), need, gauge, at };
        same(planPruning(input), plainPruning(input));
      }
    }
  }
}

function same(fast: HistoryPruned | undefined, plain: ReturnType<typeof plainPruning>): void {
  const saved = plain?.saved.get(fast?.calls[0] ?? '');
  const most = plain?.saved.get(plain.calls[0] ?? '');
  // If two batches save the same amount, the choice between them does not matter.
  const tied = saved !== undefined && most !== undefined && Math.abs(most - saved) < 1e-6;
  const { calls, freed, cost } = fast ?? {};
  if (!tied) expect({ calls, freed, cost }).toEqual({ calls: plain?.calls, freed: plain?.freed, cost: plain?.cost });
  expect(fast?.cause).toBe(plain?.cause);
  met.add(plain?.cause);
}

const met = new Set<string | undefined>();

/**
 * Checks a property for new random histories and for the histories of a fixed seed. Every cause occurs in the histories
 * of the fixed seed.
 */
function holds<T>(numRuns: number, property: fc.IProperty<T>): void {
  fc.assert(property, { numRuns });
  fc.assert(property, { numRuns, seed: 1 });
}

describe('pruning decisions with running sums', () => {
  test('equal the decisions of a full walk in every state of random histories', () => {
    holds(
      16,
      fc.property(fc.oneof(mixed, quiet), (moves) => {
        const begun = fold([created, prompt('go')]);
        let state = fold([opened(begun, 'initial')], begun);
        for (const one of moves) {
          const before = state;
          state = fold(toldOf(one, state), state);
          compare(state);
          // Some callers use an older state, so an older state is tested too.
          if (one.do === 'prompt') compare(before);
        }
      }),
    );
    expect(met).toEqual(new Set([undefined, 'together', 'expired', 'pays', 'warning']));
  });

  test('open at most one epoch per tier until a compaction, and never return a `breakEven` above `waits`', () => {
    const tiers = ['calm', 'advisory', 'warning', 'critical'] as const;
    const step = fc.record({
      file: fc.nat(3),
      tier: fc.constantFrom(...tiers),
      late: fc.boolean(),
      compacts: fc.nat(30).map((one) => one === 0),
    });
    const seen = { epochs: 0, again: 0, causes: new Set<string>() };
    holds(
      40,
      fc.property(fc.array(step, { minLength: 30, maxLength: 60 }), (steps) => {
        const begun = fold([created, prompt('go')]);
        let state = fold([opened(begun, 'initial')], begun);
        let had = new Set<string | undefined>();
        let before = new Set<string | undefined>();
        for (const [id, { file, tier, late, compacts }] of steps.entries()) {
          const length = [0, 1_300, 6_000, 30_000][file] ?? 0;
          const results = [{ id, length, file, image: false, tool: 'read' as const }];
          state = fold(toldOf({ do: 'step', results }, state), state);
          if (compacts) {
            state = fold(toldOf({ do: 'compact' }, state), state);
            state = fold(toldOf({ do: 'open' }, state), state);
            before = had;
            had = new Set();
          }
          const at = second(state.length + (late ? 3_000 : 0));
          const pruned = plan(state, { at, gauge: { tier, ratio: 0.6, bytes: 0 } });
          if (pruned === undefined) continue;
          expect(had).not.toContain(pruned.tier);
          expect(pruned.breakEven).toBeLessThanOrEqual(pruned.waits ?? -1);
          had.add(pruned.tier);
          seen.epochs += 1;
          if (before.has(pruned.tier)) seen.again += 1;
          seen.causes.add(pruned.cause);
          state = fold([['history.pruned', pruned]], state);
          state = fold([opened(state, 'pruning')], state);
        }
      }),
    );
    expect(seen.epochs).toBeGreaterThan(0);
    // After a compaction, each tier may open an epoch again.
    expect(seen.again).toBeGreaterThan(0);
    expect(seen.causes).toEqual(new Set(['pays', 'warning', 'expired']));
  });

  test('read only new spans: a step after 3,000 other steps reads as many spans as a step after 100', () => {
    const reads = (steps: number): number => {
      const spans = counting<Span>();
      const empty = emptyState();
      const counted = { ...empty, history: { ...empty.history, packed: { buffer: spans.list, length: 0 } } };
      const begun = fold([created, prompt('go')], counted);
      let state = fold([opened(begun, 'initial')], begun);
      // The results are long enough to be shortened. A larger image follows each result.
      const shown: TestEvent = ['prompt.given', { parts: [SHOT], presenter: 'test' }];
      for (let id = 0; id < steps; id += 1) {
        const results = [{ id, length: 1_300, image: false, tool: 'read' as const }];
        state = fold([...toldOf({ do: 'step', results }, state), shown], state);
        if (id < steps - 2) continue;
        spans.taken();
        gaugeOf(state, SONNET);
        plan(state, { need: neededChange(state, wanted, []) });
      }
      return spans.taken();
    };
    expect(reads(3_000)).toBe(reads(100));
  });
});
