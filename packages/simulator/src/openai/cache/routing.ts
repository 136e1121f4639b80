// Which machine a call comes to. The older generation routes by the first tokens and the key; beyond about 15 calls a
// minute of one such pair a call goes on to another machine, whose cache is its own (§2.1, §2.2). GPT-5.6 and later route
// by themselves: one cache per organisation, model and key.

import { digestOf } from '../../core/digests.ts';
import { createMachine } from './entries.ts';
import type { Machine } from './entries.ts';
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
