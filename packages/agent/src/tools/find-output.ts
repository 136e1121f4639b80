// An output by the name that a model gives it: its digest, or the beginning of it.

import type { Digest } from '@tidemark/log';
import { digest } from '@tidemark/log';

/** As many characters as a notice shows at least. */
const SHORTEST = 12;

/** The one digest that begins so; `undefined` when there is none, more than one, or too little to tell. */
export function findOutput(outputs: ReadonlySet<string>, name: string): Digest | undefined {
  if (name.length < SHORTEST) return undefined;
  if (outputs.has(name)) return digest(name);
  const [found, other] = [...outputs].filter((one) => one.startsWith(name));
  return found === undefined || other !== undefined ? undefined : digest(found);
}
