// Requests of a session as the page reads them: the list, and structures of which only the new blocks are loaded.

import type { components, SessionClient } from '@tidemark/client';
import { answerOf } from '@tidemark/client';

export type ShownBlock = components['schemas']['RequestBlock'];
export type ShownRequest = components['schemas']['RequestStructure'];
export type ShownPlace = components['schemas']['RequestInList'];
export type ShownMatches = components['schemas']['FoundBlocks'];

export type ShownCosts = components['schemas']['CarryCosts'];

/** Requests of one session. Requests that were shown last are kept. */
export interface RequestStore {
  list(): Promise<readonly ShownPlace[]>;
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
  let latest: ShownRequest | undefined;
  const load = async (position: number): Promise<ShownRequest> => {
    const base = latest;
    const query = base === undefined ? {} : { known: base.position };
    const path = { session, position };
    const found = await answerOf(client.GET('/sessions/{session}/requests/{position}', { params: { path, query } }));
    const shared = base === undefined ? [] : base.blocks.slice(0, found.from);
    const whole = { ...found, from: 0, blocks: [...shared, ...found.blocks] };
    latest = whole;
    return whole;
  };
  return {
    async list() {
      const path = { session };
      return (await answerOf(client.GET('/sessions/{session}/requests', { params: { path } }))).requests;
    },
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

/** Kinds of content, each with its own colour, pattern and word. */
export type ContentKind = 'tools' | 'system' | 'user' | 'answer' | 'thinking' | 'call' | 'result' | 'other';

/** Returns the kind of content of a block. */
export function contentKind({ section, role, holds }: ShownBlock): ContentKind {
  if (section !== 'messages') return section;
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
    const inTurn = turns === 0 ? 'History before the first prompt' : `Turn ${turns}: ${block.begins}`;
    const title = section === 'tools' ? 'Tools' : section === 'system' ? 'System text' : inTurn;
    groups.push({ title, kind: contentKind(block), start: index, end: index + 1, tokens: block.tokens });
  }
  return groups;
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
