// What stands between the blocks of a body.

import type { Block, Role } from '@tidemark/model';
import { CALL_PREFIX, RESULT_PREFIX } from '@tidemark/provider-openai-wire';
import type { BodyForm } from '@tidemark/provider-wire';
import { OPENROUTER } from '../service.ts';
import { end, header } from './parameters.ts';

/** `{"model", parameters, "tools", "messages", "max_completion_tokens", "stream", fields}`. */
export const routerForm: BodyForm = {
  service: OPENROUTER,
  header,
  between,
  joins: (before, after) => inside(before, after) !== undefined,
  systemIsMessage: true,
  end,
  // The 5 minute lifetime is the default and has no field.
  marks: { '5m': ',"cache_control":{"type":"ephemeral"}', '1h': ',"cache_control":{"type":"ephemeral","ttl":"1h"}' },
  callPrefix: CALL_PREFIX,
  resultPrefix: RESULT_PREFIX,
  callsLast: true,
};

/** How a block stands in its message: as a part of its content, among its calls, or as a message of its own. */
type Kind = 'part' | 'call' | 'message';

const ROLES: { readonly [role in Role]: string } = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
};

const CLOSING: { readonly [kind in Kind]: string } = { part: ']}', call: ']}', message: '' };

/** Inside one message, from one kind to the next; any other pair begins a new message. */
const INSIDE: { readonly [pair: string]: string } = {
  'part part': ',',
  'call call': ',',
  'part call': '],"tool_calls":[',
};

function between(before: Block | undefined, after: Block | undefined): string {
  if (before === undefined) return after === undefined ? '"messages":[]' : first(after);
  if (before.section === 'tools') {
    if (after?.section === 'tools') return ',';
    return after === undefined ? '],"messages":[]' : `],${first(after)}`;
  }
  if (after === undefined) return `${CLOSING[kindOf(before)]}]`;
  return inside(before, after) ?? `${CLOSING[kindOf(before)]},${opening(after)}`;
}

function inside(before: Block, after: Block): string | undefined {
  if (before.group !== after.group || before.role !== after.role) return undefined;
  return INSIDE[`${kindOf(before)} ${kindOf(after)}`];
}

function first(block: Block): string {
  return block.section === 'tools' ? '"tools":[' : `"messages":[${opening(block)}`;
}

function opening(block: Block): string {
  switch (kindOf(block)) {
    case 'part':
      return `{"role":"${ROLES[block.role]}","content":[`;
    case 'call':
      return '{"role":"assistant","content":null,"tool_calls":[';
    case 'message':
      return '';
  }
}

function kindOf({ holds }: Block): Kind {
  if (holds === 'call') return 'call';
  return holds === 'result' ? 'message' : 'part';
}
