// One request: drawn to scale, next to the previous one, with the text and the origin of each block.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { textOf } from './connection.ts';
import { RequestContext } from './request-context.tsx';
import { RequestCosts } from './request-costs.tsx';
import type { RequestStore, ShownPlace, ShownRequest } from './request-data.ts';
import { grouped, inputParts } from './request-data.ts';
import { RequestDifference } from './request-difference.tsx';
import { RequestIcicle } from './request-icicle.tsx';
import { linkTo, route } from './route.ts';
import { useValueOfAddress } from './value-of-address.ts';

interface RequestPlace {
  readonly store: RequestStore;
  readonly position: number;
}

/** Shows the request at a position of a session. It is drawn before the list of requests arrives. */
export function RequestPage({ store, position }: RequestPlace) {
  const request = useSignal<ShownRequest | undefined>(undefined);
  const places = useSignal<readonly ShownPlace[]>([]);
  const problem = useSignal('');
  useEffect(() => {
    let wanted = true;
    const fail = (error: unknown): void => {
      if (wanted) problem.value = textOf(error);
    };
    store
      .read(position)
      .then((found) => {
        if (!wanted) return undefined;
        request.value = found;
        problem.value = '';
        return store.list(position).then((list) => {
          if (wanted) places.value = list;
        });
      })
      .catch(fail);
    return () => {
      wanted = false;
    };
  }, [store, position]);
  const found = request.value;
  return (
    <section class="wide">
      {problem.value !== '' && <p role="alert">{problem.value}</p>}
      {found === undefined ? (
        <p class="soft">The request is being read.</p>
      ) : (
        <RequestView key={found.position} request={found} store={store} places={places.value} />
      )}
    </section>
  );
}

function RequestView({
  request,
  store,
  places,
}: {
  readonly request: ShownRequest;
  readonly store: RequestStore;
  readonly places: readonly ShownPlace[];
}) {
  const block = Number(route.value.values.get('block') ?? '-1');
  const asked = Number.isSafeInteger(block) ? block : -1;
  const selected = useSignal(asked);
  const { session, position, step, stream } = request;
  const select = (one: number): void => {
    selected.value = one;
  };
  useValueOfAddress({
    asked: asked === -1 ? undefined : asked,
    shown: selected.value === -1 ? undefined : selected.value,
    show: select,
    addressOf: (one) => linkTo(['sessions', session, 'request', String(position)], { block: String(one) }),
  });
  const own = places.filter((one) => one.stream === stream);
  const at = own.findIndex((one) => one.position === position);
  return (
    <>
      <h2>{stream === 'main' ? `Request of step ${step}` : `Request of ${stream}`}</h2>
      <nav class="steps" aria-label="Requests of this stream">
        <RequestLink session={session} place={own[at - 1]} text="← previous" />{' '}
        <RequestLink session={session} place={own[at + 1]} text="next →" />{' '}
        <a href={linkTo(['sessions', session, 'travel'], { step: String(position) })}>Travel in time from here</a>{' '}
        <a href={linkTo(['sessions', session])}>Conversation</a>
      </nav>
      <SourceNote request={request} />
      <RequestFacts request={request} />
      <RequestDifference request={request} store={store} />
      <RequestIcicle request={request} selected={selected.value} onSelect={select} />
      <RequestContext request={request} store={store} selected={selected} />
      <RequestCosts request={request} store={store} selected={selected} />
    </>
  );
}

function RequestLink({
  session,
  place,
  text,
}: {
  readonly session: string;
  readonly place: ShownPlace | undefined;
  readonly text: string;
}) {
  if (place === undefined) return <span class="soft">{text}</span>;
  return <a href={linkTo(['sessions', session, 'request', String(place.position)])}>{text}</a>;
}

/** States how the request is known. */
export function SourceNote({ request }: { readonly request: ShownRequest }) {
  const { source, verified, digest, missing } = request;
  if (source === 'imported')
    return (
      <p class="notice">
        As it would have been sent. The recording contains the conversation, but not this request: the tools, the system
        text and the exact bytes are unknown.
      </p>
    );
  const lost = missing.length === 0 ? '' : ` The recording does not contain: ${missing.join(', ')}.`;
  if (source === 'observed') return <p class="notice">As another program sent and recorded it.{lost}</p>;
  return (
    <p class="soft">
      As it was sent: rebuilt from the log
      {verified === true ? '. Its blocks are those that were recorded' : ', but it differs from what was recorded'}.
      {digest !== undefined && ` Digest of the body: ${digest.slice(0, 12)}….`}
    </p>
  );
}

function RequestFacts({ request }: { readonly request: ShownRequest }) {
  const { at, model, bytes, cost, actual, total } = request;
  const parts = inputParts(request).map(({ name, tokens }) => `${name} ${grouped(tokens)}`);
  const facts: readonly (readonly [string, string])[] = [
    ['Time (UTC)', at.slice(0, 19).replace('T', ' ')],
    ['Model', model],
    [
      'Input tokens',
      parts.length === 0 ? 'unknown' : `${parts.join(', ')}${actual === undefined ? ' (forecast)' : ''}`,
    ],
    ['Output tokens', actual?.output === undefined ? 'unknown' : grouped(actual.output)],
    ['Cost', cost === undefined ? 'unknown' : `$${cost}`],
    [
      'Size',
      `${bytes === undefined ? '' : `${grouped(bytes)} bytes, `}${total === 1 ? '1 block' : `${grouped(total)} blocks`}`,
    ],
  ];
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
