// The fold of requests and answers: what was sent on each stream, what was accepted, what the provider then holds.

import type { RecordedOf, RequestPrepared, Usage } from '@tidemark/log';
import type { Accepted, Entry, Sent, State, Stream } from './state.ts';

/** Entries kept per stream: the newest. Four markers a call, of which at most two are new. */
const ENTRIES_KEPT = 16;

const NO_STREAM: Stream = {
  pending: undefined,
  accepted: undefined,
  entries: [],
  front: new Set(),
  reach: {},
};

/** A request was recorded, and so may be on its way. */
export function send(state: State, event: RecordedOf<'request.prepared'>): State {
  const stream = state.streams[event.data.stream] ?? NO_STREAM;
  const { position, at, data } = event;
  const pending: Sent = { position, at, prepared: data, spans: state.history.settled };
  return withStream(state, data.stream, { ...stream, pending });
}

/** A request failed: it moves nothing. */
export function fail(state: State, name: string): State {
  const stream = state.streams[name];
  return stream?.pending === undefined ? state : withStream(state, name, { ...stream, pending: undefined });
}

/** A request was answered: its markers are entries now. */
export function accept(state: State, event: RecordedOf<'answer.received' | 'answer.interrupted'>): State {
  const { stream: name, usage } = event.data;
  const stream = state.streams[name] ?? NO_STREAM;
  const { pending } = stream;
  if (pending === undefined) return state;
  const accepted: Accepted = {
    ...pending,
    cached: cachedTokens(usage),
    input: totalTokens(usage),
  };
  const entries = touch(stream.entries, pending, accepted.cached);
  const model = state.epoch?.opened.model ?? '';
  return withStream(state, name, {
    pending: undefined,
    accepted,
    entries,
    front: sentFront(state, stream, pending),
    reach: stream.reach[model] === pending.spans ? stream.reach : { ...stream.reach, [model]: pending.spans },
  });
}

/** Layers and tools that were accepted on this stream, whatever the epoch: a new front has only the others to write anew. */
function sentFront({ epoch }: State, stream: Stream, { prepared }: Sent): Stream['front'] {
  if (epoch === undefined || stream.accepted?.prepared.epoch === prepared.epoch) return stream.front;
  const { tools, layers } = epoch.opened;
  return new Set([...stream.front, ...[...tools, ...layers].map(({ digest }) => digest)]);
}

function withStream(state: State, name: string, stream: Stream): State {
  return { ...state, streams: { ...state.streams, [name]: stream } };
}

function cachedTokens(usage: Usage | undefined): number | undefined {
  if (usage?.read === undefined || usage.writes === undefined) return undefined;
  return usage.read + usage.writes.reduce((sum, write) => sum + write.tokens, 0);
}

function totalTokens(usage: Usage | undefined): number | undefined {
  const cached = cachedTokens(usage);
  return cached === undefined || usage?.fresh === undefined ? undefined : cached + usage.fresh;
}

/**
 * Each marker names an entry: written now, or read and so refreshed. Nothing cached means that none was written. The same
 * bytes under other parameters, or of another model, are another entry.
 */
function touch(entries: readonly Entry[], sent: Sent, cached: number | undefined): readonly Entry[] {
  if (cached === 0) return entries;
  const { at } = sent;
  const { markers, sequence, counts } = sent.prepared;
  const written = markers.map(({ block, prefix, ttl }): Entry => ({
    parameters: sequence.parameters,
    block,
    of: sequence.blocks,
    prefix,
    ttl,
    at,
  }));
  const nameOf = ({ prefix, parameters, block }: Entry): string => `${prefix} ${parameters[sectionOf(counts, block)]}`;
  const names = new Set(written.map(nameOf));
  return [...entries.filter((entry) => !names.has(nameOf(entry))), ...written].slice(-ENTRIES_KEPT);
}

function sectionOf({ tools, system }: RequestPrepared['counts'], block: number): keyof RequestPrepared['counts'] {
  if (block < tools) return 'tools';
  return block < tools + system ? 'system' : 'messages';
}
