// L7: the price reported before a break equals the cost of the break, for each cause that `why` can name. The tests
// check the simulator's bill and the sent bytes, never the engine's own estimates.

import type { CompactionReport } from '@tidemark/agent';
import { addSession, explainSession, NO_ACCOUNTS } from '@tidemark/agent';
import type { EpochCause, MissCause, RecordedOf } from '@tidemark/log';
import { sessionId } from '@tidemark/log';
import type { AgentSession } from '@tidemark/kit';
import type { Capabilities } from '@tidemark/model';
import { defaultCatalog, findModel, priceAt } from '@tidemark/model';
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Stage } from './billed-stage.ts';
import { encoders, openStage, recordsOf } from './billed-stage.ts';
import type { BreakStory, Played } from './break-stories.ts';
import * as stories from './break-stories.ts';
import { paidAgain } from './paid-again.ts';

type Cause = EpochCause | MissCause;

/** Story of a cause for each model. A string explains why the cause has no price notice on that model. */
interface Row {
  readonly 'claude-sonnet-4-5': BreakStory | string;
  readonly 'gpt-5.6-sol': BreakStory | string;
  readonly 'gpt-5.4': BreakStory | string;
}

type Model = keyof Row;

function everywhere(story: BreakStory | string): Row {
  return { 'claude-sonnet-4-5': story, 'gpt-5.6-sol': story, 'gpt-5.4': story };
}

function atAnthropic(anthropic: BreakStory | string, openai: BreakStory | string): Row {
  return { 'claude-sonnet-4-5': anthropic, 'gpt-5.6-sol': openai, 'gpt-5.4': openai };
}

const UNFORESEEN = 'nobody is told before it happens';

/** Stories by cause. A missing cause is a compile error. */
const ROWS: Readonly<Record<Cause, Row>> = {
  initial: everywhere(stories.beginsAfterAnother),
  model: atAnthropic(
    stories.goesOnWith({ model: 'claude-sonnet-4-6' }),
    stories.goesOnWith({ model: 'gpt-5.6-terra' }),
  ),
  reasoning: atAnthropic(
    stories.goesOnWith({ modelOptions: { parameters: { effort: 'low' } } }),
    stories.goesOnWith({ modelOptions: { parameters: { 'reasoning.effort': 'low' } } }),
  ),
  parameters: atAnthropic(
    stories.goesOnWith({ modelOptions: { parameters: { speed: 'fast' } } }),
    stories.goesOnWith({ modelOptions: { parameters: { 'text.verbosity': 'low' } } }),
  ),
  tools: everywhere(stories.goesOnWith({ tools: stories.EDITED_TOOLS })),
  skills: everywhere('older logs alone have it: a note lists the skills'),
  contract: everywhere(stories.goesOnWith({ context: { runtimeInstructions: 'minimal' } })),
  role: everywhere(stories.goesOnWith({ instructions: stories.EDITED_ROLE })),
  compaction: everywhere(stories.compacts),
  pruning: everywhere(stories.prunes),
  quarantine: everywhere(stories.refusesImage),
  expired: {
    'claude-sonnet-4-5': stories.waits(6),
    'gpt-5.6-sol': stories.waits(31),
    'gpt-5.4': stories.waits(25 * 60),
  },
  'below-floor': {
    'claude-sonnet-4-5': stories.staysSmall,
    'gpt-5.6-sol': stories.staysSmall,
    'gpt-5.4': 'its grid begins at a length and has no floor',
  },
  image: atAnthropic(stories.takesFirstImage, 'images are no part of the cache key there'),
  'thinking-stripped': atAnthropic(stories.thinks, 'no thinking is stripped there'),
  account: {
    'claude-sonnet-4-5': stories.changesAccount('claude-sonnet-4-5', false),
    'gpt-5.6-sol': stories.changesAccount('gpt-5.6-sol', true),
    'gpt-5.4': stories.changesAccount('gpt-5.4', true),
  },
  'overflow-routing': {
    'claude-sonnet-4-5': 'no key is sent there',
    'gpt-5.6-sol': 'the provider routes by itself',
    'gpt-5.4': stories.leavesFamilyKey,
  },
  lookback: everywhere('the plan of markers always marks the longest entry that can be read'),
  opened: everywhere('it is told by the cause of its epoch'),
  parameter: everywhere(
    'a turn changes its parameters with an epoch alone, which names them; of any other setting nobody is told',
  ),
  evicted: everywhere(UNFORESEEN),
  racing: everywhere(UNFORESEEN),
  unknown: everywhere(UNFORESEEN),
};

