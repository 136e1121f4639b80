// One session: its tabs, and the place of the address. Each tab is a link, so it can be copied and opened in another tab
// of the browser.

import { useSignal } from '@preact/signals';
import type { SessionClient } from '@tidemark/client';
import { answerOf } from '@tidemark/client';
import { useEffect, useMemo } from 'preact/hooks';
import { CheckpointPage } from './checkpoint-page.tsx';
import { file } from './connection.ts';
import { CostPage } from './cost-page.tsx';
import { createRequestStore } from './request-data.ts';
import { RequestPage } from './request-page.tsx';
import { linkTo, route } from './route.ts';
import { SessionPage } from './session-page.tsx';
import { TimelinePage } from './timeline-page.tsx';
import { TravelPage } from './travel-page.tsx';

/** Places of a session: the last part of the address, and the name. */
const VIEWS = [
  ['', 'Live'],
  ['timeline', 'Timeline'],
  ['travel', 'Context at each step'],
  ['checkpoints', 'Checkpoints'],
  ['cost', 'Cost'],
] as const;

/** Links to the places of a session. A request has a tab only while it is shown. */
function SessionTabs({ session, view, position }: Omit<SessionViewPlace, 'client'>) {
  return (
    <nav class="tabs" aria-label="Session">
      {VIEWS.map(([name, text]) => (
        <a
          key={name}
          href={linkTo(['sessions', session, ...(name === '' ? [] : [name])])}
          aria-current={name === view ? 'page' : undefined}
        >
          {name === '' && file.value !== undefined ? 'Conversation' : text}
        </a>
      ))}
      {view === 'request' && (
        <a href={linkTo(['sessions', session, 'request', String(position)])} aria-current="page">
          Request
        </a>
      )}
    </nav>
  );
}

interface SessionViewPlace {
  readonly client: SessionClient;
  readonly session: string;
  readonly view: string;
  /** Position of the request in the address. Not a number if the address has none. */
  readonly position: number;
}

/** Shows a session: its heading, its tabs, and the place of the address. */
export function SessionView({ client, session, view, position }: SessionViewPlace) {
  const title = useSignal<string | undefined>(undefined);
  useEffect(() => {
    // The list knows the title of a session without reading its log.
    answerOf(client.GET('/analytics/sessions', { params: { query: { session, limit: 1 } } })).then(
      ({ sessions }) => {
        title.value = sessions[0]?.title ?? undefined;
      },
      // The place of the address reads the session too, and shows the error.
      () => undefined,
    );
  }, [client, session]);
  return (
    <>
      <h1>{title.value ?? session}</h1>
      {title.value !== undefined && <p class="soft id">{session}</p>}
      <SessionTabs session={session} view={view} position={position} />
      <PlaceOfSession client={client} session={session} view={view} position={position} />
    </>
  );
}

function PlaceOfSession({ client, session, view, position }: SessionViewPlace) {
  const store = useMemo(() => createRequestStore(client, session), [client, session]);
  if (view === 'timeline') return <TimelinePage client={client} session={session} requests={store} />;
  if (view === 'cost') return <CostPage client={client} session={session} />;
  if (view === 'checkpoints') return <CheckpointPage client={client} session={session} />;
  if (view === 'request' && Number.isInteger(position)) return <RequestPage store={store} position={position} />;
  if (view === 'travel') {
    const step = route.value.values.get('step');
    return <TravelPage store={store} session={session} asked={step === null ? undefined : Number(step)} />;
  }
  return <SessionPage client={client} session={session} />;
}
