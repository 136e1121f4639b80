// How much of a window may be used: what is kept free, what a plan must fit, where a warning begins, how much of the tail a
// compaction keeps.

/** Token budgets of one request. */
export interface Budgets {
  /** Kept free, for the answer and for the error of the estimate. */
  readonly reserve: number;
  /** What a plan must fit, and where `auto` compacts. */
  readonly hard: number;
  /** Where a warning begins, if that is before 80% of the limit. */
  readonly soft: number;
  /** What a compaction keeps of the tail. */
  readonly tail: number;
}

/** What is set instead of computed; each is brought within the limit. */
export type BudgetSettings = { readonly [name in keyof Budgets]?: number };

/** Windows from this size on leave a larger share free: `hard` is at most this share of the limit. */
const SHARES: readonly { readonly from: number; readonly share: number }[] = [
  { from: 200_000, share: 0.85 },
  { from: 128_000, share: 0.88 },
];

const RESERVE = { most: 16_384, least: 256 } as const;
const TAIL = 20_000;

/** The budgets of a request whose input may hold `limit` tokens. Whole numbers, none above the limit. */
export function budgetsOf(limit: number, settings: BudgetSettings = {}): Budgets {
  const within = (tokens: number): number => Math.max(0, Math.min(limit, Math.floor(tokens)));
  const reserve = within(settings.reserve ?? Math.min(RESERVE.most, Math.max(RESERVE.least, limit / 2)));
  const share = SHARES.find(({ from }) => limit >= from)?.share ?? 1;
  const hard = within(settings.hard ?? Math.min(limit - reserve, share * limit));
  const soft = Math.min(hard, within(settings.soft ?? Math.max(0.7 * hard, hard - Math.max(2_048, 0.05 * limit))));
  const tail = within(settings.tail ?? Math.min(TAIL, limit - reserve, hard / 2));
  return { reserve, hard, soft, tail };
}
