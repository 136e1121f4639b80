// Entry of the page: opens its file, or enters with the code of a link or the kept token, and shows the place of the
// address.

import type { SessionClient } from '@tidemark/client';
import { render } from 'preact';
import { client, enter, file } from './connection.ts';
import { CostPage } from './cost-page.tsx';
import { EntryView } from './entry-view.tsx';
import { linkTo, route } from './route.ts';
import { SessionView } from './session-view.tsx';
import { SessionsPage } from './sessions-page.tsx';

function Page() {
  const present = client.value;
  if (present === undefined) return <EntryView />;
  const [place] = route.value.path;
  return (
    <>
      <header>
        <a class="name" href={linkTo([])}>
          Tidemark
        </a>
        {file.value === undefined ? <Places place={place} /> : <FileNote />}
      </header>
      <main>
        <Place client={present} />
      </main>
    </>
  );
}

function Places({ place }: { readonly place: string | undefined }) {
  return (
    <nav aria-label="Tidemark">
      <a href={linkTo([])} aria-current={place === undefined ? 'page' : undefined}>
        Sessions
      </a>
      <a href={linkTo(['cost'])} aria-current={place === 'cost' ? 'page' : undefined}>
        Cost
      </a>
    </nav>
  );
}

/** Says that the page is a file, and links to its other sessions. */
function FileNote() {
  const others = (file.value?.index.sessions.length ?? 1) - 1;
  return (
    <nav aria-label="Tidemark">
      {others > 0 && <a href={linkTo(['sessions'])}>Sessions of this file</a>}
      <span class="soft">Exported session: read only</span>
    </nav>
  );
}

function Place({ client: present }: { readonly client: SessionClient }) {
  const [place, asked, view = '', position] = route.value.path;
  // A file opens with the session that it is about.
  const session = place === undefined ? file.value?.index.sessions[0]?.session : asked;
  if (place === undefined && session !== undefined)
    return <SessionView key={session} client={present} session={session} view="" position={Number.NaN} />;
  if (place === 'cost') return <CostPage client={present} />;
  if (place !== 'sessions' || session === undefined) return <SessionsPage client={present} />;
  return <SessionView key={session} client={present} session={session} view={view} position={Number(position)} />;
}

const root = document.querySelector('#page');
if (root === null) throw new Error('the page has no element #page');
await enter();
render(<Page />, root);
