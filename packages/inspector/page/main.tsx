// Entry of the page: enters with the code of a link or the kept token, and shows the place of the address.

import type { SessionClient } from '@tidemark/client';
import { render } from 'preact';
import { CheckpointPage } from './checkpoint-page.tsx';
import { client, enter } from './connection.ts';
import { EntryView } from './entry-view.tsx';
import { RequestPage } from './request-page.tsx';
import { linkTo, route } from './route.ts';
import { SessionPage } from './session-page.tsx';
import { SessionsPage } from './sessions-page.tsx';
import { TravelPage } from './travel-page.tsx';

function Page() {
  const present = client.value;
  if (present === undefined) return <EntryView />;
  return (
    <>
      <header>
        <a class="name" href={linkTo([])}>
          Tidemark
        </a>
      </header>
      <main>
        <Place client={present} />
      </main>
    </>
  );
}

function Place({ client: present }: { readonly client: SessionClient }) {
  const { path, values } = route.value;
  const [place, session, part, position] = path;
  if (place !== 'sessions' || session === undefined) return <SessionsPage client={present} />;
  if (part === 'request' && position !== undefined)
    return <RequestPage client={present} session={session} position={Number(position)} />;
  if (part === 'checkpoints') return <CheckpointPage key={session} client={present} session={session} />;
  if (part === 'travel') {
    const step = values.get('step');
    return (
      <TravelPage key={session} client={present} session={session} asked={step === null ? undefined : Number(step)} />
    );
  }
  return <SessionPage key={session} client={present} session={session} />;
}

const root = document.querySelector('#page');
if (root === null) throw new Error('the page has no element #page');
await enter();
render(<Page />, root);
