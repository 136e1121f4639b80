// A decoding in progress: what each event of a stream says to whoever listens.

import type { Answer, StreamPart } from '@tidemark/model';

/** One answer as it arrives. Made anew for each call; it keeps what has arrived. */
export interface Decoding {
  /** Whether the answer is whole: what comes after is of no concern. */
  finished(): boolean;
  /**
   * Takes the data of one event.
   *
   * @throws ProviderError `provider/malformed` for an event without its documented shape; what an error event says.
   */
  take(data: string): readonly StreamPart[];
  /** The stream has ended. @throws ProviderError `provider/cut` when the answer was not finished. */
  end(): readonly StreamPart[];
}

/** How one API's answers are read. */
export interface AnswerDecoder {
  begin(): Decoding;
  /** An answer that did not come as a stream. @throws ProviderError `provider/malformed`, or what it says of a failure. */
  whole(text: string): Answer;
}

/** What a stream would have said of an answer that came whole. */
export function wholeAsStream(answer: Answer): readonly StreamPart[] {
  const { response, model, parts } = answer;
  const named = { ...(response !== undefined && { response }), ...(model !== undefined && { model }) };
  return [
    { type: 'began', ...named, usage: {} },
    ...parts.map((part, index): StreamPart => ({ type: 'part', index, part })),
    { type: 'finished', answer },
  ];
}
