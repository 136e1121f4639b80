// Finds the cause of a call that read nothing from the cache. It compares the parts of the request with earlier
// requests of the same account and model.

import { isAttribution } from './attribution.ts';
import { digestOf } from './digests.ts';
import type { LedgerCall } from './ledger.ts';
import { isList, isObject, objectAt, textOf } from './wire.ts';
import type { WireObject } from './wire.ts';

/** Digests of the parts of a request, without cache markers. */
interface PromptShape {
  readonly tools: string;
  readonly system: string;
  readonly messages: readonly string[];
  /** Tokens that the call left in the cache: read or written. */
  readonly cached: number;
}

/**
 * Returns the cause of a miss, or `undefined` if the call read from the cache. Stores the request for later
 * comparisons.
 */
export type MissFinder = (
  call: LedgerCall,
  spent: { readonly read: number; readonly short: number; readonly long: number },
  body: Uint8Array,
) => string | undefined;

/** Number of earlier requests that are compared, per account and model. */
const REMEMBERED = 20;

/** Creates a finder that has seen no request. */
export function createMissFinder(): MissFinder {
  const seen = new Map<string, PromptShape[]>();
  return (call, spent, body) => {
    const key = [call.wire, call.account, call.model].join('\n');
    const before = seen.get(key) ?? [];
    const { read, short, long } = spent;
    const fields: unknown = JSON.parse(Buffer.from(body).toString('utf8'));
    if (continuesThread(fields)) return read > 0 ? undefined : 'the call continues a thread, which is not compared';
    const shape = shapeOf(fields, read + short + long);
    const cause = read > 0 ? undefined : causeOf(shape, before);
    seen.set(key, [shape, ...before].slice(0, REMEMBERED));
    return cause;
  };
}

/** If a request continues a thread, it contains only the new messages of its prompt. */
function continuesThread(fields: unknown): boolean {
  return isObject(fields) && objectAt(fields, 'thread')['type'] === 'continue';
}

function causeOf(shape: PromptShape, before: readonly PromptShape[]): string {
  const [first] = before;
  if (first === undefined) return 'first call of this account and model';
  const sameTools = before.filter(({ tools }) => tools === shape.tools);
  if (sameTools.length === 0) return 'the tools changed';
  const sameSystem = sameTools.filter(({ system }) => system === shape.system);
  if (sameSystem.length === 0) return 'the system prompt changed';
  const nearest = sameSystem.reduce((best, each) => (shared(shape, each) > shared(shape, best) ? each : best));
  const same = shared(shape, nearest);
  if (same < nearest.messages.length) return `message ${same + 1} changed`;
  return nearest.cached === 0
    ? 'the earlier call wrote nothing to the cache: no breakpoint, or below the minimum'
    : 'the entries expired, were evicted, or are further back than the lookback';
}

function shared(a: PromptShape, b: PromptShape): number {
  const at = b.messages.findIndex((message, index) => message !== a.messages[index]);
  return at === -1 ? b.messages.length : at;
}

function shapeOf(value: unknown, cached: number): PromptShape {
  const fields: WireObject = isObject(value) ? value : {};
  const { tools, system, instructions, messages, input } = fields;
  const list = messages ?? input;
  return {
    tools: digestOf(unmarked(tools ?? null)),
    system: digestOf(unmarked([shownSystem(system), instructions ?? null])),
    messages: (isList(list) ? list : [list]).map((message) => digestOf(unmarked(message ?? null))),
    cached,
  };
}

/** Omits the attribution block of Claude Code, because it does not belong to the prompt. */
function shownSystem(system: unknown): unknown {
  if (!isList(system)) return isAttribution(textOf(system)) ? null : (system ?? null);
  const [first, ...others] = system;
  return isObject(first) && isAttribution(textOf(first['text'])) ? others : system;
}

const MARKERS: ReadonlySet<string> = new Set(['cache_control', 'prompt_cache_breakpoint']);

/** Returns JSON without cache markers, because a client moves them from call to call. */
function unmarked(value: unknown): string {
  return JSON.stringify(value, (key, field: unknown) => (MARKERS.has(key) ? undefined : field));
}
