// Problem with a render parameter, in words.

import type { Capabilities, NamedParameters } from '@tidemark/model';
import { nearestName } from './nearest-name.ts';

/** Returns the error message for a parameter that a model does not have, or that is set twice. */
export function parameterProblem(
  { problem, name }: Exclude<NamedParameters, { readonly parameters: unknown }>,
  { model, renderParameters }: Pick<Capabilities, 'model' | 'renderParameters'>,
): string {
  if (problem === 'twice') return `the parameter "${name}" of ${model} is given twice, by two names: remove one`;
  const known = Object.keys(renderParameters).filter((one) => one !== 'model');
  const nearest = nearestName(name, known);
  const next = known.length === 0 ? 'it has none' : `use one of ${known.toSorted().join(', ')}`;
  return `${model} has no parameter "${name}": ${nearest === undefined ? '' : `did you mean "${nearest}"? `}${next}`;
}
