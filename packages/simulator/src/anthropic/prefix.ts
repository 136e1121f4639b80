// Builds the prefix of a request as the cache sees it. Each block of the prefix has a cumulative hash and the number of
// tokens up to that block. Four kinds of blocks do not belong to the prefix: deferred tools, stripped or dropped
// thinking, messages that a compaction block replaces, and Claude Code's attribution block.

import { isAttribution } from '../core/attribution.ts';
import { countBlock } from './blocks.ts';
import type { RecordedSizes } from '../core/tokens.ts';
import { digestOf } from '../core/digests.ts';
import { isDeferred } from './request.ts';
import type { Level, SentBlock, WireRequest } from './request.ts';
import { textOf, isPresent, isList, isObject, objectAt } from '../core/wire.ts';
import type { Capabilities } from '@tidemark/model';
import type { WireObject } from '../core/wire.ts';

/** Block of the prefix, with the cumulative hash and tokens at its end. */
export interface PrefixBlock {
  readonly block: SentBlock;
  /** Hash of the whole prefix up to and including this block. */
  readonly hash: string;
  /** Number of input tokens up to and including this block. */
  readonly tokens: number;
}

/** Blocks that are not part of the prefix, by `SentBlock.index`. */
export type LeftOutBlocks = ReadonlySet<number>;

/**
 * Values that `buildPrefix` needs in addition to the request: digests, level parameters, omitted blocks, recorded sizes
 * and the hash function.
 */
export interface PrefixParts {
  /** Digest of each block, by `SentBlock.index`. */
  readonly digests: readonly string[];
  readonly parameters: LevelParameters;
  readonly leftOut: LeftOutBlocks;
  readonly sizes: RecordedSizes | undefined;
  readonly extend: Extend;
}

const LEVELS: readonly Level[] = ['tools', 'system', 'messages'];

/**
 * Builds the prefix of a request. The hash of each level begins with the parameters of that level. So a changed
 * parameter invalidates only its own level and the levels after it.
 */
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

/**
 * Function that adds one block to a cumulative hash and returns the new hash. `hash` is the cumulative hash before this
 * block, and `digest` is the digest of the block.
 */
export type Extend = (hash: string, block: Pick<SentBlock, 'role' | 'index'>, digest: string) => string;

/** Extends a hash by one block. Does not remember earlier results. */
export const extend: Extend = (hash, block, digest) => digestOf(`${hash}|${block.role}|${digest}`);

/**
 * Creates an `Extend` that stores its results for the last request. If the same block comes after the same hash at the
 * same index, it returns the stored result.
 */
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

/**
 * Returns the blocks of a request in cache order. A request declares web search and web fetch among the tools. But if
 * these two are turned on or off, the cache of the other tools stays valid (provider-facts §1.3). So the two web tools
 * are placed at the start of the system level.
 */
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

/**
 * Returns the indexes of the blocks that the model does not see: deferred tools, the attribution block, and all
 * messages before the last compaction block. Dropped thinking is not included, because `judgeThinking` finds it.
 */
export function hiddenBlocks(request: WireRequest): Set<number> {
  const unseen = request.blocks.filter((block) => isDeferred(block) || attributes(block));
  const hidden = new Set(unseen.map((block) => block.index));
  const compaction = request.blocks.findLast((block) => block.type === 'compaction');
  if (compaction === undefined) return hidden;
  for (const block of request.blocks) {
    if (block.level === 'messages' && block.index < compaction.index) hidden.add(block.index);
  }
  return hidden;
}

function attributes({ level, content, fields }: SentBlock): boolean {
  return level === 'system' && content === 0 && isAttribution(textOf(fields['text']));
}

/**
 * Text that is added to the hash at the start of each level. The text contains settings that are not blocks but change
 * how a request is rendered. So they are part of the cache key. A changed setting does not affect the cache entries of
 * earlier levels (table of provider-facts §1.3).
 */
export type LevelParameters = { readonly [level in Level]: string };

interface Parameter {
  readonly name: string;
  readonly level: Level;
  readonly read: (request: WireRequest) => unknown;
}

/**
 * Render parameters and their levels, from the table of provider-facts §1.3. The levels of thinking and effort are
 * "model-specific". So a catalog row can assign a parameter to another level.
 */
const PARAMETERS: readonly Parameter[] = [
  { name: 'speed', level: 'system', read: ({ fields }) => fields['speed'] ?? 'standard' },
  { name: 'citations', level: 'system', read: ({ blocks }) => blocks.some(hasCitations) },
  {
    name: 'format',
    level: 'system',
    // `output_format` is the older name of the same setting.
    read: ({ fields }) => objectAt(fields, 'output_config')['format'] ?? fields['output_format'] ?? null,
  },
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
 * Returns the first tool definition in the messages, or `null` if the front has a tool. If the front has no tool, this
 * definition changes the beginning of the rendered request. This causes one full miss (docs,
 * build-with-claude/mid-conversation-system-messages).
 */
function firstDefinition(blocks: readonly SentBlock[]): unknown {
  if (blocks.some((block) => block.level === 'tools' && !isDeferred(block))) return null;
  return blocks.map(({ fields }) => objectAt(fields, 'tool')['definition']).find(isPresent) ?? null;
}

/**
 * Returns the parameters of a request as one text per level. Each parameter belongs to the first level that becomes
 * invalid when the parameter changes.
 */
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

/**
 * Returns the `thinking` setting without `display` and `block_binding`, because these two only control how thinking is
 * returned or checked. Returns `null` if there is no setting.
 */
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
