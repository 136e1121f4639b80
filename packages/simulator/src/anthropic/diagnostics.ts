// Native diagnosis of a cache miss (provider-facts §1.4): a request names an earlier message, and the response reports
// where the two prompts start to differ.

import type { LevelParameters, LeftOutBlocks } from './prefix.ts';
import type { SentBlock, WireRequest } from './request.ts';
import { isPresent, isObject, textOf } from '../core/wire.ts';

/** Reason for a cache miss, with the names that the provider's response uses. */
export type MissReason =
  | {
      readonly type: 'model_changed' | 'system_changed' | 'tools_changed' | 'messages_changed';
      readonly cache_missed_input_tokens: number;
    }
  | { readonly type: 'previous_message_not_found' | 'unavailable' };

/** The `diagnostics` field of a response. It holds the reason for the cache miss. */
export interface MessageDiagnostics {
  readonly cache_miss_reason: MissReason;
}

/** Data kept about a request that opted in to diagnosis, for comparison with a later request. */
export interface Fingerprint {
  readonly account: string;
  readonly model: string;
  readonly speed: string;
  readonly tools: string;
  readonly system: string;
  readonly messages: readonly string[];
  readonly parameters: LevelParameters;
  readonly tokens: number;
}

/**
 * Store of the fingerprints of the latest requests that opted in to diagnosis. The key is the id of the message that
 * answered the request.
 */
export interface Diagnostics {
  remember(message: string, fingerprint: Fingerprint): void;
  /**
   * Compares a request with an earlier request. `previous_message_id` names the answer to the earlier request. `read`
   * is the number of tokens that the request read from the cache. Returns the reason for the miss. Returns `null` if
   * the request names no earlier message, or if the two prompts are equal.
   */
  diagnose(request: WireRequest, fingerprint: Fingerprint, read: number): MessageDiagnostics | null;
}

const KEPT = 256;

/** Creates an empty store that keeps the latest 256 fingerprints. */
export function createDiagnostics(): Diagnostics {
  const fingerprints = new Map<string, Fingerprint>();
  return {
    remember(message, fingerprint) {
      fingerprints.set(message, fingerprint);
      const oldest = fingerprints.size > KEPT ? fingerprints.keys().next().value : undefined;
      if (oldest !== undefined) fingerprints.delete(oldest);
    },
    diagnose(request, fingerprint, read) {
      const asked = request.fields['diagnostics'];
      const id = isObject(asked) ? asked['previous_message_id'] : undefined;
      if (!isPresent(id)) return null;
      const before = fingerprints.get(textOf(id));
      if (before === undefined || before.account !== fingerprint.account) {
        return { cache_miss_reason: { type: 'previous_message_not_found' } };
      }
      return compare(before, fingerprint, read);
    },
  };
}

/**
 * True if a request has the `diagnostics` field. The store keeps the fingerprint of such a request. So a later request
 * can name the answer to it.
 */
export function optsIn(request: WireRequest): boolean {
  return isObject(request.fields['diagnostics']);
}

/**
 * Returns the fingerprint of a request: digests of its content, and its parameters. Markers do not change the
 * fingerprint.
 */
export function fingerprintOf(
  request: WireRequest,
  account: string,
  parts: {
    readonly digests: readonly string[];
    readonly leftOut: LeftOutBlocks;
    readonly parameters: LevelParameters;
    readonly tokens: number;
  },
): Fingerprint {
  const shown = request.blocks.filter((block) => !parts.leftOut.has(block.index));
  const digests = (level: SentBlock['level']): readonly string[] =>
    shown.filter((block) => block.level === level).map((block) => `${block.role}|${parts.digests[block.index] ?? ''}`);
  return {
    account,
    model: request.capabilities.model,
    speed: textOf(request.fields['speed']) || 'standard',
    tools: digests('tools').join(','),
    system: digests('system').join(','),
    messages: digests('messages'),
    parameters: parts.parameters,
    tokens: parts.tokens,
  };
}

function compare(before: Fingerprint, after: Fingerprint, read: number): MessageDiagnostics | null {
  const missed = Math.max(0, before.tokens - read);
  const type = changeType(before, after);
  if (type === undefined) return null;
  if (type === 'unavailable') return { cache_miss_reason: { type } };
  return { cache_miss_reason: { type, cache_missed_input_tokens: missed } };
}

function changeType(
  before: Fingerprint,
  after: Fingerprint,
): Exclude<MissReason['type'], 'previous_message_not_found'> | undefined {
  if (before.model !== after.model || before.speed !== after.speed) return 'model_changed';
  if (before.tools !== after.tools) return 'tools_changed';
  if (before.system !== after.system) return 'system_changed';
  if (before.messages.some((digest, i) => digest !== after.messages[i])) return 'messages_changed';
  const same = (['tools', 'system', 'messages'] as const).every(
    (level) => before.parameters[level] === after.parameters[level],
  );
  return same ? undefined : 'unavailable';
}
