// Accepted tool definitions. For each tool, they are the first definition that a server sends and every later
// definition that the user approved. If a definition differs from the accepted one, it needs an approval, in this
// session and in any later session.

import { createHash } from 'node:crypto';
import { canonicalText } from '@tidemark/log';
import type { JsonValue } from '@tidemark/model';

/** A tool definition as it is shown to a model. */
export interface Definition {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonValue;
}

/**
 * The accepted definition of each tool. It is the last definition that the user approved. If there is none, it is the
 * first definition that the server sent.
 */
export interface Approvals {
  get(name: string): Definition | undefined;
  /**
   * Accepts these definitions. They replace earlier definitions with the same names.
   *
   * @throws any error of storing the definitions. The definitions still apply in this process.
   */
  take(definitions: readonly Definition[]): void;
}

/** Creates approvals that are stored in memory until the process ends. */
export function createApprovals(): Approvals {
  const kept = new Map<string, Definition>();
  return {
    get: (name) => kept.get(name),
    take(definitions) {
      for (const one of definitions) kept.set(one.name, one);
    },
  };
}

/**
 * Returns a digest of a definition. Equal definitions have equal digests, even if their keys are in a different order.
 */
export function fingerprint(definition: Definition): string {
  const held = FINGERPRINTS.get(definition);
  if (held !== undefined) return held;
  const { name, description, schema } = definition;
  const text = canonicalText({ name, description, schema });
  const made = createHash('sha256').update(text).digest('hex');
  FINGERPRINTS.set(definition, made);
  return made;
}

const FINGERPRINTS: WeakMap<Definition, string> = new WeakMap();