const MODELS: readonly Model[] = ['claude-sonnet-4-5', 'gpt-5.6-sol', 'gpt-5.4'];
const MORE: readonly (readonly [Cause, Row])[] = [
  ['role', everywhere(stories.goesOnWith({ instructions: stories.EDITED_END }))],
  [
    'role',
    atAnthropic(
      stories.goesOnWith({ instructions: 'Be brief, and say what is missing.' }),
      'a role that is shorter than the history is appended there',
    ),
  ],
];
const CASES = [...Object.entries(ROWS), ...MORE].flatMap(([cause, row]) =>
  MODELS.map((model) => [cause, model, row[model]] as const),
);
const PLAYED = CASES.flatMap(([cause, model, story]) =>
  typeof story === 'string' ? [] : [[cause, model, story] as const],
);

describe('the price reported before a break is within 5% of the bill', () => {
  test.each(PLAYED)('for the cause `%s` on %s', async (cause, model, story) => {
    const { said, billed, paid, named } = await play(cause, model, story);
    near(said.input, billed.input);
    near(said.cost, billed.cost);
    near(said.read, billed.read, 0.05 * billed.input);
    if (cause === 'initial') {
      expect(named).toEqual([]);
      return;
    }
    expect(named).toContain(cause);
    // All these values must be near the value from the bill: the tokens and the price in the notice, the epoch's
    // forecast, and the miss in the answer's record.
    near(said.rewrite, paid.tokens);
    near(said.price, paid.price);
    if (said.epoch !== undefined) near(said.epoch, paid.tokens);
    near(paid.recorded, paid.tokens);
    expect(paid.recorded).toBeLessThanOrEqual(billed.input - billed.read);
  });
});

test.each(CASES.filter(([, , story]) => typeof story === 'string'))(
  'a break with the cause `%s` has no price notice on %s: %s',
  (_cause, _model, why) => {
    expect(why).not.toBe('');
  },
);

test.each(MODELS)(
  '`addSession` reports that a call after an edited role costs more than five times its ideal on %s',
  async (model) => {
    const stage = await openStage({ model, tools: stories.TOOLS, instructions: stories.LONG_ROLE });
    const story = stories.goesOnWith({ instructions: stories.EDITED_ROLE });
    const id = await story({
      stage,
      hear: (live) => live,
      open: (options) => stage.open(options),
    });
    const rowOf = (provider: string, name: string): Capabilities | undefined =>
      findModel(defaultCatalog(), name, provider);
    const { groups } = await addSession(NO_ACCOUNTS, stage.log(), sessionId(id), { by: 'cause', rowOf });
    const { calls, compared } = groups.get('role') ?? expect.unreachable();
    expect(calls).toBe(1);
    expect(Number(compared.paid) / Number(compared.ideal)).toBeGreaterThan(5);
  },
);

test('an eviction by the provider is recorded afterwards, exact to one token of rounding', async () => {
  const { said, billed, paid, named } = await play('evicted', 'claude-sonnet-4-5', stories.evicts);
  expect(named).toEqual(['evicted']);
  expect(said.rewrite).toBe(0);
  near(paid.recorded, billed.held, 1);
});

