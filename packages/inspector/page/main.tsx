// Entry of the page: enters with the code of a link or the kept token, and shows the place of the address.

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
  const [place, name, view = ''] = route.value.path;
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
        {place === 'sessions' && name !== undefined ? (
          <SessionView key={name} client={present} session={name} view={view} />
        ) : place === 'cost' ? (
          <CostPage client={present} />
        ) : (
          <SessionsPage client={present} />
        )}
      </main>
    </>
  );
}

const root = document.querySelector('#page');
if (root === null) throw new Error('the page has no element #page');
await enter();
render(<Page />, root);
