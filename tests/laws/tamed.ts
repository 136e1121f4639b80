// A random event, brought to where it can do harm: on the main stream, about calls that others speak of too, with images
// whose bytes are there.

import type { AnswerPart, CallId, ContentPart, Event } from '@tidemark/log';
import { callId } from '@tidemark/log';
import { IMAGES } from './made-content.ts';

/** The event with its stream, call ids and images within reach. All else stays as random as it came. */
export function tamed(event: Event): Event {
  switch (event.kind) {
    case 'prompt.given':
      return { ...event, data: { ...event.data, parts: event.data.parts.map(within) } };
    case 'request.prepared':
      return { ...event, data: { ...event.data, stream: 'main' } };
    case 'answer.failed':
      return { ...event, data: { ...event.data, stream: 'main' } };
    case 'answer.received':
      return { ...event, data: { ...event.data, stream: 'main', parts: event.data.parts.map(known) } };
    case 'answer.interrupted':
      return { ...event, data: { ...event.data, stream: 'main', parts: event.data.parts.map(known) } };
    case 'tool.returned':
      return { ...event, data: { ...event.data, call: oneOf(event.data.call), parts: event.data.parts.map(within) } };
    case 'tool.failed':
      return { ...event, data: { ...event.data, call: oneOf(event.data.call), parts: event.data.parts.map(within) } };
    case 'tool.abandoned':
      return { ...event, data: { ...event.data, call: oneOf(event.data.call) } };
    default:
      return event;
  }
}

function within(part: ContentPart): ContentPart {
  return part.type === 'image' ? (IMAGES[part.bytes % IMAGES.length]?.part ?? part) : part;
}

function known(part: AnswerPart<CallId>): AnswerPart<CallId> {
  return part.type === 'call' ? { ...part, call: oneOf(part.call) } : part;
}

/** One of four ids, two of which no wire takes as they are. */
function oneOf(call: CallId): CallId {
  return callId(['a', 'b', 'c|d', 'ü'][call.length % 4] ?? 'a');
}
