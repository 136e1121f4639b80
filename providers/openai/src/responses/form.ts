// What stands between the blocks of a Responses body: content parts of one group and role share a message item, except
// those of the model; every other block is an item of its own.

import type { Block, Role } from '@tidemark/model';
import type { BodyForm } from '@tidemark/provider-wire';
import { CALL_PREFIX, RESULT_PREFIX } from './items.ts';
import { responsesEnd, responsesHeader } from './parameters.ts';
import { OPENAI } from '../service.ts';

/** `{"model", parameters, "tools", "input", "max_output_tokens", "stream", fields}`. */
export const responsesForm: BodyForm = {
  service: OPENAI,
  header: responsesHeader,
  between,
  joins,
  systemIsMessage: true,
  end: responsesEnd,
  // 30 minutes are the default and have no field.
  marks: {
    '30m': ',"prompt_cache_breakpoint":{"mode":"explicit"}',
    '12h': ',"prompt_cache_breakpoint":{"mode":"explicit","ttl":"12h"}',
  },
  callPrefix: CALL_PREFIX,
  resultPrefix: RESULT_PREFIX,
  callsLast: false,
  goesOn: ({ response }) => ({ previous_response_id: response }),
};

const ROLES: { readonly [role in Role]: string } = {
  system: 'developer',
  developer: 'developer',
  user: 'user',
  assistant: 'assistant',
};

function between(before: Block | undefined, after: Block | undefined): string {
  if (before === undefined) return after === undefined ? '"input":[]' : first(after);
  if (before.section === 'tools') {
    if (after?.section === 'tools') return ',';
    return after === undefined ? '],"input":[]' : `],${first(after)}`;
  }
  if (after === undefined) return `${closing(before)}]`;
  if (joins(before, after)) return ',';
  return `${closing(before)},${opening(after)}`;
}

function joins(before: Block, after: Block): boolean {
  return isContent(before) && isContent(after) && before.group === after.group && before.role === after.role;
}

function first(block: Block): string {
  return block.section === 'tools' ? '"tools":[' : `"input":[${opening(block)}`;
}

function opening(block: Block): string {
  return isContent(block) ? `{"type":"message","role":"${ROLES[block.role]}","content":[` : '';
}

function closing(block: Block): string {
  return isContent(block) ? ']}' : '';
}

function isContent({ holds, role }: Block): boolean {
  return (holds === 'text' || holds === 'image') && role !== 'assistant';
}
