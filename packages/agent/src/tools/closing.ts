// The one event that closes a call which was answered, and what the model reads in it.

import type { CallId, ContentPart, Event, EventOf, Timestamp, ToolEnded, TurnId } from '@tidemark/log';
import { openCalls } from '../decide/next-move.ts';
import type { OutputLimits } from '../output/cut-text.ts';
import { limitsAt } from '../output/cut-text.ts';
import type { ShapedOutput } from '../output/output.ts';
import { openOutput } from '../output/output.ts';
import type { TurnContext } from '../session/turn-context.ts';

/** What is known of a call that ran, beside what it said. */
export type Particulars = Pick<ToolEnded, 'exit' | 'durationMs' | 'files'>;

/** The call ran, or was refused: its words as they were shaped, and its images with what is said of them. */
export function ended(
  work: TurnContext,
  kind: 'tool.returned' | 'tool.failed',
  call: CallId,
  shaped: ShapedOutput,
  images: readonly ContentPart[] = [],
  particulars: Particulars = {},
): EventOf<'tool.returned'> | EventOf<'tool.failed'> {
  const { text, output, shaping } = shaped;
  const words: readonly ContentPart[] = text === '' ? [] : [{ type: 'text', text }];
  const data: ToolEnded = {
    call,
    parts: [...words, ...images],
    ...(output !== undefined && { output }),
    ...(shaping !== undefined && { shaping }),
    ...particulars,
  };
  return { ...head(work), kind, data };
}

/** The call did not do what it was asked, in these words: shaped like any other output, since a tool may have chosen them. */
export async function failed(
  work: TurnContext,
  call: CallId,
  words: string,
  particulars: Particulars = {},
): Promise<Event> {
  const { session } = work;
  const output = openOutput({ artifacts: session.log.artifacts, secrets: session.secrets });
  await output.write(words);
  const shaped = await output.finish({ limits: limitsOf(work), keeps: 'head' });
  return ended(work, 'tool.failed', call, shaped, [], particulars);
}

/** What every event of a turn begins with. */
export function head({ runtime, turn }: TurnContext): { readonly at: Timestamp; readonly turn: TurnId } {
  return { at: runtime.surroundings.now(), turn };
}

/**
 * The limit of each result, or its share of the headroom. Calls that land together are each promised the same share, and
 * one that shows less than its share leaves the rest to those behind it: so all of them fit, in whatever order they land.
 */
export function limitsOf({ session, runtime }: TurnContext): OutputLimits {
  return limitsAt(session.state, runtime.capabilities, openCalls(session.state).length);
}
