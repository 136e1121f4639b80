// A tool's definition taken apart: its schema's bytes stay those of the definition.

import type { FrontToolDefinition } from '@tidemark/model';
import { isBlank } from '@tidemark/model';
import { parseObject, rawMember } from '@tidemark/json';
import type { Service } from '@tidemark/provider-wire';
import { refuse } from '@tidemark/provider-wire';
import { isToolName } from './wire-names.ts';
import { jsonString } from './wire-text.ts';

/**
 * `"name":…,"description":…,"parameters":…`: what both APIs say of a function, without braces. A blank description is
 * left out.
 *
 * @throws ProviderError `provider/invalid` for a tool that the API would refuse.
 */
export function functionMembers(service: Service, tool: Pick<FrontToolDefinition, 'name' | 'definition'>): string {
  const definition = parseObject(tool.definition);
  const schema = rawMember(tool.definition, 'schema');
  if (definition === undefined || schema === undefined)
    throw refuseTool(service, tool, 'its definition holds no schema');
  if (!isToolName(tool.name)) throw refuseTool(service, tool, 'a name is 1 to 64 of a-z, A-Z, 0-9, _ and -');
  const said = definition['description'];
  const description = typeof said === 'string' && !isBlank(said) ? `"description":${jsonString(said)},` : '';
  return `"name":"${tool.name}",${description}"parameters":${schema}`;
}

function refuseTool(service: Service, tool: Pick<FrontToolDefinition, 'name'>, why: string): Error {
  return refuse(
    service,
    'provider/invalid',
    `the tool "${tool.name}" cannot be sent to ${service.title}: ${why}. Rename or mend it where it is registered`,
  );
}
