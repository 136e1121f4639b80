// Schemas of the analytics.

import { z } from '@hono/zod-openapi';
import type {
  Amount,
  BreakPage,
  BreakReport,
  BreakSums,
  CacheSums,
  CallGrouping,
  CallPage,
  CallReport,
  ComparedSums,
  CostSums,
  Grouped,
  GroupOfCalls,
  PaidAgainSums,
  SessionProblem,
  SkillReport,
} from '@tidemark/analytics';
import type { LossCause, Tokens } from '@tidemark/context';
import type { Money } from '@tidemark/log';
import type { Freshness } from '../analytics/fresh-projection.ts';
import { MONEY } from './values.ts';

const NUMBER = z.number();
/** Amount of money, or `null`. */
export const KNOWN_MONEY: z.ZodType<Money | null> = MONEY.nullable().describe(
  'US dollars as an exact decimal. `null` if no part is known.',
);
/** Rate, or `null`. */
export const RATE: z.ZodType<number | null> = z
  .number()
  .nullable()
  .describe('Between 0 and 1. `null` if there is nothing to divide by.');

const TOKENS: z.ZodType<Tokens> = z
  .object({ fresh: NUMBER, read: NUMBER, written: NUMBER, untold: NUMBER, answer: NUMBER, reasoning: NUMBER })
  .describe('Tokens in disjoint buckets.')
  .meta({ id: 'Tokens' });

const AMOUNT_FIELDS = {
  cost: KNOWN_MONEY,
  unpriced: NUMBER.describe('Number of calls whose part is unknown and in no sum.'),
};
const AMOUNT: z.ZodType<Amount> = z.object(AMOUNT_FIELDS).meta({ id: 'Amount' });
const PAID_AGAIN: z.ZodType<PaidAgainSums> = z
  .object({ ...AMOUNT_FIELDS, calls: NUMBER, tokens: NUMBER })
  .describe('Tokens that were paid again, and their cost above the price of reading them.')
  .meta({ id: 'PaidAgain' });

export const CACHE_SUMS: z.ZodType<CacheSums> = z
  .object({
    calls: NUMBER,
    uncounted: NUMBER,
    tokens: TOKENS,
    hitRate: RATE,
    writeShare: RATE,
    coverage: RATE,
    forecastError: RATE,
    wasted: NUMBER,
    waiting: NUMBER,
    lost: PAID_AGAIN,
  })
  .meta({ id: 'CacheSums' });

const COMPARED: z.ZodType<ComparedSums> = z
  .object({ calls: NUMBER, unpriced: NUMBER, paid: KNOWN_MONEY, uncached: KNOWN_MONEY, ideal: KNOWN_MONEY })
  .meta({ id: 'ComparedSums' });
const BOUND = { calls: NUMBER, cost: MONEY };

export const COST_SUMS: z.ZodType<CostSums> = z
  .object({
    calls: NUMBER,
    unanswered: NUMBER,
    tokens: TOKENS,
    paid: AMOUNT,
    bounded: z.object(BOUND),
    estimated: z.object({ ...BOUND, tokens: NUMBER }),
    compared: COMPARED,
    lost: PAID_AGAIN,
    dearer: z.object({ ...AMOUNT_FIELDS, calls: NUMBER }),
    charged: z.object({ ...AMOUNT_FIELDS, requests: NUMBER }),
  })
  .meta({ id: 'CostSums' });

const BREAK_SUMS: z.ZodType<BreakSums> = z
  .object({ ...AMOUNT_FIELDS, breaks: NUMBER, tokens: NUMBER, uncounted: NUMBER })
  .meta({ id: 'BreakSums' });

const CAUSE: z.ZodType<LossCause> = z.custom<LossCause>().meta({ id: 'Cause', type: 'string' });

