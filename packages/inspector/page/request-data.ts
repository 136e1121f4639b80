// Requests of a session as the page reads them: the list, and structures of which only the new blocks are loaded.

import type { components, SessionClient } from '@tidemark/client';
import { answerOf } from '@tidemark/client';

/** One block of a request, without its text. */
export interface ShownBlock {
  readonly section: string;
  readonly role: string;
  readonly holds: string;
  readonly group: number;
  /** Name of the layer, for blocks of the front. */
  readonly layer: string | undefined;
  /** Position, kind and time of the record that the block comes from, for blocks of the history. */
  readonly record: number | undefined;
  readonly kind: string | undefined;
  readonly at: string;
  readonly bytes: number;
  readonly tokens: number;
  readonly begins: string;
}

type Structure = components['schemas']['RequestStructure'];

/** A request with all of its blocks. */
export type ShownRequest = Omit<Structure, 'from' | 'blocks'> & { readonly blocks: readonly ShownBlock[] };

/** Place of a request in its session. */
export interface ShownPlace {
  readonly position: number;
  readonly step: number;
  readonly stream: string;
}

export type ShownMatches = components['schemas']['FoundBlocks'];

export type ShownCosts = components['schemas']['CarryCosts'];

/** Requests of one session. The list, and the requests that were shown last, are kept. */
export interface RequestStore {
  /** Returns all requests. A list that was read before is used if it contains requests after `position`. */
  list(position?: number): Promise<readonly ShownPlace[]>;
  /** Returns a request with all of its blocks. */
  read(position: number): Promise<ShownRequest>;
  text(position: number, block: number, sent?: { readonly from: number; readonly to: number }): Promise<string>;
  search(position: number, text: string): Promise<ShownMatches>;
  costs(position: number): Promise<ShownCosts>;
}

const KEPT = 24;

/** Creates a store that reads from a server. */
export function createRequestStore(client: SessionClient, session: string): RequestStore {
  const held = new Map<number, Promise<ShownRequest>>();
  const places = createPlaces(client, session);
  let latest: ShownRequest | undefined;
  const load = async (position: number): Promise<ShownRequest> => {
    const base = latest;
    const query = base === undefined ? {} : { known: base.position };
    const path = { session, position };
    const found = await answerOf(client.GET('/sessions/{session}/requests/{position}', { params: { path, query } }));
    const shared = base === undefined ? [] : base.blocks.slice(0, found.from);
    const whole = { ...found, blocks: [...shared, ...blocksOf(found)] };
    latest = whole;
    return whole;
  };
  return {
    list: places,
    read(position) {
      const known = held.get(position);
      if (known !== undefined) return known;
      const made = load(position);
      held.set(position, made);
      made.catch(() => held.delete(position));
      for (const oldest of held.keys()) if (held.size > KEPT) held.delete(oldest);
      return made;
    },
    async text(position, block, sent) {
      const path = { session, position, block };
      const query = sent === undefined ? {} : { ...sent, form: 'sent' as const };
      const address = '/sessions/{session}/requests/{position}/blocks/{block}';
      return (await answerOf(client.GET(address, { params: { path, query } }))).text;
    },
    costs(position) {
      const options = { params: { path: { session, position } } };
      return answerOf(client.GET('/sessions/{session}/requests/{position}/costs', options));
    },
    search(position, text) {
      const options = { params: { path: { session, position }, query: { text } } };
      return answerOf(client.GET('/sessions/{session}/requests/{position}/search', options));
    },
  };
}

function createPlaces(client: SessionClient, session: string): RequestStore['list'] {
  let known: Promise<readonly ShownPlace[]> | undefined;
  const load = async (): Promise<readonly ShownPlace[]> => {
    const path = { session };
    return placesOf(await answerOf(client.GET('/sessions/{session}/requests', { params: { path } })));
  };
  return async (position) => {
    const last = (await known?.catch(() => undefined))?.at(-1);
    if (known === undefined || last === undefined || position === undefined || last.position <= position)
      known = load();
    return known;
  };
}

/** Returns the requests of columns. */
export function placesOf({ streams, distance, step, stream }: components['schemas']['RequestColumns']): ShownPlace[] {
  let position = 0;
  return distance.map((one, index) => {
    position += one;
    return { position, step: step[index] ?? 0, stream: streams[stream[index] ?? 0] ?? '' };
  });
}

