// Context sources by name: a note is kept by the name of its source, so that two of one name would each tell at every prompt
// that the state of the other one changed.

import type { ContextSource } from '@tidemark/agent';
import { KitError } from './kit-error.ts';

/** The same sources. @throws KitError `kit/bad-options` where two have one name. */
export function withOwnNames(sources: readonly ContextSource[]): readonly ContextSource[] {
  const names = sources.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return sources;
  throw new KitError('kit/bad-options', `two context sources are called ${twice}: rename yours`, { source: twice });
}
