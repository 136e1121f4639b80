// First difference of a request from the previous one of its stream, marked to the character.

import { useSignal } from '@preact/signals';
import { diffWordsWithSpace } from 'diff';
import { useEffect } from 'preact/hooks';
import { textOf } from './connection.ts';
import type { RequestStore, ShownRequest } from './request-data.ts';
import { grouped } from './request-data.ts';
import { linkTo } from './route.ts';

/** Characters before the first difference, and after it, that are compared. */
const BEFORE = 120;
const AFTER = 600;

interface Shown {
  readonly request: ShownRequest;
  readonly store: RequestStore;
}

/** Shows how a request relates to the previous one. */
export function RequestDifference({ request, store }: Shown) {
  const { previous, session, total, cause, price } = request;
  if (previous === undefined) return <p>The first request of its stream.</p>;
  const link = <a href={linkTo(['sessions', session, 'request', String(previous.position)])}>step {previous.step}</a>;
  const { difference, shared } = previous;
  if (difference === undefined)
    return (
      <p>
        Extends the request of {link}: {grouped(shared)} blocks are the same, {grouped(total - shared)} are new.
        {cause !== undefined && ` The cache was missed: ${cause}${priceInWords(price)}.`}
      </p>
    );
  return (
    <section class="difference" aria-label="First difference">
      <p>
        <strong>Breaks the request of {link}</strong>{' '}
        {difference.at === 'parameters'
          ? `in the render parameters, from the section ${difference.section ?? ''} on`
          : `at block ${difference.block ?? 0}, character ${grouped(difference.character ?? 0)}`}
        . {cause === undefined ? 'No cause is recorded' : `Cause: ${cause}`}
        {priceInWords(price)}.
      </p>
      {difference.at === 'block' && (
        <p class="soft">
          <del>Struck through</del>: only in the previous request. <ins>Underlined</ins>: only in this request.
        </p>
      )}
      {difference.at === 'block' && <MarkedDifference request={request} store={store} />}
    </section>
  );
}

function priceInWords(price: string | undefined): string {
  return price === undefined ? '; the price is unknown' : `; it cost $${price}`;
}

interface Change {
  readonly value: string;
  readonly added: boolean;
  readonly removed: boolean;
}

/** Smallest part of the text that must be equal, so that changes by words can be read. */
const LEAST_EQUAL = 0.4;

/**
 * Returns the equal text before the first difference, and the changes by words from there on. If the texts have little
 * in common, they follow each other as a whole.
 */
function changesFrom(old: string, now: string, first: number): readonly Change[] {
  const same = { value: now.slice(0, first), added: false, removed: false };
  const [removed, added] = [old.slice(first), now.slice(first)];
  const changes = diffWordsWithSpace(removed, added);
  const equal = changes.reduce((sum, one) => sum + (one.added || one.removed ? 0 : one.value.length), 0);
  if (equal >= LEAST_EQUAL * Math.min(removed.length, added.length)) return [same, ...changes];
  return [same, { value: removed, added: false, removed: true }, { value: `\n${added}`, added: true, removed: false }];
}

function MarkedDifference({ request, store }: Shown) {
  const changes = useSignal<readonly Change[]>([]);
  const problem = useSignal('');
  const { position, previous, total } = request;
  useEffect(() => {
    const { block = 0, character = 0, replaces = false } = previous?.difference ?? {};
    const range = { from: Math.max(0, character - BEFORE), to: character + AFTER };
    const was = previous !== undefined && replaces ? store.text(previous.position, block, range) : Promise.resolve('');
    const is = block < total ? store.text(position, block, range) : Promise.resolve('');
    Promise.all([was, is]).then(
      ([old, now]) => {
        changes.value = changesFrom(old, now, character - range.from);
      },
      (error: unknown) => {
        problem.value = textOf(error);
      },
    );
  }, [position]);
  if (problem.value !== '') return <p role="alert">{problem.value}</p>;
  return (
    <pre tabIndex={0}>
      {changes.value.map(({ value, added, removed }, index) => {
        if (added) return <ins key={index}>{value}</ins>;
        return removed ? <del key={index}>{value}</del> : <span key={index}>{value}</span>;
      })}
    </pre>
  );
}
