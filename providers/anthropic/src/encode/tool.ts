// A tool's definition on the wire: an entry of `tools`, or of a change behind it.

import type { FrontToolDefinition } from '@tidemark/model';
import { isBlank } from '@tidemark/model';
import { parseObject, rawMember } from '@tidemark/core';
import { refuse } from '@tidemark/provider-wire';
import { ANTHROPIC } from '../service.ts';
import { isToolName } from './wire-names.ts';
import { jsonString } from './wire-text.ts';

/**
 * `{"name","description","input_schema"` without its closing brace; the schema's bytes are those of the definition.
 *
 * @throws ProviderError `provider/invalid` for a tool that the API would refuse.
 */
export function toolHead(tool: Pick<FrontToolDefinition, 'name' | 'definition'>): string {
  const definition = parseObject(tool.definition);
  const schema = rawMember(tool.definition, 'schema');
  if (definition === undefined || schema === undefined) throw refuseTool(tool.name, 'its definition holds no schema');
  if (!isToolName(tool.name)) throw refuseTool(tool.name, 'a name is 1 to 128 of a-z, A-Z, 0-9, _ and -');
  const said = definition['description'];
  const description = typeof said === 'string' && !isBlank(said) ? `"description":${jsonString(said)},` : '';
  return `{"name":"${tool.name}",${description}"input_schema":${schema}`;
}

function refuseTool(name: string, why: string): Error {
  return refuse(
    ANTHROPIC,
    'provider/invalid',
    `the tool "${name}" cannot be sent to Anthropic: ${why}. Rename or mend it where it is registered`,
  );
}
