// What a person allows beyond one call: commands by the letter or by pattern, files and folders of the workspace, hosts. Pure.

import type { Granted } from '@tidemark/log';
import type { CommandPattern } from './command-pattern.ts';
import { isCommand, readCommandPattern } from './command-pattern.ts';
import { isHarmless } from './harmless-command.ts';
import { launches } from './launchers.ts';
import type { RuledCall } from './ruled-call.ts';
import { isWayToRun } from './ways-to-run.ts';

/** One thing that a call does. A new kind of act is a new member here and a part in `partsOf`. */
type Thing =
  | { readonly kind: 'command'; readonly words: readonly string[] }
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'host'; readonly host: string };

/**
 * Returns what a plain `always` allows: each command of the call by the letter, or its hosts or paths. `undefined` for a
 * write, because another call writes other content, and for a call that no grant can cover (see `canGrant`).
 */
export function grantOf(call: RuledCall): Granted | undefined {
  const things = thingsOf(call);
  if (things === undefined || call.effect === 'write') return undefined;
  const commands = things.flatMap((thing) => (thing.kind === 'command' ? [thing.words] : []));
  const paths = things.flatMap((thing) => (thing.kind === 'path' ? [thing.path] : []));
  const hosts = things.flatMap((thing) => (thing.kind === 'host' ? [thing.host] : []));
  return {
    tool: call.tool,
    ...(commands.length > 0 && { commands }),
    ...(paths.length > 0 && { paths }),
    ...(hosts.length > 0 && { hosts }),
  };
}

/**
 * Tells whether any grant can cover the call. None can for a substitution, a redirection to a file, a command that runs others
 * or changes what later ones mean, a path outside the workspace, a whole folder, and a tool that does not tell its acts.
 */
export function canGrant(call: RuledCall): boolean {
  return thingsOf(call) !== undefined;
}

/** Returns the grants that cover the call between them, in words: `always bash "npm test"`. `undefined` when a part of it is in none. */
export function byGrants(grants: readonly Granted[], call: RuledCall): string | undefined {
  const things = grants.length === 0 ? undefined : thingsOf(call);
  if (things === undefined) return undefined;
  const held = grants.filter(({ tool }) => tool === call.tool);
  const names = things.map((thing) => nameOfFirst(held, thing));
  return names.includes(undefined) ? undefined : `always ${call.tool} ${[...new Set(names)].join(' + ')}`;
}

/** Returns the commands and paths of the call that the grant does not cover, in words. Empty when it covers the call. */
export function leftBy(grant: Granted, call: RuledCall): readonly string[] {
  const things = thingsOf(call) ?? [];
  return things.filter((thing) => nameOfFirst([grant], thing) === undefined).map(wordsOf);
}

/** Returns the grant in short, for a rule name and a list: `bash "npm test" + "git add ."`. */
export function grantInWords(grant: Granted): string {
  return `${grant.tool} ${partsOf(grant)
    .map(({ text }) => JSON.stringify(text))
    .join(' + ')}`;
}

/** Returns what the grant covers as a sentence for the person who gives it. */
export function grantCovers({
  tool,
  commands = [],
  patterns = [],
  paths = [],
  folders = [],
  hosts = [],
}: Granted): string {
  const listed = (texts: readonly string[]): string => texts.join(', ');
  return [
    ...(commands.length === 0
      ? []
      : [
          `${tool} runs ${listed(commands.map((words) => `\`${inWords(words)}\``))} to the letter, in any line of such commands`,
        ]),
    ...(patterns.length === 0
      ? []
      : [`${tool} runs every command that fits ${listed(patterns.map((one) => `\`${one}\``))}, whatever stands for *`]),
    ...(paths.length === 0 ? [] : [`every call of ${tool} on ${listed(paths)}, whatever its content`]),
    ...(folders.length === 0
      ? []
      : [`every call of ${tool} below ${listed(folders.map((one) => `${one}/`))}, whatever its content`]),
    ...(hosts.length === 0 ? [] : [`every call of ${tool} that reaches only ${listed(hosts)}, whatever it sends`]),
  ].join('; ');
}

/** Tells whether a pattern may be granted. Returns the reason when it may not. */
export function patternProblem(pattern: string): string | undefined {
  const read = readCommandPattern(pattern, 'allow');
  if (typeof read === 'string') return read;
  const [program = ''] = read.words;
  if (!isGrantable(read.words)) return `${program} runs or changes other commands, so no grant covers it`;
  if (!hasStar(read)) return undefined;
  const way = read.words.find((_, index) => isWayToRun(read.words, index));
  if (way !== undefined) return `\`${program}\` with \`${way}\` runs other programs, so it cannot end in *`;
  if (isHarmless(read.words)) return undefined;
  return `a * is granted only after a program, and the subcommand where it has some, that is known to run no other program and to write no settings, such as \`git status *\`, \`npm test *\` or \`npm run build *\`. Answer a alone for exactly this command, or put a rule into your own settings`;
}

