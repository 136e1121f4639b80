// View of a request that scenarios and hooks receive. It is the same for the APIs of all providers.

import type { WireObject } from './wire.ts';

/** Tool result that the client sent after the last answer. */
export interface SentResult {
  readonly id: string;
  /** Name of the tool that was called. */
  readonly name: string;
  readonly text: string;
  readonly error: boolean;
}

/** View of a request that scenarios and hooks receive. */
export interface ReceivedRequest {
  readonly model: string;
  /** Texts of the system prompt, with a blank line between them. */
  readonly system: string;
  /** Names of the tools that the model can call after all additions and removals of tools. */
  readonly tools: readonly string[];
  /** Text of the last user message that contains text. */
  readonly lastUserText: string;
  /** Tool results after the last answer, in the order of the request. */
  readonly toolResults: readonly SentResult[];
  /** Whole request body. */
  readonly body: WireObject;
}

/** Facts about how a call arrived, which are not part of its body. */
export interface ArrivalFacts {
  readonly wire: 'anthropic' | 'openai' | 'openrouter';
  /** HTTP headers with lower-case names. Empty for a call from the same process that gives none. */
  readonly headers: { readonly [name: string]: string };
  /** Returns the digest that identifies the bytes of the request. Only a scenario needs it. */
  digest(): string;
}
