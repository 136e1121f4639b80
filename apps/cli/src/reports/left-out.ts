// Reasoning that the history of a request holds and the request does not: another model's, or bound to what was edited
// since. The model is not sent it again; people can read its plain twin here.

import type { Rebuilt } from '@tidemark/agent';
import { slice } from '@tidemark/context';
import type { Span } from '@tidemark/model';

/** One piece of reasoning that was left out. */
export interface LeftOutReasoning {
  /** The answer that it stands in. */
  readonly record: number;
  readonly model: string;
  /** As its provider told it in plain words; may be empty. */
  readonly text: string;
}

/** What a request leaves out, oldest first. One that holds no history leaves nothing out. */
export function reasoningLeftOut({ record, promptStream, state }: Rebuilt): readonly LeftOutReasoning[] {
  if (record.data.history === 'none') return [];
  const sent = new Map<number, number>();
  for (const { holds, origin } of slice(promptStream.sequence.blocks))
    if (holds === 'thinking' && origin.from === 'event')
      sent.set(origin.position, (sent.get(origin.position) ?? 0) + 1);
  return slice(state.history.packed).flatMap((span) => leftOutOf(span, sent));
}

/** Within an answer it is the latter pieces that are left out, where not all are: what stands behind something missing. */
function leftOutOf({ origin, parts }: Span, sent: ReadonlyMap<number, number>): readonly LeftOutReasoning[] {
  if (origin.from !== 'event') return [];
  const { position } = origin;
  return parts
    .filter((part) => part.type === 'reasoning')
    .slice(sent.get(position) ?? 0)
    .map(({ model, text }) => ({ record: position, model, text }));
}
