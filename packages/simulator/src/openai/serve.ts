// Serves a call from the caches: chooses the machine, computes the read and written tokens by the cache rules of the
// model, and stores the entries. For Claude through a router, Anthropic's rules apply.

import { accountRequest } from '../anthropic/accounting.ts';
import type { PrefixBlock } from '../anthropic/prefix.ts';
import type { MarkerTtl, SentBlock } from '../anthropic/request.ts';
import type { Breakpoint } from '../anthropic/markers.ts';
import { storeOf } from '../anthropic/memory.ts';
import type { OpenAICore } from './memory.ts';
import type { Fault } from '../core/faults.ts';
import { isObject } from '../core/wire.ts';
import { accountPrompt } from './cache/accounting.ts';
import type { PrefixEnd } from './cache/prefix.ts';
import type { OpenAIRequest } from './format/prompt.ts';
import { bad } from './format/refusal.ts';
import type { OpenAIRefusal } from './format/refusal.ts';

/**
 * Numbers of tokens that a call read and wrote, as disjoint parts of the input, and the machine that served the call.
 */
export interface ServedCall {
  readonly read: number;
  readonly writtenShort: number;
  readonly writtenLong: number;
  /** Number of the machine: 0 is the usual machine, 1 or more is an overflow machine. */
  readonly overflow: number;
  /**
   * Records that the answer begins at `at`, in milliseconds since the epoch. From then on the entries that the call
   * wrote are readable.
   */
  begin(at: number): void;
}

/** Account, start time, prefix and fault of a call, as `serve` needs them. */
export interface Serving {
  readonly account: string;
  readonly now: number;
  readonly prefix: readonly PrefixEnd[];
  readonly fault: Fault | undefined;
}

/**
 * Serves a call from the caches. The lifetime of the entries that the call read starts again immediately. Returns a
 * refusal if the request has too many markers.
 */
export function serve(core: OpenAICore, request: OpenAIRequest, serving: Serving): ServedCall | OpenAIRefusal {
  if (request.rules.kind === 'markers') return serveMarkers(core, request, serving);
  const { account, now, prefix, fault } = serving;
  const { machine, overflow } = core.openai.fleet.route(request, account, now);
  if (fault?.kind === 'evicted') core.openai.fleet.clear(account);
  const counted = accountPrompt(request, prefix, (hash) => machine.find(hash, now));
  for (const { hash, lifetime } of counted.refreshed) machine.put(hash, lifetime, now, now);
  const begin = (first: number): void => {
    core.clock.passed(first);
    for (const { hash, lifetime } of counted.written) machine.put(hash, lifetime, now, first);
  };
  const { read, writtenShort, writtenLong } = counted;
  return { read, writtenShort, writtenLong, overflow, begin };
}

const USUAL_FLOOR = 1024;

function serveMarkers(core: OpenAICore, request: OpenAIRequest, serving: Serving): ServedCall | OpenAIRefusal {
  const { capabilities, blocks } = request;
  const { now, fault } = serving;
  const breakpoints = [...blocks.flatMap((block) => breakpointOf(block.index, block.mark)), ...automaticOf(request)];
  if (breakpoints.length > capabilities.slots) {
    const text = `A maximum of ${capabilities.slots} blocks with cache_control may be provided. Found ${breakpoints.length}.`;
    return bad(text, null);
  }
  const store = storeOf(core, `router\n${serving.account}`, capabilities.model);
  if (fault?.kind === 'evicted') store.clear();
  const { collapseRuns, promotion } = core.settings;
  const account = accountRequest({
    prefix: serving.prefix.map(asAnthropic),
    breakpoints,
    find: (hash) => store.find(hash, now),
    now,
    floor: capabilities.floor ?? USUAL_FLOOR,
    lookback: capabilities.lookback,
    runsCollapse: collapseRuns ?? capabilities.runsCollapse,
    promotes: promotion === undefined ? capabilities.promotes !== 'no' : promotion === 'works',
  });
  for (const entry of account.refreshed) store.put({ ...entry, availableAt: now });
  const begin = (first: number): void => {
    core.clock.passed(first);
    for (const entry of account.written) store.put({ ...entry, availableAt: first });
  };
  const { read, written5m, written1h } = account.counts;
  return { read, writtenShort: written5m, writtenLong: written1h, overflow: 0, begin };
}

function breakpointOf(block: number, mark: string | undefined): readonly Breakpoint[] {
  if (mark === undefined) return [];
  const ttl: MarkerTtl = mark === '1h' ? '1h' : '5m';
  return [{ block, ttl }];
}

/** Returns the breakpoint of a top-level `cache_control`: the last block, unless this block has its own marker. */
function automaticOf({ blocks, fields }: OpenAIRequest): readonly Breakpoint[] {
  const control = fields['cache_control'];
  const last = blocks.at(-1);
  if (!isObject(control) || last === undefined || last.mark !== undefined) return [];
  return [{ block: last.index, ttl: control['ttl'] === '1h' ? '1h' : '5m' }];
}

const ANTHROPIC_TYPES: { readonly [kind: string]: string } = { call: 'tool_use', output: 'tool_result' };

/**
 * Anthropic's cache rules need only the index and the type. The type shows if the block belongs to consecutive calls or
 * results. The other fields are placeholders.
 */
function asAnthropic({ block, hash, tokens }: PrefixEnd): PrefixBlock {
  const { index, kind, speaker } = block;
  const role: SentBlock['role'] = speaker === 'assistant' || speaker === 'user' ? speaker : 'system';
  const type = ANTHROPIC_TYPES[kind] ?? kind;
  const own: SentBlock = {
    index,
    level: 'messages',
    role,
    message: 0,
    content: 0,
    type,
    fields: {},
    marker: undefined,
  };
  return { block: own, hash, tokens };
}
