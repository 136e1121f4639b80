// Simulated machines, each with its own cache, and the routing of calls to them (provider-facts §2.1, §2.2). For older
// models, calls with the same first tokens and the same cache key go to one machine. If there are more than about 15
// such calls a minute, the additional calls go to another machine (overflow). For GPT-5.6 and later, each organisation,
// model and key has one cache.

import { digestOf } from '../../core/digests.ts';
import { countText, firstTokens } from '../../core/tokens.ts';
import type { OpenAIRequest } from '../format/prompt.ts';

/** Number of calls with the same prompt start and cache key that one machine accepts in a minute. */
const CALLS_A_MINUTE = 15;

const MINUTE = 60_000;

/** Number of tokens of the prompt start that routing uses: "about the first 256 tokens" (older documentation). */
const FIRST_TOKENS = 256;

/**
 * Machine that serves a call, and the number of this machine. 0 is the usual machine, 1 or more is an overflow machine.
 */
export interface Route {
  readonly machine: Machine;
  readonly overflow: number;
}

/** All machines of a simulator, and the routing of calls to them. */
export interface Fleet {
  /**
   * Returns the machine that serves a call. Also counts the call, because overflow depends on the number of recent
   * calls. `now` is the start of the call.
   */
  route(request: OpenAIRequest, account: string, now: number): Route;
  /** Removes all entries from the caches of one account, or from all caches if `account` is absent. */
  clear(account?: string): void;
}

/** Creates a fleet with empty caches. */
export function createFleet(): Fleet {
  const machines = new Map<string, Machine>();
  const calls = new Map<string, readonly number[]>();
  const machineAt = (name: string): Machine => {
    const known = machines.get(name) ?? createMachine();
    machines.set(name, known);
    return known;
  };
  return {
    route(request, account, now) {
      const pair = JSON.stringify([account, request.capabilities.model, request.key, digestOfStart(request)]);
      if (request.rules.kind !== 'grid') return { machine: machineAt(pair), overflow: 0 };
      const recent = (calls.get(pair) ?? []).filter((at) => at > now - MINUTE);
      calls.set(pair, [...recent, now]);
      const overflow = Math.floor(recent.length / CALLS_A_MINUTE);
      return { machine: machineAt(`${pair}${overflow}`), overflow };
    },
    clear(account) {
      const begins = account === undefined ? '' : `[${JSON.stringify(account)},`;
      for (const [name, machine] of machines) if (name.startsWith(begins)) machine.clear();
    },
  };
}

/**
 * Returns the digest of the start of the prompt. For GPT-5.6 and later, the routing does not use the prompt. So the
 * result is an empty string for these models.
 */
function digestOfStart(request: OpenAIRequest): string {
  if (request.rules.kind !== 'grid') return '';
  let first = '';
  for (const block of request.blocks) {
    if (countText(first) > FIRST_TOKENS) break;
    first += `${block.speaker}:${block.text}\n`;
  }
  return digestOf(firstTokens(first, FIRST_TOKENS));
}

/**
 * Lifetime of an entry: a maximum idle time and a maximum age. When a request writes or reads the entry, its idle time
 * starts at the start of the request. The maximum age also ends the life of an entry that is read often.
 */
export type EntryLifetime = '30m' | '12h' | 'in_memory' | '24h' | '24h-typical';

interface Life {
  readonly idle: number;
  readonly age: number;
}

const HOUR = 60 * MINUTE;

/**
 * Idle time and age of each lifetime (provider-facts §2.1). The documentation calls `30m` and `12h` minimum lifetimes.
 * The simulator uses them as exact lifetimes.
 *
 * The documentation of `in_memory` is "5–10 min idle, ≤ 1 h". The simulator uses 5 minutes and 1 hour. The
 * documentation of `24h` is "at most 24 h". The simulator uses 24 hours for older models. For GPT-5.5 it uses
 * "typically ~30 min" as idle time (inferred, [I]).
 */
const LIVES: { readonly [lifetime in EntryLifetime]: Life } = {
  '30m': { idle: 30 * MINUTE, age: Number.POSITIVE_INFINITY },
  '12h': { idle: 12 * HOUR, age: Number.POSITIVE_INFINITY },
  in_memory: { idle: 5 * MINUTE, age: HOUR },
  '24h': { idle: 24 * HOUR, age: 24 * HOUR },
  '24h-typical': { idle: 30 * MINUTE, age: 24 * HOUR },
};

/**
 * Entry of a machine's cache. It is readable after the answer that wrote it has begun. Times are in milliseconds since
 * the epoch.
 */
export interface MachineEntry {
  readonly lifetime: EntryLifetime;
  readonly born: number;
  /** The entry is expired from this time on. */
  readonly expiry: number;
  readonly availableAt: number;
}

/** Simulated machine with its own cache entries. */
export interface Machine {
  /** Returns the entry with this hash if it is readable and not expired at `now`. */
  find(hash: string, now: number): MachineEntry | undefined;
  /**
   * Writes an entry. If the entry exists and is not expired, only its idle time starts again. `now` is the start of the
   * request. The entry is readable from `availableAt` on.
   */
  put(hash: string, lifetime: EntryLifetime, now: number, availableAt: number): void;
  clear(): void;
}

const SWEEP_EVERY = 4096;

function createMachine(): Machine {
  const entries = new Map<string, MachineEntry>();
  let puts = 0;
  return {
    find(hash, now) {
      const entry = entries.get(hash);
      return entry !== undefined && entry.availableAt <= now && now < entry.expiry ? entry : undefined;
    },
    put(hash, lifetime, now, availableAt) {
      const known = entries.get(hash);
      const alive = known !== undefined && now < known.expiry ? known : undefined;
      entries.set(hash, entryOf(alive, lifetime, now, availableAt));
      puts += 1;
      if (puts % SWEEP_EVERY === 0) sweep(entries, now);
    },
    clear: () => entries.clear(),
  };
}

function entryOf(
  known: MachineEntry | undefined,
  lifetime: EntryLifetime,
  now: number,
  availableAt: number,
): MachineEntry {
  const { idle, age } = LIVES[lifetime];
  const born = known?.born ?? now;
  const expiry = Math.min(now + idle, born + age);
  if (known === undefined) return { lifetime, born, expiry, availableAt };
  const longer = known.expiry > expiry ? { lifetime: known.lifetime, expiry: known.expiry } : { lifetime, expiry };
  return { ...longer, born, availableAt: Math.min(known.availableAt, availableAt) };
}

function sweep(entries: Map<string, MachineEntry>, now: number): void {
  for (const [hash, entry] of entries) if (entry.expiry <= now) entries.delete(hash);
}