const BREAK: z.ZodType<BreakReport> = z
  .object({
    session: z.string(),
    request: NUMBER.nullable(),
    answer: NUMBER,
    stream: z.string(),
    step: NUMBER,
    at: z.string(),
    provider: z.string(),
    model: z.string(),
    contract: z.string().nullable(),
    causes: z.array(CAUSE),
    opened: z.string().nullable(),
    tokens: NUMBER.nullable(),
    cost: KNOWN_MONEY,
  })
  .meta({ id: 'Break' });

const SKILL: z.ZodType<SkillReport> = z
  .object({
    name: z.string(),
    loads: NUMBER,
    tokens: NUMBER,
    sessions: NUMBER,
    reasons: z.object({ always: NUMBER, on_demand: NUMBER, auto_suggested: NUMBER }),
    versions: z.array(z.string()),
    sources: z.array(z.string()),
    preloaded: z.object({ sessions: NUMBER, asked: NUMBER }),
  })
  .meta({ id: 'SkillUse' });

const CALL: z.ZodType<CallReport> = z
  .object({
    request: NUMBER.nullable(),
    answer: NUMBER,
    stream: z.string(),
    step: NUMBER,
    at: z.string(),
    duration: NUMBER.nullable(),
    provider: z.string(),
    model: z.string(),
    contract: z.string().nullable(),
    opened: z.string().nullable(),
    cause: z.string().nullable(),
    tokens: TOKENS,
    held: NUMBER.nullable(),
    writtenForHour: NUMBER,
    verdict: z.string().nullable(),
    wasted: NUMBER,
    waiting: NUMBER,
    forecast: z.object({ read: NUMBER, write: NUMBER, fresh: NUMBER, cost: KNOWN_MONEY }).nullable(),
    paid: KNOWN_MONEY,
    uncached: KNOWN_MONEY,
    ideal: KNOWN_MONEY,
    again: NUMBER,
    lost: KNOWN_MONEY,
  })
  .meta({ id: 'Call' });

/** Answer with the time of the last update. */
export type Fresh<Answer> = Answer & Freshness;

/** Fields of `Freshness`. */
export const FRESHNESS: {
  readonly updatedAt: z.ZodType<string>;
  readonly problems: z.ZodType<readonly SessionProblem[]>;
} = {
  updatedAt: z.string().describe('Time at which the logs were read last.'),
  problems: z
    .array(z.object({ session: z.string(), reason: z.string() }))
    .describe('Sessions that could not be read to their end.'),
};

export const CALL_PAGE: z.ZodType<Fresh<CallPage>> = z
  .object({ calls: z.array(CALL), next: NUMBER.nullable(), ...FRESHNESS })
  .meta({ id: 'CallPage' });

/** Returns the schema of sums over a filter, with the sums of each group. */
export function groupedSchema<Sums>(sums: z.ZodType<Sums>): z.ZodType<Fresh<Grouped<Sums>>> {
  return z.object({
    whole: sums,
    groups: z.array(z.object({ name: z.string().nullable(), sums })).exactOptional(),
    ...FRESHNESS,
  });
}

const GROUPS_OF_BREAKS: z.ZodType<readonly GroupOfCalls<BreakSums>[]> = z.array(
  z.object({ name: z.string().nullable(), sums: BREAK_SUMS }),
);

export const BREAKS_ANSWER: z.ZodType<Fresh<Grouped<BreakSums> & BreakPage>> = z
  .object({
    whole: BREAK_SUMS,
    groups: GROUPS_OF_BREAKS.exactOptional(),
    breaks: z.array(BREAK),
    next: z.string().nullable().describe('Value of `after` for the next page.'),
    ...FRESHNESS,
  })
  .meta({ id: 'Breaks' });

export const SKILLS_ANSWER: z.ZodType<Fresh<{ readonly skills: readonly SkillReport[] }>> = z
  .object({ skills: z.array(SKILL), ...FRESHNESS })
  .meta({ id: 'Skills' });

export const GROUPING: z.ZodType<CallGrouping> = z.enum([
  'session',
  'day',
  'model',
  'provider',
  'contract',
  'cause',
  'workspace',
]);
