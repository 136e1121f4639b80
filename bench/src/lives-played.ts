// Computes the cost of a session's input under a choice of TTLs, by the rules of the simulator's bill. The model is one
// chain of cache entries whose first part can have the one-hour TTL. Costs are in units of the base input price.

import type { Lifetime, Pauses } from '@tidemark/context';
import { addPause, chooseLifetime, LIFE, NO_PAUSES, ratesOf } from '@tidemark/context';
import type { Capabilities, Price } from '@tidemark/model';
import { multiplier } from '@tidemark/model';

import type { Step } from './pause-sequences.ts';

/** Capabilities and price of a model. */
export interface Charged {
  readonly capabilities: Capabilities;
  readonly price: Price;
}

/** Costs by the choice of TTLs: fixed, chosen by the engine, or chosen by the oracle. */
export interface Played {
  readonly '5m': number;
  readonly '1h': number;
  readonly chosen: number;
  /** Cost with the best choice when all gaps are known in advance. */
  readonly oracle: number;
}

/** Parameters of the engine's choice that a benchmark fits. Default: the shipped values. */
export interface Fit {
  readonly margin?: number;
  readonly fade?: number;
}

/** Returns the costs of one stream, one for each choice of TTLs. */
export function play(steps: readonly Step[], charged: Charged): Played {
  return {
    '5m': fixed(steps, charged, '5m'),
    '1h': fixed(steps, charged, '1h'),
    chosen: playChosen(steps, charged),
    oracle: oracle(steps, charged),
  };
}

/** Returns the sum of two sets of costs. */
export function addPlayed(a: Played, b: Played): Played {
  return {
    '5m': a['5m'] + b['5m'],
    '1h': a['1h'] + b['1h'],
    chosen: a.chosen + b.chosen,
    oracle: a.oracle + b.oracle,
  };
}

/**
 * Chain of cache entries after a call. The first `long` of its `tokens` have the one-hour TTL, and the others have the
 * five-minute TTL.
 */
export interface Chain {
  readonly long: number;
  readonly tokens: number;
}

/** Chain without cached tokens. */
export const NO_CHAIN: Chain = { long: 0, tokens: 0 };

/** Returns the tokens that a call reads from the chain. */
export function readBy({ gap, kept }: Step, { long, tokens }: Chain): number {
  const alive = gap < LIFE['5m'] ? tokens : gap < LIFE['1h'] ? long : 0;
  return Math.min(alive, kept);
}

/** Returns the TTL of the entry that a call reads, or `undefined` if the call reads nothing. */
function readTtl(read: number, { long }: Chain): Lifetime | undefined {
  return read === 0 ? undefined : read <= long ? '1h' : '5m';
}

/** Returns the cost of a call, and the chain after it. */
export function send(
  step: Step,
  chain: Chain,
  life: Lifetime,
  { price }: Charged,
): { readonly cost: number; readonly chain: Chain } {
  const read = readBy(step, chain);
  const write = Number(multiplier(price, life) ?? Number.NaN);
  const cost = ratesOf(price).read.toNumber() * read + write * (step.tokens - read);
  const long = life === '1h' && readTtl(read, chain) !== '5m' ? step.tokens : Math.min(chain.long, read);
  return { cost, chain: { long, tokens: step.tokens } };
}

function fixed(steps: readonly Step[], charged: Charged, life: Lifetime): number {
  let chain = NO_CHAIN;
  let total = 0;
  for (const step of steps) {
    const sent = send(step, chain, life, charged);
    chain = sent.chain;
    total += sent.cost;
  }
  return total;
}

/**
 * Returns the cost of a stream whose TTLs the engine chooses. Each choice uses only what the engine has seen up to that
 * call.
 */
export function playChosen(steps: readonly Step[], charged: Charged, fit: Fit = {}): number {
  let chain = NO_CHAIN;
  let pauses = NO_PAUSES;
  let total = 0;
  for (const step of steps) {
    pauses = addStep(pauses, step, chain, fit);
    const sent = send(step, chain, chosenLife(step, chain, pauses, charged, fit), charged);
    chain = sent.chain;
    total += sent.cost;
  }
  return total;
}

/**
 * Returns the pauses that the engine has seen, with one more call. Cached tokens that the call does not send again
 * count as broken.
 */
export function addStep(pauses: Pauses, { gap, kept }: Step, { tokens }: Chain, { fade }: Fit = {}): Pauses {
  if (tokens === 0) return pauses;
  const broken = Math.max(0, tokens - kept);
  return addPause(pauses, { ms: gap, held: tokens, broken, ...(fade === undefined ? {} : { fade }) });
}

/** Returns the TTL that the engine chooses for a call. */
export function chosenLife(
  step: Step,
  chain: Chain,
  pauses: Pauses,
  { capabilities, price }: Charged,
  { margin }: Fit = {},
): Lifetime {
  const ttl = readTtl(readBy(step, chain), chain);
  const section = step.kept < chain.tokens ? 'system' : 'messages';
  const { tokens } = step;
  return chooseLifetime({
    pauses,
    capabilities,
    price,
    tokens,
    held: Math.min(chain.tokens, tokens) || undefined,
    behind: ttl && { ttl, section },
    ...(margin === undefined ? {} : { margin }),
  });
}

/**
 * Returns the lowest cost of any choice of TTLs. The search tries both TTLs at each call. It remembers the result for
 * each call and each number of tokens with the one-hour TTL. Calls with an index below `shortUntil` write with the
 * five-minute TTL.
 */
export function oracle(steps: readonly Step[], charged: Charged, shortUntil = 0): number {
  const known = new Map<string, number>();
  const least = (index: number, chain: Chain): number => {
    const step = steps[index];
    if (step === undefined) return 0;
    const name = `${index} ${chain.long}`;
    const found = known.get(name);
    if (found !== undefined) return found;
    // The provider would charge for a longer TTL after an entry with a shorter one, but would not grant it.
    const short = index < shortUntil || readTtl(readBy(step, chain), chain) === '5m';
    const lives: readonly Lifetime[] = short ? ['5m'] : ['5m', '1h'];
    const costs = lives.map((life) => {
      const sent = send(step, chain, life, charged);
      return sent.cost + least(index + 1, sent.chain);
    });
    const cost = Math.min(...costs);
    known.set(name, cost);
    return cost;
  };
  return least(0, NO_CHAIN);
}
