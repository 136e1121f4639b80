// Makes the names of imported sessions. A name is made from the session name in the file, and from the digest of the
// file at its first import. So the same file always makes the same sessions.

import { defined } from '@tidemark/core';
import type { Digest, SessionId } from '@tidemark/log';
import { sessionId } from '@tidemark/log';
import type { FormatName } from './format/format.ts';
import type { Outline } from './outline/outline.ts';

/** Values from which a session name is made. */
export interface SessionSeed {
  readonly format: FormatName;
  /** Name that the file gives to the session. Absent if the file contains no name. */
  readonly own?: string;
  /** SHA-256 of the file at its first import. */
  readonly digest: Digest;
  /**
   * Part of the file that becomes the session: the main conversation, a fork or a subagent. Forks are numbered from 1.
   * `name` of a subagent is its name in the file, or else the index of its branch.
   */
  readonly part:
    | { readonly kind: 'main' }
    | { readonly kind: 'fork'; readonly number: number }
    | { readonly kind: 'agent'; readonly name: string };
}

/** Function that makes the name of a session. Different seeds must give different names. */
export type MintSession = (seed: SessionSeed) => SessionId;

/**
 * Returns a name like `pi-d703a1a9-0f3c9a11`. It consists of the name of the recording program, up to 8 characters of
 * the session name in the file, and the first 8 characters of the digest. Forks and subagents have an additional
 * ending.
 */
export function importedSessionId({ format, own, digest, part }: SessionSeed): SessionId {
  const tool = format.startsWith('pi') ? 'pi' : format;
  const name = safe(own ?? '').slice(0, 8);
  const main = [tool, ...(name === '' ? [] : [name]), digest.slice(0, 8)].join('-');
  switch (part.kind) {
    case 'main':
      return sessionId(main);
    case 'fork':
      return sessionId(`${main}-fork-${part.number}`);
    case 'agent':
      return sessionId(`${main}-agent-${safe(part.name).slice(0, 40)}`);
  }
}

function safe(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_]+/g, '');
}

/** Values from which the names of a file's sessions are made. */
export interface NamedFile {
  readonly format: { readonly name: FormatName };
  readonly outline: Outline;
  readonly digest: Digest;
  readonly mint: MintSession;
}

/** Returns the session names of the branches. The index in the list is the branch index. */
export function nameBranches({ format, outline, digest, mint }: NamedFile): readonly SessionId[] {
  const own = outline.session;
  const seed = defined({ format: format.name, digest, own });
  const taken = new Set<SessionId>();
  let forks = 0;
  return outline.branches.map(({ index, kind, agent }) => {
    if (kind === 'fork') forks += 1;
    const name = agent ?? `${index}`;
    const asked = mint({
      ...seed,
      part: kind === 'fork' ? { kind, number: forks } : kind === 'agent' ? { kind, name } : { kind },
    });
    // Two subagents can get the same session name if their names differ only in characters that a session id cannot
    // contain. The branch index then makes the second name unique.
    const free = taken.has(asked) ? mint({ ...seed, part: { kind: 'agent', name: `${index}_${name}` } }) : asked;
    taken.add(free);
    return free;
  });
}
