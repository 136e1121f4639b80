// Time travel: the context of a session exactly as it was at each request, with a scrubber and a search.

import type { Signal } from '@preact/signals';
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { textOf } from './connection.ts';
import { RequestContext } from './request-context.tsx';
import type { RequestStore, ShownMatches, ShownPlace, ShownRequest } from './request-data.ts';
import { grouped } from './request-data.ts';
import { SourceNote } from './request-page.tsx';
import { linkTo } from './route.ts';
import { useValueOfAddress } from './value-of-address.ts';

interface TravelPlace {
  readonly store: RequestStore;
  readonly session: string;
  /** Position of the request in the address. */
  readonly asked: number | undefined;
}

/** Shows the context of a session at one of its requests, by default the last one. */
export function TravelPage({ store, session, asked }: TravelPlace) {
  const places = useSignal<readonly ShownPlace[]>([]);
  const at = useSignal(-1);
  const request = useSignal<ShownRequest | undefined>(undefined);
  const problem = useSignal('');
  const fail = (error: unknown): void => {
    problem.value = textOf(error);
  };
  const show = (step: number): void => {
    const found = places.value.findIndex(({ position }) => position === step);
    if (found !== -1) at.value = found;
  };
  useEffect(() => {
    store.list(asked).then((list) => {
      const main = list.filter(({ stream }) => stream === 'main');
      const found = main.findIndex(({ position }) => position === asked);
      places.value = main;
      at.value = found === -1 ? main.length - 1 : found;
    }, fail);
  }, [store]);
  const place = places.value[at.value];
  useValueOfAddress({
    asked,
    shown: place?.position,
    show,
    addressOf: (step) => linkTo(['sessions', session, 'travel'], { step: String(step) }),
  });
  useEffect(() => {
    if (place === undefined) return undefined;
    let wanted = true;
    store.read(place.position).then((found) => {
      if (!wanted) return;
      request.value = found;
      problem.value = '';
    }, fail);
    return () => {
      wanted = false;
    };
  }, [store, place?.position]);
  return (
    <section class="wide">
      <h2>What the agent knew</h2>
      {problem.value !== '' && <p role="alert">{problem.value}</p>}
      <Scrubber places={places.value} at={at} />
      {request.value === undefined ? (
        <p class="soft">
          {places.value.length === 0 ? 'This session has no request yet.' : 'The request is being read.'}
        </p>
      ) : (
        <ContextAtStep request={request.value} store={store} />
      )}
    </section>
  );
}

function Scrubber({ places, at }: { readonly places: readonly ShownPlace[]; readonly at: Signal<number> }) {
  const place = places[at.value];
  const go = (to: number): void => {
    at.value = Math.min(places.length - 1, Math.max(0, to));
  };
  return (
    <div class="scrubber">
      <button type="button" disabled={at.value <= 0} onClick={() => go(at.value - 1)}>
        ← Back
      </button>
      <label>
        <span class="scrubber-label">
          {place === undefined ? 'Request' : `Step ${place.step} (request ${at.value + 1} of ${places.length})`}
        </span>
        <input
          type="range"
          min={0}
          max={Math.max(0, places.length - 1)}
          value={at.value}
          aria-valuetext={place === undefined ? '' : `step ${place.step}`}
          onInput={(event) => go(Number(event.currentTarget.value))}
        />
      </label>
      <button type="button" disabled={at.value >= places.length - 1} onClick={() => go(at.value + 1)}>
        Forward →
      </button>
      <label>
        Step{' '}
        <input
          class="step-number"
          type="number"
          min={0}
          value={place?.step ?? 0}
          onChange={(event) => {
            const step = Number(event.currentTarget.value);
            const found = places.findIndex((one) => one.step >= step);
            go(found === -1 ? places.length - 1 : found);
          }}
        />
      </label>
    </div>
  );
}

function ContextAtStep({ request, store }: { readonly request: ShownRequest; readonly store: RequestStore }) {
  const selected = useSignal(request.total - 1);
  const found = useSignal<ShownMatches | undefined>(undefined);
  const { session, position, blocks, total, at, previous } = request;
  useEffect(() => {
    selected.value = total - 1;
    found.value = undefined;
  }, [position]);
  const tokens = blocks.reduce((sum, block) => sum + block.tokens, 0);
  const added = total - (previous?.shared ?? 0);
  const prompt = blocks.findLast(({ kind }) => kind === 'prompt.given');
  return (
    <>
      <SourceNote request={request} />
      <p>
        At {at.slice(0, 19).replace('T', ' ')} UTC: {grouped(total)} blocks with {grouped(tokens)} estimated tokens,{' '}
        {grouped(added)} of them new since the previous request.{' '}
        <a href={linkTo(['sessions', session, 'request', String(position)])}>Show this request to scale</a>
      </p>
      {prompt !== undefined && (
        <p>
          The last prompt was: <q>{prompt.begins}</q>
        </p>
      )}
      <ContextSearch request={request} store={store} found={found} selected={selected} />
      <RequestContext
        request={request}
        store={store}
        selected={selected}
        marked={new Set(found.value?.blocks.map(({ block }) => block))}
      />
    </>
  );
}

interface ContextSearchProps {
  readonly request: ShownRequest;
  readonly store: RequestStore;
  readonly found: Signal<ShownMatches | undefined>;
  readonly selected: Signal<number>;
}

function ContextSearch({ request, store, found, selected }: ContextSearchProps) {
  const text = useSignal('');
  const problem = useSignal('');
  const search = async (): Promise<void> => {
    try {
      const matches = await store.search(request.position, text.value);
      found.value = matches;
      problem.value = '';
      const [first] = matches.blocks;
      if (first !== undefined) selected.value = first.block;
    } catch (error) {
      problem.value = textOf(error);
    }
  };
  const matches = found.value;
  return (
    <form
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.value !== '') void search();
      }}
    >
      <label>
        Search in the context of this step{' '}
        <input
          type="search"
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
          }}
        />
      </label>{' '}
      <button type="submit">Search</button>
      {problem.value !== '' && <span role="alert"> {problem.value}</span>}
      <div aria-live="polite">{matches !== undefined && <MatchList matches={matches} selected={selected} />}</div>
    </form>
  );
}

/** Most matches that are listed. All matches are marked in the list of blocks. */
const MOST_LISTED = 12;

function MatchList({ matches, selected }: { readonly matches: ShownMatches; readonly selected: Signal<number> }) {
  const { blocks, more } = matches;
  if (blocks.length === 0) return <p>The agent did not have this text at this step.</p>;
  return (
    <>
      <p>
        In {more ? 'more than ' : ''}
        {blocks.length} {blocks.length === 1 ? 'block' : 'blocks'}.
      </p>
      <ul class="matches">
        {blocks.slice(0, MOST_LISTED).map(({ block, count, excerpt }) => (
          <li key={block}>
            <button
              type="button"
              onClick={() => {
                selected.value = block;
              }}
            >
              Block {block}
            </button>{' '}
            <span class="soft">{count}×</span> {excerpt}
          </li>
        ))}
      </ul>
    </>
  );
}
