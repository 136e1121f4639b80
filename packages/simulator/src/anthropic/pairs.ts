// Checks that calls and results match (provider-facts §1.6). Each call needs a result at the start of the next message,
// and each result needs a call. The service merges consecutive messages of one role. So they count as one message here.

import { invalid } from '../core/refusal.ts';
import type { MessageRefusal } from '../core/refusal.ts';
import type { SentBlock, SentMessage, WireRole, RequestRule } from './request.ts';
import { textOf } from '../core/wire.ts';

interface RoleTurn {
  readonly role: WireRole;
  readonly blocks: SentBlock[];
}

/** Refuses a call without a result, a result without a call, two calls with one id, and two results for one call. */
export const checkPairs: RequestRule = (request) => {
  const turns = mergeTurns(request.messages);
  const seen = new Set<string>();
  for (const [i, turn] of turns.entries()) {
    const wrong = checkCalls(turn, turns[i + 1], seen) ?? checkResults(turn, turns[i - 1]);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
};

function mergeTurns(messages: readonly SentMessage[]): readonly RoleTurn[] {
  const turns: RoleTurn[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    if (last?.role === message.role) last.blocks.push(...message.blocks);
    else turns.push({ role: message.role, blocks: [...message.blocks] });
  }
  return turns;
}

function checkCalls(turn: RoleTurn, next: RoleTurn | undefined, seen: Set<string>): MessageRefusal | undefined {
  const calls = turn.blocks.filter((block) => block.type === 'tool_use');
  if (calls.length === 0) return undefined;
  for (const call of calls) {
    const id = textOf(call.fields['id']);
    if (seen.has(id))
      return invalid(`messages.${call.message}.content.${call.content}: \`tool_use\` ids must be unique`);
    seen.add(id);
  }
  const answered = new Set(leadingResults(next).map((result) => textOf(result.fields['tool_use_id'])));
  const open = calls.filter((call) => !answered.has(textOf(call.fields['id'])));
  const first = open[0];
  return first === undefined ? undefined : refuseUnanswered(first.message, open);
}

/**
 * Returns the results at the start of a turn, up to the first block of another type. For the service, a later result is
 * not "immediately after" the call.
 */
function leadingResults(turn: RoleTurn | undefined): readonly SentBlock[] {
  if (turn?.role !== 'user') return [];
  const end = turn.blocks.findIndex((block) => block.type !== 'tool_result');
  return end === -1 ? turn.blocks : turn.blocks.slice(0, end);
}

function refuseUnanswered(message: number, open: readonly SentBlock[]): MessageRefusal {
  const ids = open.map((call) => textOf(call.fields['id'])).join(', ');
  return invalid(
    `messages.${message}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  );
}

function checkResults(turn: RoleTurn, before: RoleTurn | undefined): MessageRefusal | undefined {
  const results = turn.blocks.filter((block) => block.type === 'tool_result');
  const calls = before?.role === 'assistant' ? before.blocks.filter((block) => block.type === 'tool_use') : [];
  const open = new Set(calls.map((call) => textOf(call.fields['id'])));
  const closed = new Set<string>();
  for (const result of results) {
    const id = textOf(result.fields['tool_use_id']);
    if (!open.has(id)) return orphan(result, id);
    if (closed.has(id)) return refuseDouble(result, id);
    closed.add(id);
  }
  return undefined;
}

function orphan(result: SentBlock, id: string): MessageRefusal {
  return invalid(
    `messages.${result.message}.content.${result.content}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
  );
}

function refuseDouble(result: SentBlock, id: string): MessageRefusal {
  return invalid(
    `messages.${result.message}.content.${result.content}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`,
  );
}
