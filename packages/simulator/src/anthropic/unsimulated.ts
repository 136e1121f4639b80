// Refuses fields and tools whose effect the simulator does not imitate. If the simulator ignored them, a test would
// pass although its request has no effect.

import { firstRefusal, invalid } from '../core/refusal.ts';
import type { MessageRefusal } from '../core/refusal.ts';
import { pathOf } from './request.ts';
import type { RequestRule, SentBlock, WireRequest } from './request.ts';
import { isList, isObject, isPresent, objectAt, textOf } from '../core/wire.ts';
import type { WireObject } from '../core/wire.ts';

/** Advice for each field that is refused if it has a value. An empty list counts as no value. */
const ADVICE: ReadonlyMap<string, string> = new Map([
  ['compaction', 'Send the question for a summary as a message.'],
  ['container', 'Remove it: no server tool runs here.'],
  ['fallbacks', 'Remove it, and send the request to the other model yourself.'],
  ['fallback_credit_token', 'Remove it.'],
  ['mcp_servers', 'Connect to the servers in the client, and send their tools.'],
]);

/** Refuses a field whose effect is not simulated. When the real service counts tokens, it also ignores `compaction`. */
export const checkUnsimulated: RequestRule = (request) => {
  const { fields, purpose } = request;
  const wrong = firstRefusal(Object.entries(fields), ([name, value]) => {
    const advice = purpose === 'count' && name === 'compaction' ? undefined : ADVICE.get(name);
    const isEmpty = !isPresent(value) || (isList(value) && value.length === 0);
    return isEmpty || advice === undefined ? undefined : invalid(`simulator: '${name}' is not simulated. ${advice}`);
  });
  return wrong ?? checkTier(fields) ?? checkEdits(request);
};

/**
 * Refuses an unknown service tier. The simulated organisation has no priority capacity. So both known tiers get the
 * standard tier.
 */
function checkTier({ service_tier: tier }: WireObject): MessageRefusal | undefined {
  if (!isPresent(tier) || tier === 'auto' || tier === 'standard_only') return undefined;
  return invalid("service_tier: Input should be 'auto' or 'standard_only'");
}

// Context editing (provider-facts §1.7). Only one edit is simulated: keep all thinking. Claude Code sends this edit
// with each request.

const EDITING = 'context-management-2025-06-27';

function checkEdits({ fields, betas }: WireRequest): MessageRefusal | undefined {
  const { context_management: management } = fields;
  if (!isPresent(management)) return undefined;
  if (!betas.includes(EDITING)) return invalid('context_management: Extra inputs are not permitted');
  if (!isObject(management)) return invalid('context_management: Input should be a valid dictionary');
  const edits = management['edits'] ?? [];
  if (!isList(edits)) return invalid('context_management.edits: Input should be a valid list');
  return firstRefusal(edits.entries(), ([i, edit]) => (keepsAll(edit) ? undefined : refuseEdit(edit, i)));
}

function refuseEdit(edit: unknown, index: number): MessageRefusal {
  const path = `context_management.edits.${index}`;
  if (!isObject(edit)) return invalid(`${path}: Input should be a valid dictionary`);
  const type = textOf(edit['type']);
  const only = "Remove it, or use 'clear_thinking_20251015' with keep: 'all'.";
  return invalid(`simulator: ${path}: the edit '${type}' is not simulated as sent. ${only}`);
}

function keepsAll(edit: unknown): boolean {
  return isObject(edit) && edit['type'] === 'clear_thinking_20251015' && edit['keep'] === 'all';
}

/** True if a request asks to keep all thinking. Then a model does not strip thinking when a new turn starts. */
export function keepsThinking({ fields }: WireRequest): boolean {
  const { context_management: management } = fields;
  const edits = isObject(management) ? management['edits'] : [];
  return isList(edits) && edits.some(keepsAll);
}

// Tools that the service itself runs.

/** Tool types of Anthropic whose calls the client runs (SDK: `BetaToolUnion`). */
const OWN_TOOLS = /^(?:bash|text_editor|computer|computer_toolset|browser_toolset|memory)_\d{8}$/;

/** Refuses a tool that the service itself runs. Accepts it if the option `serverTools` is `offered`. */
export function checkServerTools(
  { blocks }: WireRequest,
  treatment: 'offered' | 'refused',
): MessageRefusal | undefined {
  if (treatment === 'offered') return undefined;
  return firstRefusal(blocks, (block) => {
    const path = block.level === 'tools' ? `tools.${block.content}` : pathOf(block);
    if (block.type === 'container_upload') {
      return invalid(`simulator: ${path}: 'container_upload' is not simulated. Remove it: no server tool runs here.`);
    }
    const type = textOf(definitionOf(block)['type']);
    if (type === '' || type === 'custom' || OWN_TOOLS.test(type)) return undefined;
    const advice =
      "Remove it, or use the option serverTools: 'offered' (--offer-server-tools): the tool is then offered and never called.";
    return invalid(`simulator: ${path}: the server tool '${type}' is not simulated. ${advice}`);
  });
}

/** Returns the definition of a tool that a block declares or adds, or an empty object. */
function definitionOf({ level, type, fields }: SentBlock): WireObject {
  if (level === 'tools') return fields;
  return type === 'tool_addition' ? objectAt(objectAt(fields, 'tool'), 'definition') : {};
}