test.each(MODELS)('the report of a compaction is within 5% of the bill of its request on %s', async (model) => {
  const stage = await openStage({ model, tools: stories.TOOLS, instructions: stories.LONG_ROLE });
  const reports: CompactionReport[] = [];
  const hear: Played['hear'] = (live) => ({
    ...live,
    compact: async (options) => {
      const report = await live.compact(options);
      reports.push(report);
      return report;
    },
  });
  const open: Played['open'] = async (options) => hear(await stage.open(options));
  const id = await stories.compactsTwice({ stage, hear, open });
  const taken = await compactedRequests(stage, id);
  const bills = taken.map((place) => stage.billed()[place] ?? expect.unreachable());
  expect(reports).toHaveLength(2);
  expect(bills).toHaveLength(2);
  for (const [round, { sizes }] of reports.entries()) near(sizes.after, bills[round]?.input ?? 0);
  // Only the first report is compared. The second checkpoint quotes hundreds of short lines, and the simulator counts
  // each quotation mark as a third of the engine's estimate.
  near(reports[0]?.rewrite?.tokens ?? 0, (bills[0]?.input ?? 0) - (bills[0]?.read ?? 0));
});

test.each(MODELS)(
  'a long prompt of unusual text sent together with an edited role counts as new text, not as paid again, on %s',
  async (model) => {
    const stage = await openStage({ model, tools: stories.TOOLS, instructions: stories.LONG_ROLE });
    const first = await stage.open();
    await stage.turn(first, 'What is there?', { answer: { text: 'Much.' } });
    await first.close();
    const live = await stage.open({ id: first.id, instructions: stories.EDITED_ROLE });
    await stage.turn(live, 'x'.repeat(90_000), { answer: { text: 'So it is.' } });
    const { request, answer, epoch } = await breakOf(stage, live.id, 'role');
    const { rewrite = 0 } = epoch?.data.forecast ?? {};
    expect(rewrite).toBeGreaterThan(1_000);
    near(answer.data.miss?.tokens ?? 0, rewrite);
    const { read, write, fresh } = request.data.forecast;
    // The simulator counts four bytes of such text as one token. The engine's estimate is far lower.
    expect(stage.billed().at(-1)?.input).toBeGreaterThan((read + write + fresh) * 1.2);
  },
);

function near(forecast: number, billed: number, tolerance = 0.05 * Math.abs(billed)): void {
  expect(Math.abs(forecast - billed), `${forecast} was said, ${billed} was billed`).toBeLessThanOrEqual(tolerance);
}

async function compactedRequests(stage: Stage, id: string): Promise<readonly number[]> {
  const records = await recordsOf(stage, id);
  const requests = records.filter(({ kind }) => kind === 'request.prepared');
  return requests.flatMap(({ position }, call) => {
    const before = records.find((one) => one.position === position - 1);
    return before?.kind === 'epoch.opened' && before.data.cause === 'compaction' ? [call] : [];
  });
}

interface BilledStory {
  readonly said: {
    readonly input: number;
    readonly read: number;
    readonly cost: number;
    /** Tokens and price in the rewrite notice. Both are 0 without a notice. */
    readonly rewrite: number;
    readonly price: number;
    /**
     * Number of tokens that are written again according to the forecast of the epoch. Undefined if the request opened
     * no epoch with this cause.
     */
    readonly epoch: number | undefined;
  };
  readonly billed: { readonly input: number; readonly read: number; readonly cost: number; readonly held: number };
  /**
   * Number of tokens that were sent before and paid again, their additional price compared with reading them from the
   * cache, and their number in the record of the answer.
   */
  readonly paid: { readonly tokens: number; readonly price: number; readonly recorded: number };
  /** Causes that `why` names for the step. */
  readonly named: readonly string[];
}

