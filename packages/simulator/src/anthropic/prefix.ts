// The prefix of a request as the cache sees it: one cumulative hash per block, tokens up to it, and its position in the
// lookback. Deferred tools, stripped or dropped thinking and what a compaction block replaces are no part of it.

import { countBlock } from './blocks.ts';
import type { RecordedSizes } from '../core/tokens.ts';
import { digestOf } from '../core/digests.ts';
import { isDeferred } from './request.ts';
import type { Level, SentBlock, WireRequest } from './request.ts';
import { textOf, isPresent, isList, isObject, objectAt } from '../core/wire.ts';
import type { Capabilities } from '@tidemark/model';
import type { WireObject } from '../core/wire.ts';

/** One block of the prefix. */
export interface PrefixBlock {
  readonly block: SentBlock;
  /** Over everything up to and including this block. */
  readonly hash: string;
  /** Tokens of everything up to and including this block. */
  readonly tokens: number;
}

/** What to leave out, by `WireBlock.index`. */
export type LeftOutBlocks = ReadonlySet<number>;

/** What building a prefix needs beside the request. */
export interface PrefixParts {
  /** By `WireBlock.index`. */
  readonly digests: readonly string[];
  readonly parameters: LevelParameters;
  readonly leftOut: LeftOutBlocks;
  readonly sizes: RecordedSizes | undefined;
  readonly extend: Extend;
}

const LEVELS: readonly Level[] = ['tools', 'system', 'messages'];

/** Builds the prefix: each level begins by mixing in its parameters, so their change spares what came before. */
export function buildPrefix(request: WireRequest, parts: PrefixParts): readonly PrefixBlock[] {
  const prefix: PrefixBlock[] = [];
  let hash = '';
  let tokens = 0;
  let level = -1;
  for (const block of inCacheOrder(request)) {
    const own = LEVELS.indexOf(levelOf(block));
    for (; level < own; level += 1) hash = enter(hash, LEVELS[level + 1], parts.parameters);
    if (parts.leftOut.has(block.index)) continue;
    hash = parts.extend(hash, block, parts.digests[block.index] ?? '');
    tokens += countBlock(block, parts.sizes, request.capabilities.images);
    prefix.push({ block, hash, tokens });
  }
  return prefix;
}

/** Extends a hash by one block. */
export type Extend = (hash: string, block: Pick<SentBlock, 'role' | 'index'>, digest: string) => string;

/** Remembers nothing. */
export const extend: Extend = (hash, block, digest) => digestOf(`${hash}|${block.role}|${digest}`);

/** Remembers the last request: what extended the same hash at the same place by the same block is known. */
export function createExtend(): Extend {
  const known: { readonly hash: string; readonly role: string; readonly digest: string; readonly next: string }[] = [];
  return (hash, block, digest) => {
    const { role, index } = block;
    const last = known[index];
    if (last !== undefined && last.digest === digest && last.hash === hash && last.role === role) return last.next;
    const next = extend(hash, block, digest);
    known[index] = { hash, role, digest, next };
    return next;
  };
}

/** Web search and fetch stand among the tools, but switching them spares the other tools (§1.3): they open the system level. */
function inCacheOrder(request: WireRequest): readonly SentBlock[] {
  return request.blocks.some(isWebTool)
    ? request.blocks.toSorted((a, b) => LEVELS.indexOf(levelOf(a)) - LEVELS.indexOf(levelOf(b)))
    : request.blocks;
}

function levelOf(block: SentBlock): Level {
  return isWebTool(block) ? 'system' : block.level;
}

function isWebTool(block: SentBlock): boolean {
  return block.level === 'tools' && /^web_(search|fetch)_/.test(textOf(block.fields['type']));
}

function enter(hash: string, level: Level | undefined, parameters: LevelParameters): string {
  return level === undefined ? hash : digestOf(`${hash}|${level}|${parameters[level]}`);
}

