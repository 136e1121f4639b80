// Requests of a session for a file: each block once, and for each request the blocks that the previous one did not have.

import type { Json } from '@tidemark/core';
import { slice } from '@tidemark/context';
import type { Block } from '@tidemark/model';
import { readableText, sentText } from '../block-text.ts';
import { readCostOfBlock } from '../carry-cost.ts';
import { createNames } from '../names.ts';
import type { RequestDifference } from '../request.ts';
import { beginningOf, firstDifferentCharacter, listRequests, requestWithoutBlocks } from '../request.ts';
import type { SessionRequests } from '../session-requests.ts';
import type { FileBlocks, FileRequest, FileRequests } from './file-data.ts';
import { blocksOfRequest } from './file-data.ts';

/** Masks secrets in a text. */
export type MaskText = (text: string) => Promise<string>;

/** Places that the texts of the blocks go to. */
export interface RequestTexts {
  readonly mask: MaskText;
  /** Packs the masked text of a block. */
  packJson(text: string): Json;
}

/** Returns the requests of a session. */
export async function packRequests(session: SessionRequests, texts: RequestTexts): Promise<FileRequests> {
  const blocks = await createBlockList(session, texts);
  const requests: FileRequest[] = [];
  for (const request of session.requests) {
    const { sequence } = await session.sequence(request);
    const head = await requestWithoutBlocks(session, request);
    const added: number[] = [];
    for (const block of slice(sequence.blocks, head.previous?.shared ?? 0)) addNumber(added, await blocks.add(block));
    requests.push({ ...head, added });
    const difference = head.previous?.difference;
    if (head.previous !== undefined && difference?.at === 'block')
      requests[requests.length - 1] = {
        ...head,
        added,
        previous: { ...head.previous, difference: maskedDifference(requests, difference, blocks) },
      };
  }
  return { list: listRequests(session), requests, blocks: blocks.columns };
}

/** Adds a number to ranges, as pairs of the first number and the count. */
function addNumber(pairs: number[], number: number): void {
  const [first = 0, count = 0] = pairs.slice(-2);
  if (pairs.length > 0 && first + count === number) pairs[pairs.length - 1] = count + 1;
  else pairs.push(number, 1);
}

/** Returns a difference of the last request with the place of the first different character in the masked texts. */
function maskedDifference(
  requests: readonly FileRequest[],
  difference: RequestDifference,
  blocks: BlockList,
): RequestDifference {
  const before = requests.findLastIndex(({ position }) => position === requests.at(-1)?.previous?.position);
  const textOf = (index: number): string =>
    blocks.textOf(blocksOfRequest(requests, index)[difference.block ?? 0] ?? -1) ?? '';
  const character = firstDifferentCharacter(difference.replaces ? textOf(before) : '', textOf(requests.length - 1));
  return { ...difference, character };
}

interface BlockList {
  readonly columns: FileBlocks;
  /** Returns the number of a block. A block that is new is added. */
  add(block: Block): Promise<number>;
  /** Returns the masked text of a block as it was sent. */
  textOf(number: number): string | undefined;
}

type Mutable<Columns> = {
  -readonly [Name in keyof Columns]: Columns[Name] extends readonly (infer One)[] ? One[] : never;
};

async function createBlockList(session: SessionRequests, { mask, packJson }: RequestTexts): Promise<BlockList> {
  const names = createNames();
  const costOf = await readCostOfBlock(session);
  const numbers = new Map<string, number>();
  const known = new Map<Block, number>();
  const sentTexts: string[] = [];
  const columns = { ...emptyColumns(), names: names.names };
  const append = async (block: Block): Promise<void> => {
    const { section, role, holds, group, origin, tokens, head, tail } = block;
    const record = origin.from === 'event' ? origin.position : null;
    const name = session.names[record ?? -1];
    const text = await mask(sentText(block));
    const { cost, requests, unpriced } = costOf(block);
    sentTexts.push(text);
    columns.section.push(names.indexOf(section));
    columns.role.push(names.indexOf(role));
    columns.holds.push(names.indexOf(holds));
    columns.group.push(group);
    columns.layer.push(origin.from === 'layer' ? names.indexOf(origin.layer) : null);
    columns.record.push(record);
    columns.kind.push(name === undefined ? null : names.indexOf(name.kind));
    columns.at.push(name === undefined ? null : Date.parse(name.at));
    columns.bytes.push(Buffer.byteLength(head) + Buffer.byteLength(tail));
    columns.tokens.push(Math.round(tokens));
    columns.begins.push(beginningOf(readableText(text)));
    columns.sent.push(packJson(text));
    columns.cost.push(cost);
    columns.answered.push(requests);
    columns.unpriced.push(unpriced);
  };
  return {
    columns,
    textOf: (number) => sentTexts[number],
    async add(block) {
      const key = known.get(block) === undefined ? keyOf(block) : '';
      const number = known.get(block) ?? numbers.get(key) ?? sentTexts.length;
      known.set(block, number);
      if (number < sentTexts.length) return number;
      numbers.set(key, number);
      await append(block);
      return number;
    },
  };
}

function keyOf(block: Block): string {
  const { section, role, holds, group, origin, part = 0 } = block;
  const from = origin.from === 'event' ? origin.position : origin.layer;
  return `${section} ${role} ${holds} ${group} ${from} ${part} ${sentText(block)}`;
}

function emptyColumns(): Mutable<Omit<FileBlocks, 'names'>> {
  return {
    section: [],
    role: [],
    holds: [],
    group: [],
    layer: [],
    record: [],
    kind: [],
    at: [],
    bytes: [],
    tokens: [],
    begins: [],
    sent: [],
    cost: [],
    answered: [],
    unpriced: [],
  };
}
