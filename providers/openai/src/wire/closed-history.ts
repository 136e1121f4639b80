// The last door before the wire: every call is answered before anything else is said, and no result stands alone. The
// API answers an open call with a 400 on every later turn (provider facts 2.5).

import type { Block } from '@tidemark/model';
import type { BodyForm } from './body-form.ts';
import { refuse } from './refuse.ts';

/** Calls that wait for their result, and the message that made them. */
export interface OpenCalls {
  readonly group: number;
  readonly ids: ReadonlySet<string>;
}

/** Nothing waits. */
export const NO_CALLS: OpenCalls = { group: -1, ids: new Set() };

/**
 * Goes over one more block.
 *
 * @throws ProviderError `provider/unclosed-history` for a result without its call, or anything between a call and its
 * result.
 */
export function follow(open: OpenCalls, block: Block, form: BodyForm): OpenCalls {
  if (block.holds === 'call') return withCall(open, block, idAfter(form.callPrefix, block));
  if (block.holds === 'result') return withResult(open, block, idAfter(form.resultPrefix, block));
  const sameAnswer = block.group === open.group && block.role === 'assistant' && !form.callsLast;
  if (open.ids.size > 0 && !sameAnswer) throw unanswered(open);
  return open;
}

/** @throws ProviderError `provider/unclosed-history` when a call still waits where the request ends. */
export function requireClosed(open: OpenCalls): void {
  if (open.ids.size > 0) throw unanswered(open);
}

function withCall(open: OpenCalls, block: Block, id: string): OpenCalls {
  if (open.ids.size > 0 && block.group !== open.group) throw unanswered(open);
  return { group: block.group, ids: new Set([...open.ids, id]) };
}

function withResult(open: OpenCalls, block: Block, id: string): OpenCalls {
  if (!open.ids.has(id)) {
    throw refuse(
      'provider/unclosed-history',
      `the result of "${id}" has no open call before it: repair the history before the request`,
    );
  }
  return { group: block.group, ids: new Set([...open.ids].filter((other) => other !== id)) };
}

function idAfter(prefix: string, block: Block): string {
  return block.head.slice(prefix.length, block.head.indexOf('"', prefix.length));
}

function unanswered(open: OpenCalls): Error {
  const ids = [...open.ids].join(', ');
  return refuse('provider/unclosed-history', `no result follows the calls ${ids}: close them before the request`);
}
