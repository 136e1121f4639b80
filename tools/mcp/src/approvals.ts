// The definitions of tools that were taken: what a server says of a tool for the first time, and what a person approved
// since. A definition that differs is a question, in this session or in one next year.

import { createHash } from 'node:crypto';
import { canonicalText } from '@tidemark/log';
import type { JsonValue } from '@tidemark/model';

/** A tool as a model is shown it. */
export interface Definition {
  readonly name: string;
  readonly description: string;
  readonly schema: JsonValue;
}

/** The definitions of tools that were taken: the first one that a server sends, then the ones that a person approved. */
export interface Approvals {
  get(name: string): Definition | undefined;
  /** Takes these, in the place of what was taken under their names. @throws what keeping them throws: they hold meanwhile. */
  take(definitions: readonly Definition[]): void;
}

/** Kept as long as the process. */
export function createApprovals(): Approvals {
  const kept = new Map<string, Definition>();
  return {
    get: (name) => kept.get(name),
    take(definitions) {
      for (const one of definitions) kept.set(one.name, one);
    },
  };
}

/** Equal definitions, equal fingerprints, whatever the order of their keys. */
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
