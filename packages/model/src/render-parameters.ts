// Names of render parameters. Each provider has its own names. For example, reasoning effort is `effort` for Anthropic.
// For OpenAI, it is the member `effort` of `reasoning`. A catalog row lists the names of its model, with a dot before a
// member.

import type { Json, RenderParameters } from '@tidemark/core';
import type { Capabilities } from './capabilities.ts';

/** Parameters, named as in the catalog row, or the problem with a name. */
export type NamedParameters =
  | { readonly parameters: RenderParameters }
  /**
   * `unknown`: the model does not have a parameter with this name. `twice`: two given names mean the same name of the
   * row.
   */
  | { readonly problem: 'unknown' | 'twice'; readonly name: string };

/**
 * Returns the parameters, named as in the catalog row. A member of an object has its own name there: `{ reasoning: {
 * effort: 'high' } }` is `reasoning.effort`. A name of another provider is accepted if its last part belongs to exactly
 * one name of the row. `effort` and `reasoning.effort` therefore mean the same for every model.
 */
export function nameParameters(
  given: RenderParameters,
  { renderParameters }: Pick<Capabilities, 'renderParameters'>,
): NamedParameters {
  const known = Object.keys(renderParameters).filter((name) => name !== 'model');
  const named = new Map<string, Json>();
  const entries = Object.entries(given).filter(([, held]) => held !== undefined);
  for (const [name, value] of entries.flatMap(([one, held]) => membersOf(one, held, known))) {
    const own = known.includes(name) ? name : onlyNameLike(name, known);
    if (own === undefined) return { problem: 'unknown', name };
    if (named.has(own)) return { problem: 'twice', name: own };
    named.set(own, value);
  }
  return { parameters: Object.fromEntries(named) };
}

/**
 * Renames parameters that were set for another model, so that they are named as in the catalog row. If the row does not
 * have a parameter, the parameter keeps its name and is not sent. It applies again to a model that has it. If two
 * parameters mean the same, the later one is used.
 */
export function renameParameters(
  given: RenderParameters,
  row: Pick<Capabilities, 'renderParameters'>,
): RenderParameters {
  const named = Object.entries(given).flatMap(([name, value]) => {
    const read = nameParameters({ [name]: value }, row);
    return Object.entries('parameters' in read ? read.parameters : { [name]: value });
  });
  return Object.fromEntries(named);
}

/** Returns the names of parameters that the model does not have. They are not sent. */
export function idleParameters(
  given: RenderParameters,
  { renderParameters }: Pick<Capabilities, 'renderParameters'>,
): readonly string[] {
  return Object.entries(given).flatMap(([name, value]) =>
    value === undefined || Object.hasOwn(renderParameters, name) ? [] : [name],
  );
}

/** Returns a parameter. If an object is not itself a parameter, returns its members. */
function membersOf(name: string, value: Json, known: readonly string[]): readonly (readonly [string, Json])[] {
  if (known.includes(name) || typeof value !== 'object' || value === null || isList(value)) return [[name, value]];
  const members = Object.entries(value);
  if (members.length === 0) return [[name, value]];
  return members.flatMap(([member, held]) => (held === undefined ? [] : [[`${name}.${member}`, held] as const]));
}

function isList(value: object): value is readonly Json[] {
  return Array.isArray(value);
}

function onlyNameLike(name: string, known: readonly string[]): string | undefined {
  const like = known.filter((one) => lastPart(one) === lastPart(name));
  return like.length === 1 ? like[0] : undefined;
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}
