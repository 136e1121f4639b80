// Finds reasoning that is in the history but not in the request, so that people can read its plain text. The model does
// not receive such reasoning again. The reason is that it belongs to another model or to content that was edited later.

import type { Rebuilt } from '@tidemark/agent';
import { slice } from '@tidemark/context';
import type { Span } from '@tidemark/model';

/** One piece of reasoning that the request omits. */
export interface LeftOutReasoning {
  /** Position of the answer that contains the reasoning. */
  readonly record: number;
  readonly model: string;
  /** Readable text from the provider. Can be empty. */
  readonly text: string;
}

/** Returns the reasoning that a request omits, oldest first. Returns an empty list for a request without history. */
export function reasoningLeftOut({ record, promptStream, state }: Rebuilt): readonly LeftOutReasoning[] {
  if (record.data.history === 'none') return [];
  const sent = new Map<number, number>();
  for (const { holds, origin } of slice(promptStream.sequence.blocks))
    if (holds === 'thinking' && origin.from === 'event')
      sent.set(origin.position, (sent.get(origin.position) ?? 0) + 1);
  return slice(state.history.packed).flatMap((span) => leftOutOf(span, sent));
}

/**
 * Returns the omitted reasoning of one answer. `sent` contains, for each answer, the number of pieces that the request
 * sends. The sent pieces are always the first pieces of the answer. The omitted pieces are therefore the last ones.
 */
function leftOutOf({ origin, parts }: Span, sent: ReadonlyMap<number, number>): readonly LeftOutReasoning[] {
  if (origin.from !== 'event') return [];
  const { position } = origin;
  return parts
    .filter((part) => part.type === 'reasoning')
    .slice(sent.get(position) ?? 0)
    .map(({ model, text }) => ({ record: position, model, text }));
}
