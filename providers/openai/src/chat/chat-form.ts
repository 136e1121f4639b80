// What stands between the blocks of a Chat Completions body, whoever takes it.

import type { Block, Role } from '@tidemark/model';
import type { BodyForm } from '@tidemark/provider-wire';
import { CALL_PREFIX, RESULT_PREFIX } from './call.ts';

/** What a part of a list begins with; words never do, as a quote inside a string is escaped. */
export const PART_PREFIX = '{"type":"';

/** `{"model", parameters, "tools", "messages", what varies by call}`; who is spoken to says the first and the last. */
export function chatForm(own: Pick<BodyForm, 'service' | 'header' | 'end' | 'marks'>): BodyForm {
  return {
    ...own,
    between,
    joins: (before, after) => inside(before, after) !== undefined,
    systemIsMessage: true,
    callPrefix: CALL_PREFIX,
    resultPrefix: RESULT_PREFIX,
    callsLast: true,
  };
}

/** How a block stands in its message: as part of a string, of a list, of the calls, or as a message of its own. */
type ChatPieceKind = 'words' | 'part' | 'call' | 'message';

const ROLES: { readonly [role in Role]: string } = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
};

const CLOSING: { readonly [kind in ChatPieceKind]: string } = { words: '"}', part: ']}', call: ']}', message: '' };

/** Inside one message, from one kind to the next; any other pair begins a new message. */
const INSIDE: { readonly [pair: string]: string } = {
  'words words': '\\n\\n',
  'part part': ',',
  'call call': ',',
  'words call': '","tool_calls":[',
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
  const role = ROLES[block.role];
  switch (kindOf(block)) {
    case 'words':
      return `{"role":"${role}","content":"`;
    case 'part':
      return `{"role":"${role}","content":[`;
    case 'call':
      return '{"role":"assistant","content":null,"tool_calls":[';
    case 'message':
      return '';
  }
}

function kindOf({ holds, head }: Block): ChatPieceKind {
  if (holds === 'call') return 'call';
  if (holds === 'result') return 'message';
  return head.startsWith(PART_PREFIX) ? 'part' : 'words';
}