/** Blocks that the model is never shown, whatever thinking is dropped. */
export function hiddenBlocks(request: WireRequest): Set<number> {
  const hidden = new Set(request.blocks.filter(isDeferred).map((block) => block.index));
  const compaction = request.blocks.findLast((block) => block.type === 'compaction');
  if (compaction === undefined) return hidden;
  for (const block of request.blocks) {
    if (block.level === 'messages' && block.index < compaction.index) hidden.add(block.index);
  }
  return hidden;
}

/**
 * The text mixed into the hash where each level begins: settings that change how a request is rendered, and so the cache key, without
 * being blocks. Entries before that level stay readable, which gives the table of §1.3.
 */
export type LevelParameters = { readonly [level in Level]: string };

interface Parameter {
  readonly name: string;
  readonly level: Level;
  readonly read: (request: WireRequest) => unknown;
}

/** The table of §1.3. A catalog row can move a parameter by its name (thinking and effort are "model-specific"). */
const PARAMETERS: readonly Parameter[] = [
  { name: 'speed', level: 'system', read: ({ fields }) => fields['speed'] ?? 'standard' },
  { name: 'citations', level: 'system', read: ({ blocks }) => blocks.some(hasCitations) },
  { name: 'format', level: 'system', read: ({ fields }) => objectAt(fields, 'output_config')['format'] ?? null },
  { name: 'tool_choice', level: 'messages', read: ({ fields }) => readChoice(fields) },
  {
    name: 'disable_parallel_tool_use',
    level: 'messages',
    read: ({ fields }) => objectAt(fields, 'tool_choice')['disable_parallel_tool_use'] === true,
  },
  { name: 'thinking', level: 'messages', read: ({ fields }) => readThinking(fields) },
  { name: 'effort', level: 'messages', read: ({ fields }) => objectAt(fields, 'output_config')['effort'] ?? 'high' },
  { name: 'images', level: 'messages', read: ({ blocks }) => blocks.some(hasImage) },
  { name: 'first definition', level: 'tools', read: ({ blocks }) => firstDefinition(blocks) },
];

/**
 * Where the front offers no tool, the first one that is defined behind it changes the beginning of what is rendered (docs,
 * build-with-claude/mid-conversation-system-messages): one full miss.
 */
function firstDefinition(blocks: readonly SentBlock[]): unknown {
  if (blocks.some((block) => block.level === 'tools' && !isDeferred(block))) return null;
  return blocks.map(({ fields }) => objectAt(fields, 'tool')['definition']).find(isPresent) ?? null;
}

/** Renders the parameters of a request, each at the level its change reaches back to. */
export function levelParameters(request: WireRequest): LevelParameters {
  const at = { tools: '', system: '', messages: '' };
  for (const parameter of PARAMETERS) {
    const level = levelOfParameter(parameter, request.capabilities);
    at[level] += `${parameter.name}=${JSON.stringify(parameter.read(request))};`;
  }
  return at;
}

function levelOfParameter({ name, level }: Parameter, { renderParameters }: Capabilities): Level {
  return (Object.hasOwn(renderParameters, name) ? renderParameters[name] : undefined) ?? level;
}

function readChoice(fields: WireObject): unknown {
  const { type = 'auto', name = null } = objectAt(fields, 'tool_choice');
  return [type, name];
}

/** Without what only governs how thinking comes back or is checked. */
function readThinking(fields: WireObject): unknown {
  if (!isPresent(fields['thinking'])) return null;
  const { display: _display, block_binding: _binding, ...shown } = objectAt(fields, 'thinking');
  return shown;
}

function hasCitations(block: SentBlock): boolean {
  return objectAt(block.fields, 'citations')['enabled'] === true;
}

function hasImage(block: SentBlock): boolean {
  if (block.type === 'image') return true;
  const { content } = block.fields;
  return isList(content) && content.some((part) => isObject(part) && part['type'] === 'image');
}
