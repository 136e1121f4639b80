// List of the sessions, newest first.

import { useSignal, useSignalEffect } from '@preact/signals';
import type { components, SessionClient } from '@tidemark/client';
import { answerOf } from '@tidemark/client';
import { textOf } from './connection.ts';
import { linkTo } from './route.ts';

type Listed = components['schemas']['SessionEntry'];

/** Shows the sessions of the server. */
export function SessionsPage({ client }: { readonly client: SessionClient }) {
  const title = useSignal('');
  const sessions = useSignal<readonly Listed[]>([]);
  const problem = useSignal('');
  useSignalEffect(() => {
    const query = title.value === '' ? {} : { title: title.value };
    answerOf(client.GET('/sessions', { params: { query } })).then(
      (answer) => {
        sessions.value = answer.sessions;
        problem.value = '';
      },
      (error: unknown) => {
        problem.value = textOf(error);
      },
    );
  });
  return (
    <section>
      <h1>Sessions</h1>
      <p>
        <label>
          Title{' '}
          <input
            type="search"
            value={title.value}
            onInput={(event) => {
              title.value = event.currentTarget.value;
            }}
          />
        </label>{' '}
        <NewSession client={client} />
      </p>
      {problem.value !== '' && <p role="alert">{problem.value}</p>}
      {sessions.value.length === 0 ? (
        <p class="soft">There is no session yet.</p>
      ) : (
        <ul class="sessions">
          {sessions.value.map((one) => (
            <SessionRow key={one.session} {...one} />
          ))}
        </ul>
      )}
    </section>
  );
}

function SessionRow({ session, title, createdAt, workspace, running, questions, parent, startedBy }: Listed) {
  return (
    <li>
      <a href={linkTo(['sessions', session])}>{title ?? session}</a>
      <span class="soft">
        {createdAt.slice(0, 16).replace('T', ' ')} · {workspace}
        {parent !== undefined && ' · fork'}
        {startedBy !== undefined && ' · subagent'}
      </span>
      {running && <strong> running</strong>}
      {questions > 0 && <strong> asks</strong>}
    </li>
  );
}

function NewSession({ client }: { readonly client: SessionClient }) {
  const problem = useSignal('');
  const create = async (): Promise<void> => {
    try {
      const { session } = await answerOf(client.POST('/sessions', { body: {} }));
      location.hash = linkTo(['sessions', session]);
    } catch (error) {
      problem.value = textOf(error);
    }
  };
  return (
    <>
      <button type="button" onClick={() => void create()}>
        New session
      </button>
      {problem.value !== '' && <span role="alert"> {problem.value}</span>}
    </>
  );
}
