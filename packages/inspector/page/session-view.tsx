// One session: its tabs, and the place of the address. Each tab is a link, so it can be copied and opened in another tab
// of the browser.

import { useSignal } from '@preact/signals';
import type { SessionClient } from '@tidemark/client';
import { answerOf } from '@tidemark/client';
import { useEffect } from 'preact/hooks';
import { CostPage } from './cost-page.tsx';
import { linkTo } from './route.ts';
import { SessionPage } from './session-page.tsx';
import { TimelinePage } from './timeline-page.tsx';

/** Places of a session: the last part of the address, and the name. */
const VIEWS = [
  ['', 'Live'],
  ['timeline', 'Timeline'],
  ['travel', 'Time travel'],
  ['checkpoints', 'Checkpoints'],
  ['cost', 'Cost'],
] as const;

/** Links to the places of a session. */
function SessionTabs({ session, view }: { readonly session: string; readonly view: string }) {
  return (
    <nav class="tabs" aria-label="Session">
      {VIEWS.map(([name, text]) => (
        <a
          key={name}
          href={linkTo(['sessions', session, ...(name === '' ? [] : [name])])}
          aria-current={name === view ? 'page' : undefined}
        >
          {text}
        </a>
      ))}
    </nav>
  );
}

interface SessionViewPlace {
  readonly client: SessionClient;
  readonly session: string;
  readonly view: string;
}

/** Shows a session: its heading, its tabs, and the place of the address. */
export function SessionView({ client, session, view }: SessionViewPlace) {
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
      <SessionTabs session={session} view={view} />
      <PlaceOfSession client={client} session={session} view={view} />
    </>
  );
}

function PlaceOfSession({ client, session, view }: SessionViewPlace) {
  if (view === 'timeline') return <TimelinePage client={client} session={session} />;
  if (view === 'cost') return <CostPage client={client} session={session} />;
  return <SessionPage client={client} session={session} />;
}