function hasStar({ words, open }: CommandPattern): boolean {
  return open || words.some((word) => word.includes('*'));
}

/** A part of a grant: its name, and the things that it covers. */
interface GrantPart {
  readonly text: string;
  readonly has: (thing: Thing) => boolean;
}

function partsOf({
  commands = [],
  patterns = [],
  paths = [],
  folders = [],
  hosts = [],
}: Granted): readonly GrantPart[] {
  return [
    ...commands.map((words): GrantPart => ({
      text: inWords(words),
      has: (thing) => thing.kind === 'command' && isSame(thing.words, words),
    })),
    ...patterns.map((pattern): GrantPart => ({
      text: pattern,
      has: (thing) => thing.kind === 'command' && fits(pattern, thing.words),
    })),
    ...paths.map((path): GrantPart => ({
      text: path || '.',
      has: (thing) => thing.kind === 'path' && thing.path === path,
    })),
    ...folders.map((folder): GrantPart => ({
      text: `${folder}/`,
      has: (thing) => thing.kind === 'path' && folder !== '' && thing.path.startsWith(`${folder}/`),
    })),
    ...hosts.map((host): GrantPart => ({ text: host, has: (thing) => thing.kind === 'host' && thing.host === host })),
  ];
}

function nameOfFirst(grants: readonly Granted[], thing: Thing): string | undefined {
  const found = grants.flatMap(partsOf).find(({ has }) => has(thing));
  return found === undefined ? undefined : JSON.stringify(found.text);
}

/** A pattern from a file or an old log may be too wide: then it fits nothing. */
function fits(pattern: string, words: readonly string[]): boolean {
  if (patternProblem(pattern) !== undefined) return false;
  const read = readCommandPattern(pattern, 'allow');
  return typeof read !== 'string' && isCommand(read, words) && (!hasStar(read) || isHarmless(words));
}

/** Everything that the call does; `undefined` where a part of it is unknown or can be in no grant. */
function thingsOf({ effect, confined, acts }: RuledCall): readonly Thing[] | undefined {
  if (acts === undefined || (effect === 'write' && !confined)) return undefined;
  // The network of this machine is another thing than the command.
  if ((acts.beyond ?? []).length > 0) return undefined;
  const commands = acts.commands === undefined ? [] : acts.commands.plain;
  const { paths = [], hosts = [] } = acts;
  if (commands === undefined || !commands.every(isGrantable)) return undefined;
  if (paths.some(({ path, below = false }) => below || path.startsWith('/'))) return undefined;
  const things: readonly Thing[] = [
    ...commands.map((words): Thing => ({ kind: 'command', words })),
    ...paths.map(({ path }): Thing => ({ kind: 'path', path })),
    ...hosts.map((host): Thing => ({ kind: 'host', host })),
  ];
  return things.length === 0 ? undefined : things;
}

function wordsOf(thing: Thing): string {
  switch (thing.kind) {
    case 'command':
      return inWords(thing.words);
    case 'path':
      return thing.path;
    case 'host':
      return thing.host;
  }
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((word, index) => word === b[index]);
}

function inWords(words: readonly string[]): string {
  return words.map(asWord).join(' ');
}

/** Quotes a word where needed, so that one word differs from two. */
function asWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** An interpreter may run a named file. Code that comes from elsewhere may be any code the next time. */
function isGrantable([program = '', first = '-']: readonly string[]): boolean {
  const kind = launches(program);
  if (kind === undefined) return true;
  return (
    (kind === 'shell' || kind === 'interpreter') &&
    !/^(\.|source)$/.test(program) &&
    !/^-|^\/dev\/|^\/proc\//.test(first)
  );
}
