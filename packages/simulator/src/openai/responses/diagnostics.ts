// OpenAI's native diagnosis of a cache miss (provider-facts §2.2). A call names an earlier response. The answer reports
// if the cache contained the prefix of that response. If it did not, the answer reports the reason.

import { isPresent, isList, objectAt, textOf } from '../../core/wire.ts';
import type { WireObject } from '../../core/wire.ts';
import type { PrefixEnd } from '../cache/prefix.ts';
import type { OpenAIRequest } from '../format/prompt.ts';
import { digestOf } from '../../core/digests.ts';

/** Data kept about the request of a response, for comparison with a later call. */
export interface ResponseFingerprint {
  readonly account: string;
  readonly model: string;
  readonly key: string;
  readonly settings: { readonly [name: string]: string };
  readonly tools: string;
  /** Digest of each block of the prompt, except the tools. */
  readonly input: readonly string[];
  readonly tokens: number;
}

/** Store of the fingerprints of the latest responses. The key is the response id. */
export interface ResponseDiagnostics {
  remember(response: string, fingerprint: ResponseFingerprint): void;
  /**
   * Compares a request with the earlier response that it names in `comparison_response_id`. `read` is the number of
   * tokens that the request read from the cache. Returns the diagnosis, or `undefined` if the request names no
   * response.
   */
  diagnose(request: OpenAIRequest, fingerprint: ResponseFingerprint, read: number): WireObject | undefined;
}

const KEPT = 256;

/** Creates an empty store that keeps the latest 256 fingerprints. */
export function createResponseDiagnostics(): ResponseDiagnostics {
  const fingerprints = new Map<string, ResponseFingerprint>();
  return {
    remember(response, fingerprint) {
      fingerprints.set(response, fingerprint);
      const oldest = fingerprints.size > KEPT ? fingerprints.keys().next().value : undefined;
      if (oldest !== undefined) fingerprints.delete(oldest);
    },
    diagnose({ fields }, fingerprint, read) {
      const asked = objectAt(fields, 'prompt_cache_options')['comparison_response_id'];
      if (!isPresent(asked)) return undefined;
      const before = fingerprints.get(textOf(asked));
      if (before === undefined || before.account !== fingerprint.account) {
        return { type: 'comparison_response_not_found' };
      }
      return compare(before, fingerprint, read);
    },
  };
}

/** Returns the fingerprint of a request: digests of its content, and the settings that are part of the cache key. */
export function fingerprintOf(
  request: OpenAIRequest,
  account: string,
  prefix: readonly PrefixEnd[],
): ResponseFingerprint {
  const { blocks, fields, capabilities, key, settings } = request;
  const tools = isList(fields['tools']) ? JSON.stringify(fields['tools']) : '[]';
  const input = blocks.filter((block) => block.kind !== 'tool');
  return {
    account,
    model: capabilities.model,
    key,
    settings,
    tools: digestOf(tools),
    input: input.map((block) => digestOf(`${block.speaker}|${block.text}`)),
    tokens: prefix.at(-1)?.tokens ?? 0,
  };
}

function compare(before: ResponseFingerprint, after: ResponseFingerprint, read: number): WireObject {
  const reason = changeReason(before, after);
  if (reason !== undefined) {
    return { type: 'cache_miss', reason, cache_missed_tokens: Math.max(0, before.tokens - read) };
  }
  // At this point the compared requests are equal. If nothing was read, the entry is expired, below the floor or was
  // never written. The real service has no reason for these cases, so the type is `unavailable` (inferred, [I]).
  return { type: read > 0 ? 'cache_hit' : 'unavailable' };
}

const REASONS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'text.format': 'text_format_changed',
    'reasoning.effort': 'reasoning_effort_changed',
    'text.verbosity': 'verbosity_changed',
    service_tier: 'service_tier_changed',
    context_management: 'context_compacted',
  }),
);

function changeReason(before: ResponseFingerprint, after: ResponseFingerprint): string | undefined {
  if (before.model !== after.model) return 'model_changed';
  if (before.key !== after.key) return 'prompt_cache_key_changed';
  if (before.tools !== after.tools) return 'tools_changed';
  const [was, is] = [new Map(Object.entries(before.settings)), new Map(Object.entries(after.settings))];
  const setting = [...REASONS].find(([name]) => was.get(name) !== is.get(name));
  if (setting !== undefined) return setting[1];
  return before.input.some((digest, i) => digest !== after.input[i]) ? 'input_changed' : undefined;
}
