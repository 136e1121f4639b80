// Splits an observed request into blocks, in the provider's cache order. Each block has an origin. The origin is the
// record of the import with the same content. If there is no such record, the origin is the record of the first request
// that contained the block.

import type { BlockRun, Block, Origin, Role } from '@tidemark/model';
import { estimateTokens } from '@tidemark/context';
import type { Json } from '@tidemark/log';
import type { ObservedFields } from './observed-json.ts';
import { fieldsOf, isList, sortedJson } from './observed-json.ts';

/** Input for making blocks. */
export interface BlockMaking {
  /** Returns the origin of a block with this content. */
  readonly originOf: (content: ObservedFields) => Origin;
  /** True to estimate the tokens of each block. */
  readonly sized: boolean;
}

/** Returns the blocks of the tools and the system text. */
export function frontBlocks(front: ObservedFields, making: BlockMaking): readonly Block[] {
  const tools = listOf(front['tools']).map((tool) =>
    blockOf(tool, { ...FRONT, section: 'tools', holds: 'tool' }, making),
  );
  const system = textList(front['system']).map((text) =>
    blockOf(text, { ...FRONT, section: 'system', holds: 'text' }, making),
  );
  return [...tools, ...system];
}

/** Returns the blocks of one message. `group` is the index of the message in the request. */
export function messageBlocks(message: Json, group: number, making: BlockMaking): readonly Block[] {
  const fields = fieldsOf(message);
  const role = roleOf(fields['role']);
  const contents = textList(fields['content']);
  const isResult = contents.some((content) => fieldsOf(content)['type'] === 'tool_result');
  return contents.map((content, index) => {
    const { holds, run } = kindOf(fieldsOf(content)['type']);
    const opensTurn = role === 'user' && !isResult && index === 0;
    return blockOf(content, { section: 'messages', role, group, holds, run, opensTurn }, making);
  });
}

/** Returns the block that represents a part whose content is not in the recording. `name` identifies the part. */
export function missingBlock(name: string, section: Block['section'], group: number, origin: Origin): Block {
  const place = { ...FRONT, section, group, holds: 'native' as const };
  return {
    ...place,
    head: `{"missing":${JSON.stringify(name)}}`,
    tail: '',
    markable: false,
    origin,
    tokens: 0,
    mediaBytes: 0,
  };
}

const FRONT = { role: 'system', group: -1, run: 'none', opensTurn: false } as const;

type ObservedPlace = Pick<Block, 'section' | 'role' | 'group' | 'holds' | 'run' | 'opensTurn'>;

function blockOf(content: Json, place: ObservedPlace, { originOf, sized }: BlockMaking): Block {
  const head = sortedJson(content, true);
  const origin = originOf(fieldsOf(content));
  const tokens = sized ? estimateTokens(head) : 0;
  return { ...place, head, tail: '', markable: true, origin, tokens, mediaBytes: mediaBytesOf(fieldsOf(content)) };
}

function mediaBytesOf({ type, source }: ObservedFields): number {
  const data = fieldsOf(source)['data'];
  return (type === 'image' || type === 'document') && typeof data === 'string' ? Math.floor((data.length * 3) / 4) : 0;
}

function kindOf(type: Json | undefined): { readonly holds: Block['holds']; readonly run: BlockRun } {
  switch (type) {
    case 'text':
      return { holds: 'text', run: 'none' };
    case 'image':
      return { holds: 'image', run: 'none' };
    case 'thinking':
    case 'redacted_thinking':
      return { holds: 'thinking', run: 'none' };
    case 'tool_use':
      return { holds: 'call', run: 'calls' };
    case 'tool_result':
      return { holds: 'result', run: 'results' };
    default:
      return { holds: 'native', run: 'none' };
  }
}

function roleOf(role: Json | undefined): Role {
  return role === 'assistant' || role === 'system' || role === 'developer' ? role : 'user';
}

/** Returns a list of blocks. A plain text counts as one text block. */
function textList(value: Json | undefined): readonly Json[] {
  return typeof value === 'string' ? [{ type: 'text', text: value }] : listOf(value);
}

function listOf(value: Json | undefined): readonly Json[] {
  return value !== undefined && isList(value) ? value : [];
}
