// A session that is followed: its conversation, the text that is arriving, and the questions that wait.

import type { Signal } from '@preact/signals';
import { batch, signal } from '@preact/signals';
import type { components, FollowedEvent, SessionClient } from '@tidemark/client';
import { answerOf, followSession } from '@tidemark/client';
import type { Recorded } from '@tidemark/log';
import { textOf } from './connection.ts';
import type { Conversation } from './conversation.ts';
import { addRecords, NO_CONVERSATION } from './conversation.ts';

type Waiting = components['schemas']['WaitingQuestion'];

/** State of a followed session. */
export interface Followed {
  readonly conversation: Signal<Conversation>;
  /** Text of the answer that is arriving. */
  readonly arriving: Signal<string>;
  readonly outputs: Signal<ReadonlyMap<string, string>>;
  readonly questions: Signal<readonly Waiting[]>;
  /** Error of the connection. Empty while it works. */
  readonly problem: Signal<string>;
}

/** Longest kept end of the output of a running call, in characters. */
const LONGEST_OUTPUT = 32_768;

function notFollowedYet(): Followed {
  return {
    conversation: signal(NO_CONVERSATION),
    arriving: signal(''),
    outputs: signal(new Map()),
    questions: signal([]),
    problem: signal(''),
  };
}

/** Records that are read at once. */
const PAGE = 1_000;

/** Reads a session that does not change, until the signal aborts. */
export function readWhole(client: SessionClient, session: string, ended: AbortSignal): Followed {
  const followed = notFollowedYet();
  const { conversation, problem } = followed;
  const run = async (): Promise<void> => {
    for (let from = 0; !ended.aborted;) {
      const params = { path: { session }, query: { from, limit: PAGE } };
      const { records, next } = await answerOf(client.GET('/sessions/{session}/records', { params, signal: ended }));
      if (next === from) return;
      conversation.value = addRecords(conversation.value, records);
      from = next;
    }
  };
  run().catch((error: unknown) => {
    if (!ended.aborted) problem.value = textOf(error);
  });
  return followed;
}

/** Follows a session until the signal aborts. */
export function follow(client: SessionClient, session: string, ended: AbortSignal): Followed {
  const followed = notFollowedYet();
  let waiting: Recorded[] = [];
  const flush = (): void => {
    if (waiting.length === 0) return;
    followed.conversation.value = addRecords(followed.conversation.value, waiting);
    waiting = [];
  };
  const run = async (): Promise<void> => {
    for await (const event of followSession(client, session, { signal: ended })) {
      if (event.type === 'record') {
        // The records of a long session come together. They are added together too.
        if (waiting.push(event.record) === 1) setTimeout(flush, 0);
        takeRecord(followed, event.record);
      } else batch(() => take(followed, event));
    }
  };
  run().catch((error: unknown) => {
    if (!ended.aborted) followed.problem.value = textOf(error);
  });
  return followed;
}

function takeRecord({ arriving, outputs }: Followed, { kind, data }: Recorded): void {
  if (kind.startsWith('answer.')) arriving.value = '';
  if (kind !== 'tool.returned' && kind !== 'tool.failed' && kind !== 'tool.abandoned') return;
  const rest = new Map(outputs.value);
  if (rest.delete(data.call)) outputs.value = rest;
}

function take(
  { arriving, outputs, questions, problem }: Followed,
  event: Exclude<FollowedEvent, { readonly type: 'record' }>,
): void {
  switch (event.type) {
    case 'state':
      arriving.value = event.state.text;
      outputs.value = new Map(event.state.outputs.map(({ call, text }) => [call, text]));
      questions.value = event.state.questions;
      problem.value = '';
      return;
    case 'passing':
      return takePassing({ arriving, outputs, questions }, event.event);
    case 'failed':
      problem.value = event.error.message;
      return;
    case 'lost':
      problem.value = 'The connection is lost. It is opened again.';
      return;
  }
}

function takePassing(
  { arriving, outputs, questions }: Pick<Followed, 'arriving' | 'outputs' | 'questions'>,
  event: components['schemas']['PassingEvent'],
): void {
  if (event.type === 'text.delta') arriving.value += event.text;
  else if (event.type === 'tool.output')
    outputs.value = new Map([
      ...outputs.value,
      [event.call, `${outputs.value.get(event.call) ?? ''}${event.text}`.slice(-LONGEST_OUTPUT)],
    ]);
  else if (event.type === 'question.asked') questions.value = [...questions.value, event.waiting];
  else if (event.type === 'question.closed') questions.value = questions.value.filter(({ id }) => id !== event.id);
}
