// Where the blocks of a request come from, checked against the log (L1, L4).

import type { RecordedOf } from '@tidemark/log';
import type { Prepared } from '@tidemark/agent';
import { slice } from '@tidemark/context';
import type { Block } from '@tidemark/model';
import type { Entry } from './book.ts';
import { epochOf } from './book.ts';
import { whyNotHeld } from './holds.ts';
import type { Shown } from './shown.ts';
import { shownBy } from './shown.ts';

/** Why the event that a block names does not hold what it shows (L4); `undefined` when it does. */
export function wrongEvent(book: readonly Entry[], block: Block): string | undefined {
  if (block.origin.from !== 'event') return undefined;
  const entry = book[block.origin.position];
  if (entry === undefined || entry.owner !== block.origin.session)
    return `no record ${block.origin.position} of ${block.origin.session}`;
  const shown = withoutStubs(shownBy(block), book);
  return shown === undefined ? undefined : whyNotHeld(shown, entry.record);
}

/** What a block shows beside stubs for what a provider rejected; nothing where it is one. */
function withoutStubs(shown: Shown, book: readonly Entry[]): Shown | undefined {
  const isStub = (one: Shown): boolean =>
    one.kind === 'text' &&
    book.some(({ record }) => record.kind === 'block.quarantined' && record.data.stub === one.text);
  if (isStub(shown)) return undefined;
  return shown.kind === 'result' ? { ...shown, content: shown.content.filter((one) => !isStub(one)) } : shown;
}

/** Blocks of a request that come from no record before it and no layer of its epoch (L1). */
export function strangers(
  book: readonly Entry[],
  { record, sequence }: Pick<Prepared, 'record' | 'sequence'>,
): readonly unknown[] {
  return slice(sequence.blocks)
    .filter(({ origin }) =>
      origin.from === 'layer' ? !isLayer(book, record, origin) : !isRecord(book, record, origin),
    )
    .map(({ origin, head }) => ({ origin, head }));
}

function isLayer(
  book: readonly Entry[],
  request: RecordedOf<'request.prepared'>,
  origin: { readonly layer: string; readonly revision: string },
): boolean {
  const { layers, tools } = epochOf(book, request);
  if (origin.layer === 'tools') return tools.some((tool) => tool.digest.startsWith(origin.revision));
  return layers.some((layer) => layer.name === origin.layer && layer.revision === origin.revision);
}

function isRecord(
  book: readonly Entry[],
  request: RecordedOf<'request.prepared'>,
  origin: { readonly session: string; readonly position: number },
): boolean {
  // A side call's own words stand in the record of its request.
  return origin.position <= request.position && book[origin.position]?.owner === origin.session;
}
