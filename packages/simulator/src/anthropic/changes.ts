// Tools that come and go inside the history (§1.7; docs, build-with-claude/mid-conversation-system-messages): where such a block
// may stand, which beta it needs, and that it names a tool that is known there.

import { invalid } from '../core/refusal.ts';
import type { MessageRefusal } from '../core/refusal.ts';
import { isToolChange, pathOf } from './request.ts';
import type { SentBlock, WireRequest } from './request.ts';
import { given, isObject, objectAt, textOf } from '../core/wire.ts';
import { firstRefusal } from './rule.ts';
import type { RequestRule } from './rule.ts';
import { checkDefinition } from './tools.ts';

/** For changes that name a declared tool. */
const BY_REFERENCE = 'mid-conversation-tool-changes-2026-07-01';
/** For changes of any kind. */
const INLINE = 'inline-tools-2026-09-15';

/** Refuses a change of tools that the service would not take. */
export const checkChanges: RequestRule = (request) => {
  const changes = request.blocks.filter(isToolChange);
  const known = new Set(request.blocks.filter(({ level }) => level === 'tools').map(nameOf));
  return firstRefusal(changes, (block) => checkPlace(request, block) ?? checkTool(request, block, known));
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

/** The texts of what is wrong inside a change are this simulator's own. */
function checkTool({ betas }: WireRequest, block: SentBlock, known: Set<string>): MessageRefusal | undefined {
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
  if (given(definition['cache_control']) && block.marker !== undefined) {
    return invalid(`${path}: cache_control goes on the block or in the definition, not both`);
  }
  known.add(name);
  return checkDefinition(definition, `${path}.definition`);
}

/** The name of the tool that a block declares, offers or withdraws. */
export function nameOf({ level, fields }: SentBlock): string {
  if (level === 'tools') return textOf(fields['name']);
  const tool = objectAt(fields, 'tool');
  return textOf(tool['name']) || textOf(objectAt(tool, 'definition')['name']);
}
