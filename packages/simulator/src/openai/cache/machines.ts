// The machines with their caches. Which machine a call comes to: the older generation routes by the first tokens and the key; beyond about 15 calls a
// minute of one such pair a call goes on to another machine, whose cache is its own (§2.1, §2.2). GPT-5.6 and later route
// by themselves: one cache per organisation, model and key.

import { digestOf } from '../../core/digests.ts';
import type { OpenAIRequest } from '../format/prompt.ts';

/** Calls of one pair that one machine takes in a minute. */
const CALLS_A_MINUTE = 15;

const MINUTE = 60_000;

/** "About the first 256 tokens" (older documentation), by the own rule of four bytes each. */
const FIRST_BYTES = 256 * 4;

/** The machine of a call, and its number: 0 is the pair's own, from 1 on it is an overflow. */
export interface Route {
  readonly machine: Machine;
  readonly overflow: number;
}

/** All machines of a simulator. */
export interface Fleet {
  /** Routes a call, which counts from then on. */
  route(request: OpenAIRequest, account: string, now: number): Route;
  /** Empties the caches of one account, or all. */
  clear(account?: string): void;
}

/** A fleet with empty caches. */
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
      const pair = JSON.stringify([account, request.capabilities.model, request.key, firstTokens(request)]);
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

/** Empty where routing does not look at the prompt. */
function firstTokens(request: OpenAIRequest): string {
  if (request.rules.kind !== 'grid') return '';
  let first = '';
  for (const block of request.blocks) {
    if (first.length >= FIRST_BYTES) break;
    first += `${block.speaker}:${block.text}\n`;
  }
  return digestOf(first.slice(0, FIRST_BYTES));
}

/**
 * The lifetime of an entry. It lives for an idle time from the start of the request that last wrote or read it, never beyond an
 * age, and can be read once the answer that wrote it has begun.
 */
export type EntryLifetime = '30m' | '12h' | 'in_memory' | '24h' | '24h-typical';

/** Idle time and greatest age, in milliseconds. */
interface Life {
  readonly idle: number;
  readonly age: number;
}

const HOUR = 60 * MINUTE;

/**
 * §2.1. The newer ones are minimum lifetimes and taken as exact. `in_memory` is "5–10 min idle, ≤ 1 h": the least. `24h` is
 * "at most 24 h" and taken so on older models, "typically ~30 min" on GPT-5.5 [I].
 */
const LIVES: { readonly [lifetime in EntryLifetime]: Life } = {
  '30m': { idle: 30 * MINUTE, age: Number.POSITIVE_INFINITY },
  '12h': { idle: 12 * HOUR, age: Number.POSITIVE_INFINITY },
  in_memory: { idle: 5 * MINUTE, age: HOUR },
  '24h': { idle: 24 * HOUR, age: 24 * HOUR },
  '24h-typical': { idle: 30 * MINUTE, age: 24 * HOUR },
};

/** One entry. Times are milliseconds since the epoch. */
export interface MachineEntry {
  readonly lifetime: EntryLifetime;
  readonly born: number;
  /** First moment at which it is gone. */
  readonly expiry: number;
  readonly availableAt: number;
}

/** The entries of one machine. */
export interface Machine {
  /** The live, readable entry under this hash. */
  find(hash: string, now: number): MachineEntry | undefined;
  /** Writes an entry, or lets a live one live on. `now` is the start of the request. */
  put(hash: string, lifetime: EntryLifetime, now: number, availableAt: number): void;
  clear(): void;
}

const SWEEP_EVERY = 4096;

/** A machine with an empty cache. It forgets what expired as it fills. */
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
