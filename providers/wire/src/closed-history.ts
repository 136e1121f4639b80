// The last door before the wire: every call is answered before anything else is said, and no result stands alone. An
// API answers an open call with a 400 on every later turn (provider facts 1.6, 2.5).

import type { Block } from '@tidemark/model';
import type { BodyForm } from './body-form.ts';
import { refuse } from './service.ts';

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
  if (block.holds === 'call') return withCall(open, block, form);
  if (block.holds === 'result') return withResult(open, block, form);
  const sameAnswer = block.group === open.group && block.role === 'assistant' && !form.callsLast;
  if (open.ids.size > 0 && !sameAnswer) throw unanswered(open, form);
  return open;
}

/** @throws ProviderError `provider/unclosed-history` when a call still waits where the request ends. */
export function requireClosed(form: BodyForm, open: OpenCalls): void {
  if (open.ids.size > 0) throw unanswered(open, form);
}

function withCall(open: OpenCalls, block: Block, form: BodyForm): OpenCalls {
  if (open.ids.size > 0 && block.group !== open.group) throw unanswered(open, form);
  return { group: block.group, ids: new Set([...open.ids, idAfter(form.callPrefix, block)]) };
}

function withResult(open: OpenCalls, block: Block, form: BodyForm): OpenCalls {
  const id = idAfter(form.resultPrefix, block);
  if (!open.ids.has(id)) {
    throw refuse(
      form.service,
      'provider/unclosed-history',
      `the result of "${id}" has no open call before it: repair the history before the request`,
    );
  }
  return { group: block.group, ids: new Set([...open.ids].filter((other) => other !== id)) };
}

function idAfter(prefix: string, block: Block): string {
  return block.head.slice(prefix.length, block.head.indexOf('"', prefix.length));
}

function unanswered(open: OpenCalls, { service }: BodyForm): Error {
  const ids = [...open.ids].join(', ');
  return refuse(
    service,
    'provider/unclosed-history',
    `no result follows the calls ${ids}: close them before the request`,
  );
}
