// Accounts by session, day, model, contract or cause: each call is in exactly one group, so the groups sum to the whole.

import type { ModelCall } from './model-call.ts';

/** What calls can be told apart by. */
export type GroupBy = 'session' | 'day' | 'model' | 'contract' | 'cause';

/** By the UTC day on which a call was sent; by why it paid again, several causes joined. */
const NAMES: Readonly<Record<GroupBy, (call: ModelCall) => string | undefined>> = {
  session: (call) => call.session,
  day: (call) => call.at.slice(0, 10),
  model: (call) => call.model,
  contract: (call) => call.contract,
  cause: ({ again }) => again && [again.cause, ...(again.also ?? [])].join(' + '),
};

/** The group of a call; `undefined` where there is nothing to name: no contract, nothing paid again. */
export function groupOf(by: GroupBy, call: ModelCall): string | undefined {
  return NAMES[by](call);
}
