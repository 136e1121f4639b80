// Search over titles, prompts, answers and paths of files: the field, and the sessions with their matches. The address
// contains the search, so a link to it can be copied.

import { useSignal } from '@preact/signals';
import type { components, SessionClient } from '@tidemark/client';
import { answerOf, RequestError } from '@tidemark/client';
import { useEffect, useRef } from 'preact/hooks';
import { textOf } from './connection.ts';
import { count, counted, time } from './format.ts';
import { useKeptAddress } from './kept-address.ts';
import { linkTo, route } from './route.ts';

type FoundTexts = components['schemas']['FoundTexts'];
type FoundText = components['schemas']['FoundText'];
type SessionWithTexts = components['schemas']['SessionWithTexts'];

/** Search of the address. `session` is empty for a search over all sessions. */
interface AskedSearch {
  readonly text: string;
  readonly session: string;
}

/** Time until a search is sent again while the server reads the texts, in milliseconds. */
const AGAIN_MS = 2_000;
/** Number of sessions at first, and after the button. */
const [FIRST, MOST] = [20, 100];

/** Most matches that a search of one session returns. */
const MOST_TEXTS = 200;

/** Returns the search of the address. */
export function askedSearch(): AskedSearch {
  const { values } = route.value;
  return { text: values.get('search') ?? '', session: values.get('session') ?? '' };
}

function addressOf({ text, session }: AskedSearch): string {
  return linkTo([], { ...(text !== '' && { search: text }), ...(text !== '' && session !== '' && { session }) });
}

/** Shows the field of the search. The key `/` selects it, and the arrow keys move from it to the matches. */
export function SearchField() {
  const { text, session } = askedSearch();
  const typed = useSignal(text);
  const written = useKeptAddress(typed.value === text ? undefined : addressOf({ text: typed.value, session }));
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (addressOf({ text, session }) !== written.current) typed.value = text;
  }, [text]);
  useEffect(() => {
    const select = (event: KeyboardEvent): void => {
      if (event.key !== '/' || event.target instanceof HTMLInputElement) return;
      event.preventDefault();
      field.current?.select();
    };
    addEventListener('keydown', select);
    return () => removeEventListener('keydown', select);
  }, []);
  return (
    <label>
      Search texts and files{' '}
      <input
        ref={field}
        type="search"
        maxLength={1_000}
        value={typed.value}
        aria-keyshortcuts="/"
        onInput={(event) => {
          typed.value = event.currentTarget.value;
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') moveFocus(event, 1);
        }}
      />
    </label>
  );
}

/** Moves the focus to another match. From the field, to the first one. */
function moveFocus(event: KeyboardEvent, step: 1 | -1): void {
  const matches = [...document.querySelectorAll<HTMLElement>('.found a.match')];
  const at = matches.findIndex((one) => one === document.activeElement);
  const next = matches[at === -1 ? 0 : at + step];
  if (next === undefined) return;
  next.focus();
  event.preventDefault();
}

/** Shows the sessions whose texts match the search of the address. */
export function SearchResults({ client }: { readonly client: SessionClient }) {
  const { text, session } = askedSearch();
  const limit = useSignal(FIRST);
  const found = useSignal<FoundTexts | undefined>(undefined);
  const problem = useSignal('');
  useEffect(() => {
    const ended = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const query = { text, limit: limit.value, ...(session !== '' && { session }) };
    const read = async (): Promise<void> => {
      try {
        found.value = await answerOf(client.GET('/search', { params: { query }, signal: ended.signal }));
        problem.value = '';
      } catch (error) {
        if (ended.signal.aborted) return;
        problem.value = textOf(error);
        if (error instanceof RequestError && error.code === 'server/reading')
          timer = setTimeout(() => void read(), AGAIN_MS);
      }
    };
    void read();
    return () => {
      clearTimeout(timer);
      ended.abort();
    };
  }, [client, text, session, limit.value]);
  const { sessions = [], more = false } = found.value ?? {};
  return (
    <section class="found" aria-label="Matches">
      {problem.value !== '' && <p role="alert">{problem.value}</p>}
      <p role="status" class="soft">
        {found.value === undefined ? 'The texts are being searched.' : summaryOf(found.value)}{' '}
        {session !== '' && <a href={addressOf({ text, session: '' })}>Search all sessions</a>}
      </p>
      <ol
        onKeyDown={(event) =>
          event.key === 'ArrowDown' ? moveFocus(event, 1) : event.key === 'ArrowUp' && moveFocus(event, -1)
        }
      >
        {sessions.map((one) => (
          <SessionMatches key={one.session} found={one} text={text} />
        ))}
      </ol>
      {more && limit.value < MOST && (
        <button
          type="button"
          onClick={() => {
            limit.value = MOST;
          }}
        >
          Show more sessions
        </button>
      )}
    </section>
  );
}

function summaryOf({ sessions, more }: FoundTexts): string {
  if (sessions.length === 0) return 'No title, prompt, answer or path contains these words.';
  return `${more ? 'The latest ' : ''}${counted(sessions.length, 'session')} with these words.`;
}

function SessionMatches({ found, text }: { readonly found: SessionWithTexts; readonly text: string }) {
  const { session, title, workspace, changedAt, records, texts } = found;
  return (
    <li>
      <h2>
        <a href={linkTo(['sessions', session])}>{title ?? session}</a>
      </h2>
      <p class="soft">
        {time(changedAt)} UTC · {workspace} · {count(records)} {records === 1 ? 'match' : 'matches'}
        {records > texts.length && texts.length < MOST_TEXTS && (
          <>
            ,{' '}
            <a href={addressOf({ text, session })}>show {records > MOST_TEXTS ? `the latest ${MOST_TEXTS}` : 'all'}</a>
          </>
        )}
      </p>
      <ul>
        {texts.map((one) => (
          <MatchView key={one.position} session={session} match={one} />
        ))}
      </ul>
    </li>
  );
}

const KINDS: Readonly<Record<FoundText['kind'], string>> = {
  title: 'Title',
  prompt: 'Prompt',
  answer: 'Answer',
  files: 'Files',
};

function MatchView({ session, match }: { readonly session: string; readonly match: FoundText }) {
  const { position, step, request, kind, parts } = match;
  return (
    <li>
      <a class="match" href={linkTo(['sessions', session], { record: String(position) })}>
        <span class="kind">{KINDS[kind]}</span>{' '}
        <bdi>{parts.map((part, index) => (index % 2 === 1 ? <mark key={index}>{part}</mark> : part))}</bdi>
      </a>
      {request !== null && (
        <a class="soft" href={linkTo(['sessions', session, 'travel'], { step: String(request) })}>
          context at step {step}
        </a>
      )}
    </li>
  );
}