async function play(cause: string, model: Model, story: BreakStory): Promise<BilledStory> {
  const stage = await openStage({
    model,
    tools: stories.TOOLS,
    instructions: stories.LONG_ROLE,
    cache: { rewriteNotice: { tokens: 1 } },
  });
  const notices: string[] = [];
  const hear = (live: AgentSession): AgentSession => {
    void listen(live, notices);
    return live;
  };
  const played: Played = { stage, hear, open: async (options) => hear(await stage.open(options)) };
  const id = await story(played);
  const { request, answer, epoch } = await breakOf(stage, id, cause);
  const { explained } = await explainSession(stage.log(), sessionId(id), encoders, request.data.step);
  const named = explained.flatMap(({ opened, miss }) =>
    [opened?.cause, miss?.cause].filter((one) => one !== undefined),
  );
  const place = stage.bodies.findLastIndex((body) => digestOf(body) === request.data.digest);
  const call = stage.simulator.calls.findLast(({ digest, status }) => digest === request.data.digest && status === 200);
  const bill =
    stage.billed()[stage.simulator.calls.filter(({ status }) => status === 200).findIndex((one) => one === call)];
  if (bill === undefined) throw new Error('the request was not billed');
  const earlier = cause === 'initial' ? [] : stage.bodies.slice(0, place);
  const tokens = paidAgain(bill, stage.bodies[place] ?? '', earlier);
  const price = pricesOf(bill.model, answer.at, bill);
  const { read, write, fresh, cost } = request.data.forecast;
  const [, amount = '0', dollars = '0'] =
    /: ([\d,]+) tokens are (?:written|paid) again, \$([\d.]+)$/.exec(notices.at(-1) ?? '') ?? [];
  return {
    said: {
      input: read + write + fresh,
      read,
      cost: Number(cost),
      rewrite: Number(amount.replaceAll(',', '')),
      price: Number(dollars),
      epoch: epoch?.data.cause === cause ? epoch.data.forecast.rewrite : undefined,
    },
    billed: {
      input: bill.input,
      read: bill.read,
      cost: price.whole,
      held: bill.input - (request.data.forecast.unsent ?? 0),
    },
    paid: { tokens, price: tokens * price.above, recorded: answer.data.miss?.tokens ?? 0 },
    named,
  };
}

async function listen(live: AgentSession, notices: string[]): Promise<void> {
  for await (const event of live.events())
    if (event.type === 'notice.raised' && event.notice.code === 'turn/rewrite') notices.push(event.notice.message);
}

interface Break {
  readonly request: RecordedOf<'request.prepared'>;
  readonly answer: RecordedOf<'answer.received'>;
  readonly epoch: RecordedOf<'epoch.opened'> | undefined;
}

/**
 * Returns the last answered request of the main stream with this cause: the request opened an epoch with this cause, or
 * its answer recorded a miss with this cause.
 */
async function breakOf(stage: Stage, id: string, cause: string): Promise<Break> {
  const records = await recordsOf(stage, id);
  const breaks = records.flatMap((answer): readonly Break[] => {
    if (answer.kind !== 'answer.received' || answer.data.stream !== 'main') return [];
    const request = records.find((one) => one.position === answer.data.request);
    if (request?.kind !== 'request.prepared') return [];
    const before = records.find((one) => one.position === request.position - 1);
    const epoch = before?.kind === 'epoch.opened' ? before : undefined;
    return epoch?.data.cause === cause || answer.data.miss?.cause === cause ? [{ request, answer, epoch }] : [];
  });
  return breaks.at(-1) ?? expect.unreachable(`nothing was broken by ${cause}`);
}

interface Prices {
  /** Price of the whole input, in US dollars. */
  readonly whole: number;
  /** Additional price of a token that is paid again instead of read from the cache, in US dollars. */
  readonly above: number;
}

function pricesOf(model: string, at: string, bill: ReturnType<Stage['billed']>[number]): Prices {
  const row: Capabilities = findModel(defaultCatalog(), model) ?? expect.unreachable(`no row of ${model}`);
  const price = priceAt(row, at.slice(0, 10), bill.input) ?? expect.unreachable(`no price of ${model}`);
  const short = Number(price.writes['5m'] ?? price.writes['30m'] ?? price.input);
  const long = Number(price.writes['1h'] ?? short);
  const [fresh, read] = [Number(price.input), Number(price.read)];
  const written = (bill.written - bill.long) * short + bill.long * long;
  const dear = bill.written === 0 ? fresh : bill.long > 0 ? long : short;
  return { whole: (bill.fresh * fresh + bill.read * read + written) / 1e6, above: (dear - read) / 1e6 };
}

function digestOf(body: string): string {
  return createHash('sha256').update(body).digest('hex');
}
