// Accepted tool definitions: the first definition that a server sends for a tool, and every later one that the user
// approved. A definition that differs from the accepted one needs an approval, in this session or in any later one.

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
 * The accepted definition of each tool: the last one that the user approved, or else the first one that the server
 * sent.
 */
export interface Approvals {
  get(name: string): Definition | undefined;
  /**
   * Accepts these definitions and replaces earlier ones with the same names.
   *
   * @throws any error of storing the definitions. They still apply in this process.
   */
  take(definitions: readonly Definition[]): void;
}

/** Creates approvals that are kept in memory until the process ends. */
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
