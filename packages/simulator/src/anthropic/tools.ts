// Checks tool definitions and the tool choice (provider-facts §1.6): names, duplicate names, deferred tools and forced
// tool use.

import { invalid, firstRefusal } from '../core/refusal.ts';
import type { MessageRefusal } from '../core/refusal.ts';
import { isDeferred, isToolChange, pathOf } from './request.ts';
import type { SentBlock, WireRequest, RequestRule } from './request.ts';
import { isObject, objectAt, textOf, isPresent } from '../core/wire.ts';
import type { WireObject } from '../core/wire.ts';

const NAME = /^[a-zA-Z0-9_-]{1,128}$/;

/** Refuses a tool list or a tool choice that the real service would refuse. */
export const checkTools: RequestRule = (request) => {
  const tools = request.blocks.filter((block) => block.level === 'tools');
  return firstRefusal(tools, checkTool) ?? checkDoubles(tools) ?? checkDeferral(tools) ?? checkChoice(request, tools);
};

function checkTool(tool: SentBlock): MessageRefusal | undefined {
  const { name } = tool.fields;
  const path = `tools.${tool.content}`;
  if (isDeferred(tool) && tool.marker !== undefined) {
    return invalid(
      `Tool '${textOf(name)}' cannot have both defer_loading=true and cache_control set. Tools with defer_loading cannot use prompt caching.`,
    );
  }
  return checkDefinition(tool.fields, path);
}

/**
 * Checks a definition in `tools` or inside a message. If `type` is set and is not `custom`, the definition is accepted
 * without a check.
 */
function checkDefinition({ type, name, input_schema: schema }: WireObject, path: string): MessageRefusal | undefined {
  if (type !== undefined && type !== null && type !== 'custom') return undefined;
  if (typeof name !== 'string') return invalid(`${path}.custom.name: Field required`);
  if (!NAME.test(name)) return invalid(`${path}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
  return isObject(schema) ? checkSchema(schema['type'], path) : invalid(`${path}.custom.input_schema: Field required`);
}

function checkSchema(type: unknown, path: string): MessageRefusal | undefined {
  if (type === undefined) return invalid(`${path}.custom.input_schema.type: Field required`);
  return type === 'object' ? undefined : invalid(`${path}.custom.input_schema.type: Input should be 'object'`);
}

function checkDoubles(tools: readonly SentBlock[]): MessageRefusal | undefined {
  const names = tools.map((tool) => tool.fields['name']).filter((name) => typeof name === 'string');
  return new Set(names).size === names.length ? undefined : invalid('tools: Tool names must be unique.');
}

function checkDeferral(tools: readonly SentBlock[]): MessageRefusal | undefined {
  if (tools.length === 0 || !tools.every(isDeferred)) return undefined;
  return invalid('At least one tool must have defer_loading=false. All tools cannot be deferred.');
}

function checkChoice(request: WireRequest, tools: readonly SentBlock[]): MessageRefusal | undefined {
  const choice = objectAt(request.fields, 'tool_choice');
  const { type, name } = choice;
  if (type === undefined) return undefined;
  if (tools.length === 0 && type !== 'none') {
    return invalid('tool_choice may only be specified while providing tools.');
  }
  if (type !== 'any' && type !== 'tool') return undefined;
  if (!request.capabilities.forcedToolChoice) {
    return invalid('tool_choice: type "tool" and "any" are not supported for this model.');
  }
  const thinking = objectAt(request.fields, 'thinking')['type'];
  if (thinking === 'enabled') return invalid('Thinking may not be enabled when tool_choice forces tool use.');
  if (type === 'any' || tools.some((tool) => tool.fields['name'] === name)) return undefined;
  return invalid(`Tool '${textOf(name)}' not found in provided tools`);
}

// Checks blocks in the history that add or remove a tool (provider-facts §1.7; docs,
// build-with-claude/mid-conversation-system-messages). Checks the place of the block and its beta. If the block names a
// tool, the tool must be known at that place.

/** Beta header that allows a request to add or remove a declared tool by its name. */
const BY_REFERENCE = 'mid-conversation-tool-changes-2026-07-01';

/** Beta header that allows a request to add or remove a declared tool by its name, and to define a new tool. */
const INLINE = 'inline-tools-2026-09-15';

/** Refuses the first block that adds or removes a tool in a way that the real service refuses. */
export const checkChanges: RequestRule = (request) => {
  const changes = request.blocks.filter(isToolChange);
  const known = new Set(request.blocks.filter(({ level }) => level === 'tools').map(nameOf));
  return firstRefusal(changes, (block) => checkPlace(request, block) ?? checkChangedTool(request, block, known));
};

function checkPlace({ capabilities, betas, messages }: WireRequest, block: SentBlock): MessageRefusal | undefined {
  const message = `messages.${block.message}`;
  if (block.role !== 'system')
    return invalid(`${message}: \`${block.type}\` blocks can only be in \`system\` messages`);
  if (!betas.includes(INLINE) && !betas.includes(BY_REFERENCE)) {
    return invalid(
      `${pathOf(block)}: Input tag '${block.type}' found using 'type' does not match any of the expected tags: 'text'`,
    );
  }
  if (!capabilities.appends.includes('tools')) {
    return invalid(`${pathOf(block)}: \`${block.type}\` is not supported on this model`);
  }
  if (messages[block.message]?.fields['clear_at'] !== 'next_user_message') return undefined;
  return invalid(`${message}: a turn-scoped system message supports text blocks only (clear_at: 'next_user_message')`);
}

/**
 * Checks the tool that a change adds or removes, and adds a newly defined tool to `known`. The error texts are the
 * simulator's own.
 */
function checkChangedTool({ betas }: WireRequest, block: SentBlock, known: Set<string>): MessageRefusal | undefined {
  const { tool } = block.fields;
  const path = `${pathOf(block)}.${block.type}.tool`;
  if (!isObject(tool)) return invalid(`${path}: Field required`);
  const type = textOf(tool['type']);
  const name = nameOf(block);
  if (type === 'tool_reference')
    return known.has(name) ? undefined : invalid(`${path}: Tool reference '${name}' not found`);
  if (type !== 'tool_definition' || block.type === 'tool_removal' || !betas.includes(INLINE)) {
    return invalid(
      `${path}: Input tag '${type}' found using 'type' does not match any of the expected tags: 'tool_reference'`,
    );
  }
  const definition = objectAt(tool, 'definition');
  if (isPresent(definition['cache_control']) && block.marker !== undefined) {
    return invalid(`${path}: cache_control goes on the block or in the definition, not both`);
  }
  known.add(name);
  return checkDefinition(definition, `${path}.definition`);
}

/** Returns the name of the tool that a block declares, adds or removes. */
export function nameOf({ level, fields }: SentBlock): string {
  if (level === 'tools') return textOf(fields['name']);
  const tool = objectAt(fields, 'tool');
  return textOf(tool['name']) || textOf(objectAt(tool, 'definition')['name']);
}
