// List of the sessions as a tree of forks and subagents, the latest change first.

import { useComputed, useSignal } from '@preact/signals';
import type { SessionClient } from '@tidemark/client';
import { answerOf } from '@tidemark/client';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { file, textOf } from './connection.ts';
import { count, counted, dollars, percent, time } from './format.ts';
import { linkTo } from './route.ts';
import { emptyList, followSessions } from './session-list.ts';
import type { ListedSession, SessionRow } from './session-tree.ts';
import { sessionTree } from './session-tree.ts';
import { askedSearch, SearchField, SearchResults } from './text-search.tsx';
import { VirtualRows } from './virtual-rows.tsx';

/** Time for which a search must stay before it is sent, in milliseconds. */
const SETTLE_MS = 200;

/** Shows the sessions of the server. */
export function SessionsPage({ client }: { readonly client: SessionClient }) {
  const title = useSignal('');
  const list = useMemo(emptyList, []);
  useEffect(() => {
    const ended = new AbortController();
    const delay = title.value === '' ? 0 : SETTLE_MS;
    const timer = setTimeout(
      () => void followSessions(client, list, { title: title.value, ended: ended.signal }),
      delay,
    );
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [client, title.value]);
  const rows = useComputed(() => sessionTree(list.sessions.value));
  return (
    <section>
      <h1>Sessions</h1>
      <div class="controls">
        <label>
          Title{' '}
          <input
            type="search"
            value={title.value}
            onInput={(event) => {
              title.value = event.currentTarget.value;
            }}
          />
        </label>
        {file.value === undefined && <SearchField />}
        {file.value === undefined && <NewSession client={client} />}
        <span class="soft" role="status">
          {list.complete.value || rows.value.length > 0
            ? counted(rows.value.length, 'session')
            : 'The sessions are being read.'}
          {!list.complete.value && rows.value.length > 0 && ', more are being read'}
        </span>
      </div>
      {list.problem.value !== '' && <p role="alert">{list.problem.value}</p>}
      {file.value === undefined && askedSearch().text !== '' ? (
        <SearchResults client={client} />
      ) : rows.value.length === 0 ? (
        list.complete.value && (
          <p class="soft">{title.value === '' ? 'There is no session yet.' : 'No title contains this text.'}</p>
        )
      ) : (
        <SessionTable rows={rows.value} />
      )}
    </section>
  );
}

const SESSION_COLUMNS = {
  columns: 'session-rows',
  head: ['Session', 'Last change (UTC)', 'Calls', 'Paid', 'Hit rate', 'Breaks', 'Paid again'],
};

function SessionTable({ rows }: { readonly rows: readonly SessionRow[] }) {
  const active = useSignal(0);
  return (
    <VirtualRows
      label="Sessions"
      table={SESSION_COLUMNS}
      count={rows.length}
      rowHeight={36}
      active={Math.min(active.value, rows.length - 1)}
      onSelect={(index) => {
        active.value = index;
      }}
      onOpen={(index) => {
        const session = rows[index]?.session.session;
        if (session !== undefined) location.hash = linkTo(['sessions', session]);
      }}
      row={(index) => {
        const row = rows[index];
        return row === undefined ? [] : sessionCells(row);
      }}
    />
  );
}

function sessionCells({ session: one, depth, origin }: SessionRow): readonly ComponentChildren[] {
  return [
    <SessionName session={one} depth={depth} origin={origin} />,
    time(one.changedAt),
    count(one.calls),
    paidText(one),
    percent(one.hitRate),
    count(one.breaks),
    one.lost === null ? 'unknown' : one.lost === '0' ? '–' : dollars(one.lost),
  ];
}

/** Formats what a session paid. A `+` means that calls of unknown cost come in addition. */
function paidText({ paid, calls, unpriced }: ListedSession): string {
  if (calls === 0) return '–';
  if (paid === null || unpriced === calls) return 'unknown';
  return `${dollars(paid)}${unpriced > 0 ? ' +' : ''}`;
}

type NamedSession = Pick<SessionRow, 'session' | 'depth'> & { readonly origin: SessionRow['origin'] | undefined };

function SessionName({ session: one, depth, origin }: NamedSession) {
  return (
    <span class="session-name" style={{ paddingLeft: `${Math.min(depth, 8) * 1.2}rem` }} title={one.workspace}>
      {origin !== undefined && <span class="soft">↳ {origin} </span>}
      <a href={linkTo(['sessions', one.session])} tabIndex={-1}>
        {one.title ?? one.session}
      </a>
      {one.running && <strong> ● running</strong>}
      {one.questions > 0 && <strong class="asks"> ? asks</strong>}
      {one.problem !== null && <strong class="miss"> ! {one.problem}</strong>}
    </span>
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
