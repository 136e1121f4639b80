// A host as a rule names it: `example.com`, `*.example.com` for those below it.

import { foldName } from './fold-name.ts';

/** A pattern that was read. */
export interface HostPattern {
  readonly name: string;
  /** Whether it is about the hosts below that name. */
  readonly below: boolean;
}

const HOST = /^(\*\.)?([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]*[a-z0-9])?$|^\[[0-9a-f:.]+\]$/;

/** Reads a pattern; what is wrong with it, with the next step. */
export function readHostPattern(text: string): HostPattern | string {
  if (!HOST.test(text))
    return `"${text}" is no host: give its name alone in lower case, without scheme, port or path, with "*." before it for those below`;
  const below = text.startsWith('*.');
  return { name: below ? text.slice(2) : text, below };
}

/** Whether the pattern names this host, by the letter. */
export function isHost({ name, below }: HostPattern, host: string): boolean {
  return below ? host.endsWith(`.${name}`) : host === name;
}

/** Whether the pattern could name this host: those below a name are forbidden with it. */
export function couldBeHost({ name }: HostPattern, host: string): boolean {
  const plain = foldName(host).replace(/\.+$/, '');
  return plain === name || plain.endsWith(`.${name}`);
}
