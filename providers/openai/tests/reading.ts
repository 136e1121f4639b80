// Values that the tests of this room share.

import type { StreamPart } from '@tidemark/model';
import type { Decoding, Service } from '@tidemark/provider-wire';
import type { AnswerReading } from '../src/chat/stream.ts';

export const SERVICE: Service = { name: 'somebody', title: 'Somebody' };
export const READING: AnswerReading = { service: SERVICE };

/** What these events say, without the end of the stream. */
export function play(decoding: Decoding, events: readonly object[]): readonly StreamPart[] {
  return events.flatMap((event) => decoding.take(JSON.stringify(event)));
}
