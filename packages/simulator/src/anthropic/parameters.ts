// Settings that change how a request is rendered, and so the cache key, without being blocks of it. The table of §1.3
// falls out of the level at which each is mixed into the hash: what stands before that level keeps its entries.

import type { Capabilities } from '@tidemark/model';
import { isDeferred } from './request.ts';
import type { Level, SentBlock, WireRequest } from './request.ts';
import { given, isList, isObject, objectAt } from '../core/wire.ts';
import type { WireObject } from '../core/wire.ts';

/** The text mixed into the hash where each level begins. */
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
  return blocks.map(({ fields }) => objectAt(fields, 'tool')['definition']).find(given) ?? null;
}

/** Renders the parameters of a request, each at the level its change reaches back to. */
export function levelParameters(request: WireRequest): LevelParameters {
  const at = { tools: '', system: '', messages: '' };
  for (const parameter of PARAMETERS) {
    const level = levelOf(parameter, request.capabilities);
    at[level] += `${parameter.name}=${JSON.stringify(parameter.read(request))};`;
  }
  return at;
}

function levelOf({ name, level }: Parameter, { renderParameters }: Capabilities): Level {
  return (Object.hasOwn(renderParameters, name) ? renderParameters[name] : undefined) ?? level;
}

function readChoice(fields: WireObject): unknown {
  const { type = 'auto', name = null } = objectAt(fields, 'tool_choice');
  return [type, name];
}

/** Without what only governs how thinking comes back or is checked. */
function readThinking(fields: WireObject): unknown {
  if (!given(fields['thinking'])) return null;
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
