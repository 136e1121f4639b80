// One step: the model is asked once, and how that ended is in the log. The loop asks again where the step is not done.

import type { StreamPart } from '@tidemark/model';
import { whyLimited } from '../decide/limits.ts';
import type { TurnEnding } from '../decide/next-move.ts';
import { heardFrom } from '../request/continuation.ts';
import { followFailure } from './follow-failure.ts';
import { prepareStep } from './prepare-step.ts';
import { recordEnd } from './record-end.ts';
import { relievePressure } from './recover-context.ts';
import { rememberFront } from './remember-front.ts';
import { sayCliff } from './say-cliff.ts';
import { sayPressure } from './say-pressure.ts';
import { sendRequest } from './send-request.ts';
import { refreshTools } from './refresh-tools.ts';
import type { StepContext } from './step-context.ts';
import { takenBy } from './step-context.ts';

/** Asks. What it returns ends the turn; without it the log says how to go on. */
export async function askModel(turn: StepContext): Promise<TurnEnding | undefined> {
  await refreshTools(turn);
  // A step is made with what the session is run with as it begins: a model that is switched to meanwhile is asked next.
  const working: StepContext = { ...turn, runtime: turn.runtime };
  const limited = whyLimited(working.runtime.limits, takenBy(working));
  if (limited !== undefined) return limited;
  await relievePressure(working);
  const prepared = await prepareStep(working);
  if (prepared === undefined || 'outcome' in prepared) return prepared;
  sayPressure(working, prepared);
  sayCliff(working, prepared);
  const received = await sendRequest(working, prepared, (part) => tellWords(working, part));
  if (received.end === 'failed') return followFailure(working, prepared, received);
  await recordEnd(working, prepared, received, false);
  if (received.end === 'finished') {
    working.lines.heard = heardFrom(prepared.sequence, prepared.record.data.encoder, received.answer);
    await rememberFront(working, prepared);
  }
  return undefined;
}

function tellWords({ tell }: StepContext, part: StreamPart): void {
  if (part.type === 'text.delta' || part.type === 'reasoning.delta') tell({ type: part.type, text: part.text });
}
