// Requests of a file, as a server would answer: structures, texts of blocks, a search, and the carry costs.

import type { components } from '@tidemark/client';
import { readableText } from '../../src/block-text.ts';
import type { FileBlocks, FileParts, FileRequest } from '../../src/file/file-data.ts';
import { blocksOfRequest } from '../../src/file/file-data.ts';
import { unpackJson } from '../../src/file/packed-texts.ts';
import { findTexts } from '../../src/find-texts.ts';
import type { SessionFile } from './file-parts.ts';

type Schemas = components['schemas'];

interface RequestPlace {
  readonly session: string;
  readonly number: number;
  readonly position: number;
}

interface BlockPlace extends RequestPlace {
  readonly block: number;
}

interface Queried {
  readonly query: URLSearchParams;
}

/** Requests of the sessions of a file. Each function returns `undefined` if there is no such request or block. */
export interface FileRequestAnswers {
  read(place: RequestPlace & Queried): Promise<Schemas['RequestStructure'] | undefined>;
  text(place: BlockPlace & Queried): Promise<Schemas['BlockText'] | undefined>;
  search(place: RequestPlace & Queried): Promise<Schemas['FoundBlocks'] | undefined>;
  costs(place: RequestPlace): Promise<Schemas['CarryCosts'] | undefined>;
}

interface FoundRequest {
  readonly request: FileRequest;
  readonly blocks: FileBlocks;
  /** Numbers of its blocks, in order. */
  readonly numbers: readonly number[];
}

/** Creates the answers of a file. */
export function createFileRequests(file: SessionFile): FileRequestAnswers {
  const find = async ({ number, position }: RequestPlace): Promise<FoundRequest | undefined> => {
    const { requests, blocks } = await file.parts(number).requests();
    const index = requests.findIndex((one) => one.position === position);
    const request = requests[index];
    return request && { request, blocks, numbers: blocksOfRequest(requests, index) };
  };
  return {
    async read({ query, ...place }) {
      const found = await find(place);
      if (found === undefined) return undefined;
      const known = query.get('known');
      const other = known === null ? undefined : await find({ ...place, position: Number(known) });
      return structureOf(place.session, found, sharedLength(other?.numbers ?? [], found.numbers));
    },
    async text({ query, block, ...place }) {
      const [found, texts] = await Promise.all([find(place), file.parts(place.number).texts()]);
      const number = found?.numbers[block];
      if (found === undefined || number === undefined) return undefined;
      const sent = sentText(found.blocks, number, texts);
      const text = query.get('form') === 'sent' ? sent : readableText(sent);
      const from = Number(query.get('from') ?? 0);
      return { text: text.slice(from, Number(query.get('to') ?? Infinity)), from, total: text.length };
    },
    async search({ query, ...place }) {
      const [found, texts] = await Promise.all([find(place), file.parts(place.number).texts()]);
      if (found === undefined) return undefined;
      const read = (number: number): string => readableText(sentText(found.blocks, number, texts));
      const { blocks, more } = findTexts(found.numbers, read, query.get('text') ?? '');
      return { blocks: [...blocks], more };
    },
    async costs(place) {
      const found = await find(place);
      if (found === undefined) return undefined;
      const { numbers, blocks } = found;
      return {
        costs: numbers.map((number) => blocks.cost[number] ?? null),
        requests: numbers.map((number) => blocks.answered[number] ?? 0),
        unpriced: numbers.map((number) => blocks.unpriced[number] ?? 0),
      };
    },
  };
}

function sentText({ sent }: FileBlocks, number: number, texts: FileParts['texts']): string {
  return unpackJson(sent[number] ?? null, texts);
}

function sharedLength(one: readonly number[], other: readonly number[]): number {
  const end = Math.min(one.length, other.length);
  for (let at = 0; at < end; at += 1) if (one[at] !== other[at]) return at;
  return end;
}

function structureOf(
  session: string,
  { request, blocks, numbers }: FoundRequest,
  from: number,
): Schemas['RequestStructure'] {
  const { added: _added, missing, markers, ...head } = request;
  const wanted = numbers.slice(from);
  const sent = Date.parse(head.at);
  const column = <Value>(values: readonly Value[], absent: Value): Value[] =>
    wanted.map((number) => values[number] ?? absent);
  return {
    ...head,
    session,
    missing: [...missing],
    markers: [...markers],
    total: numbers.length,
    from,
    blocks: {
      names: [...blocks.names],
      section: column(blocks.section, -1),
      role: column(blocks.role, -1),
      holds: column(blocks.holds, -1),
      group: column(blocks.group, -1),
      layer: column(blocks.layer, null),
      record: column(blocks.record, null),
      kind: column(blocks.kind, null),
      age: column(blocks.at, null).map((at) => (at === null ? null : sent - at)),
      bytes: column(blocks.bytes, 0),
      tokens: column(blocks.tokens, 0),
      begins: column(blocks.begins, ''),
    },
  };
}
