// A finished message in the wire format, and the parts of it that a stream begins and ends with.

import { contentOf } from '../core/answer.ts';
import type { SimulatedAnswer } from '../core/answer.ts';
import type { MessageDiagnostics } from './diagnostics.ts';
import type { Transformation } from './thinking.ts';
import type { SimulatedUsage } from '../core/ledger.ts';
import type { WireObject } from '../core/wire.ts';

/** Everything that a response says, streamed or not. */
export interface MessageReply {
  /** `msg_…` */
  readonly id: string;
  readonly model: string;
  readonly answer: SimulatedAnswer;
  /** As it is told, which a fault can make wrong. */
  readonly usage: SimulatedUsage;
  readonly diagnosis: MessageDiagnostics | null;
  /** Only told with the beta that asks for it; `undefined` otherwise. */
  readonly transformations: readonly Transformation[] | undefined;
}

/** The body of a response that is not streamed. */
export function messageOf(reply: MessageReply): WireObject {
  return {
    ...envelope(reply),
    content: reply.answer.blocks.map(contentOf),
    stop_reason: reply.answer.stop,
    usage: reply.usage,
  };
}

/** The message with which a stream begins: no content, no stop reason, the input already counted. */
export function openingOf(reply: MessageReply): WireObject {
  const begun = Math.min(1, reply.usage.output_tokens);
  return {
    ...envelope(reply),
    content: [],
    stop_reason: null,
    usage: { ...reply.usage, output_tokens: begun, output_tokens_details: null },
  };
}

function envelope(reply: MessageReply): WireObject {
  return {
    id: reply.id,
    type: 'message',
    role: 'assistant',
    model: reply.model,
    stop_sequence: null,
    stop_details: null,
    container: null,
    diagnostics: reply.diagnosis,
    ...(reply.transformations === undefined ? {} : { input_transformations: reply.transformations }),
  };
}
