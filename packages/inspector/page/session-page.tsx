// One session: its conversation, live, with the prompt, the interrupt and the answers to questions.

import { useSignal } from '@preact/signals';
import type { components, SessionClient } from '@tidemark/client';
import { answerOf } from '@tidemark/client';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { file, textOf } from './connection.ts';
import type { CallEntry, Entry } from './conversation.ts';
import type { Followed } from './live-session.ts';
import { follow, readWhole } from './live-session.ts';
import { route } from './route.ts';

interface SessionPlace {
  readonly client: SessionClient;
  readonly session: string;
}

/** Shows a session and follows it. */
export function SessionPage({ client, session }: SessionPlace) {
  const ended = useMemo(() => new AbortController(), [client, session]);
  const isFile = file.value !== undefined;
  const followed = useMemo(() => (isFile ? readWhole : follow)(client, session, ended.signal), [ended]);
  useEffect(() => () => ended.abort(), [ended]);
  const { conversation, arriving, questions, problem } = followed;
  useRecordOfAddress(conversation.value.length);
  return (
    <section>
      {problem.value !== '' && <p role="alert">{problem.value}</p>}
      <ol class="conversation" aria-live="polite">
        {conversation.value.entries.map((entry, index) => (
          <EntryRow key={index} entry={entry} followed={followed} />
        ))}
        {arriving.value !== '' && <li class="answer arriving">{arriving.value}</li>}
      </ol>
      {questions.value.map((waiting) => (
        <QuestionView key={waiting.id} client={client} session={session} {...waiting} />
      ))}
      {!isFile && <PromptBox client={client} session={session} running={conversation.value.running} />}
    </section>
  );
}

/** Shows the record that the address names, as soon as the conversation contains it. */
function useRecordOfAddress(length: number): void {
  const shown = useRef('');
  const wanted = route.value.values.get('record') ?? '';
  useEffect(() => {
    if (wanted === '' || shown.current === wanted || length <= Number(wanted)) return;
    const entry = nearestEntry(Number(wanted));
    if (entry === undefined) return;
    shown.current = wanted;
    entry.tabIndex = -1;
    entry.focus();
    entry.scrollIntoView({ block: 'center' });
  }, [wanted, length]);
}

/** Returns the entry of a record. A result has no entry of its own, so the entry before it is used: that of its call. */
function nearestEntry(record: number): HTMLElement | undefined {
  for (let at = record; at >= 0; at -= 1) {
    const entry = document.querySelector<HTMLElement>(`[data-record="${at}"]`);
    if (entry !== null) return entry;
  }
  return undefined;
}

function EntryRow({ entry, followed }: { readonly entry: Entry; readonly followed: Followed }) {
  if (entry.type === 'call') return <CallRow {...entry} live={followed.outputs.value.get(entry.call)} />;
  return (
    <li class={entry.type} data-record={entry.position}>
      {entry.text}
    </li>
  );
}

/** Longest beginning of the arguments of a call in its line, in characters. */
const LONGEST_BEGINNING = 200;

function CallRow({ position, name, input, state, output, live }: CallEntry & { readonly live: string | undefined }) {
  return (
    <li class="call" data-record={position}>
      <details open={live !== undefined}>
        <summary>
          <code>{name}</code> <span class="soft">{state}</span>{' '}
          <span class="begins">{input.slice(0, LONGEST_BEGINNING)}</span>
        </summary>
        <pre>{input}</pre>
        {(live ?? output) !== '' && <pre>{live ?? output}</pre>}
      </details>
    </li>
  );
}

type Waiting = components['schemas']['WaitingQuestion'];
type Answer = components['schemas']['QuestionAnswer'];

function QuestionView({ client, session, id, question }: SessionPlace & Waiting) {
  const problem = useSignal('');
  const reply = async (body: Answer): Promise<void> => {
    const path = { session, question: id };
    await answerOf(client.POST('/sessions/{session}/questions/{question}', { params: { path }, body })).catch(
      (error: unknown) => {
        problem.value = textOf(error);
      },
    );
  };
  return (
    <div class="question" role="alertdialog" aria-label={question.title}>
      <strong>{question.title}</strong>
      {question.about === 'call' && <pre>{question.preview.text}</pre>}
      {question.about === 'call' && question.preview.unseen !== undefined && <p>{question.preview.unseen}</p>}
      <button type="button" onClick={() => void reply({ decision: 'allowed' })}>
        Allow
      </button>{' '}
      {question.about === 'call' && question.always !== undefined && (
        <button type="button" onClick={() => void reply({ decision: 'always' })}>
          Always allow {question.always}
        </button>
      )}{' '}
      <button type="button" onClick={() => void reply({ decision: 'denied' })}>
        Deny
      </button>
      {problem.value !== '' && <p role="alert">{problem.value}</p>}
    </div>
  );
}

function PromptBox({ client, session, running }: SessionPlace & { readonly running: boolean }) {
  const text = useSignal('');
  const problem = useSignal('');
  const path = { session };
  const attempt = async (request: Promise<unknown>): Promise<boolean> => {
    try {
      await request;
      problem.value = '';
      return true;
    } catch (error) {
      problem.value = textOf(error);
      return false;
    }
  };
  const send = async (): Promise<void> => {
    const options = { params: { path }, body: { text: text.value } };
    const request: Promise<unknown> = running
      ? answerOf(client.POST('/sessions/{session}/steer', options))
      : answerOf(client.POST('/sessions/{session}/prompt', options));
    if (await attempt(request)) text.value = '';
  };
  return (
    <form
      class="prompt-box"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <label>
        {running ? 'Message to the running turn' : 'Prompt'}
        <textarea
          rows={3}
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
          }}
        />
      </label>
      <button type="submit" disabled={text.value.trim() === ''}>
        Send
      </button>{' '}
      {running && (
        <button
          type="button"
          onClick={() => void attempt(answerOf(client.POST('/sessions/{session}/interrupt', { params: { path } })))}
        >
          Interrupt
        </button>
      )}
      {problem.value !== '' && <p role="alert">{problem.value}</p>}
    </form>
  );
}
