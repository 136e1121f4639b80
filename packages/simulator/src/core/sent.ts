// What a script can see of a request, whatever its wire.

import type { WireObject } from './wire.ts';

/** One tool result of the last turn. */
export interface SentResult {
  readonly id: string;
  /** Name of the tool that was called. */
  readonly name: string;
  readonly text: string;
  readonly error: boolean;
}

/** A request, as a scenario or a hook looks at it. */
export interface ReceivedRequest {
  readonly model: string;
  /** All system texts, joined by a blank line. */
  readonly system: string;
  /** Names of those on offer at its end. */
  readonly tools: readonly string[];
  /** Text of the last user message that has some. */
  readonly lastUserText: string;
  /** Results after the last answer, in wire order. */
  readonly toolResults: readonly SentResult[];
  /** The whole body. */
  readonly body: WireObject;
}