/** Returns the blocks of columns. */
export function blocksOf({ at: sent, blocks: columns }: Pick<Structure, 'at' | 'blocks'>): ShownBlock[] {
  const { names, section, role, holds, group, layer, record, kind, age, bytes, tokens, begins } = columns;
  const now = Date.parse(sent);
  const named = (column: readonly (number | null)[], index: number): string | undefined => names[column[index] ?? -1];
  return begins.map((text, index) => {
    const old = age[index] ?? null;
    return {
      section: named(section, index) ?? '',
      role: named(role, index) ?? '',
      holds: named(holds, index) ?? '',
      group: group[index] ?? -1,
      layer: named(layer, index),
      record: record[index] ?? undefined,
      kind: named(kind, index),
      at: old === null ? '' : new Date(now - old).toISOString(),
      bytes: bytes[index] ?? 0,
      tokens: tokens[index] ?? 0,
      begins: text,
    };
  });
}

/** Kinds of content, each with its own colour, pattern and word. */
export type ContentKind = 'tools' | 'system' | 'user' | 'answer' | 'thinking' | 'call' | 'result' | 'other';

/** Returns the kind of content of a block. */
export function contentKind({ section, role, holds }: ShownBlock): ContentKind {
  if (section === 'tools' || section === 'system') return section;
  if (holds === 'thinking' || holds === 'call' || holds === 'result') return holds;
  if (role === 'assistant') return 'answer';
  return role === 'user' ? 'user' : 'other';
}

/** A range of consecutive blocks that is folded together: the tools, the system text, or a turn. */
export interface BlockGroup {
  readonly title: string;
  readonly kind: ContentKind;
  readonly start: number;
  readonly end: number;
  readonly tokens: number;
}

/** Returns the groups of the blocks of a request, in order. */
export function groupsOf(blocks: readonly ShownBlock[]): readonly BlockGroup[] {
  const groups: BlockGroup[] = [];
  let turns = 0;
  // The turns before a checkpoint are not in the request, so the turns after it have no number.
  const hasCheckpoint = blocks.some(({ kind }) => kind === CHECKPOINT);
  for (const [index, block] of blocks.entries()) {
    const last = groups.at(-1);
    const before = blocks[index - 1];
    const opensTurn = block.kind === 'prompt.given' && before?.record !== block.record;
    const joins = before?.section === block.section && !(block.section === 'messages' && opensTurn);
    if (last !== undefined && joins) {
      groups[groups.length - 1] = { ...last, end: index + 1, tokens: last.tokens + block.tokens };
      continue;
    }
    const { section } = block;
    if (section === 'messages' && opensTurn) turns += 1;
    const inTurn = turns === 0 ? historyTitle(block) : `${hasCheckpoint ? 'Prompt' : `Turn ${turns}`}: ${block.begins}`;
    const title = section === 'tools' ? 'Tools' : section === 'system' ? 'System text' : inTurn;
    groups.push({ title, kind: contentKind(block), start: index, end: index + 1, tokens: block.tokens });
  }
  return groups;
}

const CHECKPOINT = 'history.compacted';

function historyTitle({ kind }: ShownBlock): string {
  return kind === CHECKPOINT ? 'Checkpoint and kept messages' : 'Before the first prompt';
}

/** Parts of the input in the order of the request, as the provider counted them or as they were forecast. */
export interface InputPart {
  readonly name: 'read' | 'written' | 'fresh';
  readonly tokens: number;
}

/** Returns the known parts of the input of a request. Empty if one of them is unknown. */
export function inputParts({ actual, forecast }: ShownRequest): readonly InputPart[] {
  const { read, written, fresh } = actual ?? forecast ?? {};
  if (read === undefined || written === undefined || fresh === undefined) return [];
  const parts: readonly InputPart[] = [
    { name: 'read', tokens: read },
    { name: 'written', tokens: written },
    { name: 'fresh', tokens: fresh },
  ];
  return parts.filter(({ tokens }) => tokens > 0);
}

/** Returns a number with thousands separators. */
export function grouped(value: number): string {
  return value.toLocaleString('en-US');
}
