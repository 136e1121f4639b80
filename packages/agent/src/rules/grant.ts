// What a person allows for the rest of a session by one answer: the very commands, paths or hosts that were shown, and nothing
// like them. Pure.

import type { Granted } from '@tidemark/log';
import type { Acts, PathAct } from './acts.ts';
import type { RuledCall } from './judge-by-rules.ts';
import { launches } from './launchers.ts';

/**
 * What `always` would allow of a call; `undefined` where that cannot be said by the letter: a substitution, a redirection to a
 * file, a command that runs others or changes what those behind it mean (it would stand beside any other), a path outside the
 * workspace, a tool that does not tell what it does.
 */
export function grantOf({ tool, effect, confined, acts }: RuledCall): Granted | undefined {
  if (acts === undefined || (effect === 'write' && !confined) || (acts.beyond ?? []).length > 0) return undefined;
  const commands = acts.commands === undefined ? [] : acts.commands.plain;
  const paths = pathsOf(acts);
  const { hosts = [] } = acts;
  if (commands === undefined || paths === undefined || !commands.every(isGrantable)) return undefined;
  if (commands.length + paths.length + hosts.length === 0) return undefined;
  return {
    tool,
    ...(commands.length > 0 && { commands }),
    ...(paths.length > 0 && { paths }),
    ...(hosts.length > 0 && { hosts }),
  };
}

/** The grants that allow the call between them, in words: `always bash "npm test"`. `undefined` where something of it is in none. */
export function byGrants(grants: readonly Granted[], call: RuledCall): string | undefined {
  const wanted = grants.length === 0 ? undefined : grantOf(call);
  if (wanted === undefined) return undefined;
  const held = new Set(grants.filter(({ tool }) => tool === call.tool).flatMap(thingsOf));
  return thingsOf(wanted).every((thing) => held.has(thing)) ? `always ${grantInWords(wanted)}` : undefined;
}

/** As it is shown to the person who is asked: `bash "npm test" + "git add ."`. */
export function grantInWords({ tool, commands = [], paths = [], hosts = [] }: Granted): string {
  const things = [
    ...commands.map((words) => words.map(asWord).join(' ')),
    ...paths.map((path) => path || '.'),
    ...hosts,
  ];
  return `${tool} ${things.map((thing) => JSON.stringify(thing)).join(' + ')}`;
}

/** One word, told from two. */
function asWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function thingsOf({ commands = [], paths = [], hosts = [] }: Granted): readonly string[] {
  return [
    ...commands.map((words) => JSON.stringify(['command', ...words])),
    ...paths.map((path) => JSON.stringify(['path', path])),
    ...hosts.map((host) => JSON.stringify(['host', host])),
  ];
}

/** Paths of the workspace, one by one: a folder with all that will ever be in it is more than was shown. */
function pathsOf({ paths = [] }: Acts): readonly string[] | undefined {
  const isGrantablePath = ({ path, below = false }: PathAct): boolean => !below && !path.startsWith('/');
  return paths.every(isGrantablePath) ? paths.map(({ path }) => path) : undefined;
}

/** A file that is run may be named; what is read from elsewhere and run may be anything the next time. */
function isGrantable([program = '', first = '-']: readonly string[]): boolean {
  const kind = launches(program);
  if (kind === undefined) return true;
  return (
    (kind === 'shell' || kind === 'interpreter') &&
    !/^(\.|source)$/.test(program) &&
    !/^-|^\/dev\/|^\/proc\//.test(first)
  );
}
