// The top level of a body: which fields exist, which must be there, and of what kind (provider-facts §1.6 "strict").

import { invalid } from '../core/refusal.ts';
import type { MessageRefusal } from '../core/refusal.ts';
import type { Purpose } from './request.ts';
import { given, isList, isObject } from '../core/wire.ts';
import type { WireObject } from '../core/wire.ts';

const SHARED = ['model', 'messages', 'system', 'tools', 'tool_choice', 'thinking', 'output_config', 'cache_control'];
const BETA = ['context_management', 'mcp_servers', 'compaction', 'output_format', 'billing_policy'];
const COUNTED = [...SHARED, ...BETA, 'speed', 'user_profile_id', 'workspace_id'];
const KNOWN: { readonly [purpose in Purpose]: ReadonlySet<string> } = {
  count: new Set(COUNTED),
  messages: new Set([
    ...COUNTED,
    'max_tokens',
    'stream',
    'metadata',
    'stop_sequences',
    'temperature',
    'top_p',
    'top_k',
    'service_tier',
    'inference_geo',
    'container',
    'diagnostics',
    'thread',
    'fallbacks',
    'fallback_credit_token',
  ]),
};

const MOST_MESSAGES = 100_000;

/** The first thing wrong with the top level, without a look at blocks. */
export function checkFields(fields: WireObject, purpose: Purpose): MessageRefusal | undefined {
  return (
    missing(fields, purpose) ?? unknownField(fields, purpose) ?? wrongKind(fields) ?? messageCount(fields['messages'])
  );
}

function missing(fields: WireObject, purpose: Purpose): MessageRefusal | undefined {
  const required =
    purpose === 'count' ? (['model', 'messages'] as const) : (['model', 'max_tokens', 'messages'] as const);
  const absent = required.find((name) => fields[name] === undefined);
  return absent === undefined ? undefined : invalid(`${absent}: Field required`);
}

function unknownField(fields: WireObject, purpose: Purpose): MessageRefusal | undefined {
  const extra = Object.keys(fields).find((name) => !KNOWN[purpose].has(name));
  return extra === undefined ? undefined : invalid(`${extra}: Extra inputs are not permitted`);
}

function wrongKind(fields: WireObject): MessageRefusal | undefined {
  const { model, messages, system, tools, stream } = fields;
  if (typeof model !== 'string') return invalid('model: Input should be a valid string');
  if (!isList(messages)) return invalid('messages: Input should be a valid list');
  if (given(tools) && !isList(tools)) return invalid('tools: Input should be a valid list');
  if (given(system) && typeof system !== 'string' && !isList(system))
    return invalid('system: Input should be a valid list');
  if (given(stream) && typeof stream !== 'boolean') return invalid('stream: Input should be a valid boolean');
  const object = (['tool_choice', 'thinking', 'output_config', 'cache_control', 'diagnostics'] as const).find(
    (name) => given(fields[name]) && !isObject(fields[name]),
  );
  return object === undefined ? undefined : invalid(`${object}: Input should be a valid dictionary`);
}

function messageCount(messages: unknown): MessageRefusal | undefined {
  const length = isList(messages) ? messages.length : 0;
  if (length === 0) return invalid('messages: at least one message is required');
  if (length <= MOST_MESSAGES) return undefined;
  return invalid(`messages: List should have at most ${MOST_MESSAGES} items after validation, not ${length}`);
}
