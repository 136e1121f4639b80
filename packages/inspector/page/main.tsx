// Entry of the page: enters with the code of a link or the kept token, and shows the place of the address.

import type { SessionClient } from '@tidemark/client';
import { render } from 'preact';
import { client, enter } from './connection.ts';
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
        <nav aria-label="Tidemark">
          <a href={linkTo([])} aria-current={place === undefined ? 'page' : undefined}>
            Sessions
          </a>
          <a href={linkTo(['cost'])} aria-current={place === 'cost' ? 'page' : undefined}>
            Cost
          </a>
        </nav>
      </header>
      <main>
        <Place client={present} />
      </main>
    </>
  );
}

function Place({ client: present }: { readonly client: SessionClient }) {
  const [place, session, view = '', position] = route.value.path;
  if (place === 'cost') return <CostPage client={present} />;
  if (place !== 'sessions' || session === undefined) return <SessionsPage client={present} />;
  return <SessionView key={session} client={present} session={session} view={view} position={Number(position)} />;
}

const root = document.querySelector('#page');
if (root === null) throw new Error('the page has no element #page');
await enter();
render(<Page />, root);
