// Closed history: each call is closed once. What the file left open is abandoned, and says so.

import type { ToolAbandoned } from '@tidemark/log';
import { callId } from '@tidemark/log';
import { hashText } from '../file/hash-text.ts';
import type { From, ResultMove } from '../format/move.ts';
import type { SessionDraft } from './draft.ts';
import { emit, inTurn } from './draft.ts';

/** Abandons every open call but those that `spare` says will be closed yet. Returns how many were abandoned. */
export function abandonCalls(
  draft: SessionDraft,
  at: From['at'],
  reason: ToolAbandoned['reason'],
  spare: (call: string) => boolean = () => false,
): number {
  const left = [...draft.open.keys()].filter((call) => !spare(call));
  for (const call of left) {
    shut(draft, call);
    emit(draft, { kind: 'tool.abandoned', at, ...inTurn(draft), data: { call: callId(call), reason } });
  }
  return left.length;
}

/** Closes a call with its result. Says why not, where there is no such open call. */
export function closeCall(draft: SessionDraft, move: ResultMove): string | undefined {
  const { call, parts, durationMs } = move;
  if (!draft.open.has(call)) {
    return draft.closed.has(hashText(call)) ? `second result of call ${call}` : `result without its call ${call}`;
  }
  shut(draft, call);
  const data = { call, parts, ...(durationMs === undefined ? {} : { durationMs }) };
  emit(draft, { kind: move.error ? 'tool.failed' : 'tool.returned', at: move.from.at, ...inTurn(draft), data });
  return undefined;
}

function shut(draft: SessionDraft, call: string): void {
  draft.open.delete(call);
  draft.closed.add(hashText(call));
  if (draft.open.size === 0) draft.batch = undefined;
}
