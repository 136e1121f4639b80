// Grants of a user that apply to more than one call. A grant can cover exact commands or command patterns, the exact
// text of a whole command line, files and folders of the workspace, or hosts. If a tool reports none of these, a grant
// can cover all its calls. All functions are pure.

import type { Granted, GrantedScript } from '@tidemark/log';
import type { CommandPattern } from '../rules/command-pattern.ts';
import { isCommand, readCommandPattern } from '../rules/command-pattern.ts';
import type { RuledCall } from '../rules/ruled-call.ts';
import { toolsOfPlaceGrant, widerTool } from './narrower-tools.ts';
import { isWayToRun, launches } from '../rules/ways-to-run.ts';

/** One command, path or host that a call uses. A new kind needs a new member here and a new entry in `partsOf`. */
type Thing =
  | { readonly kind: 'command'; readonly words: readonly string[] }
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'host'; readonly host: string };

/**
 * Returns the grant of a plain `always` answer: each exact command of the call, or its hosts or paths. For a command line
 * that is more than plain commands, the grant covers exactly its whole text. For a tool that reports none of these, the
 * grant covers every call of the tool. Returns `undefined` for a write to reported paths,
 * because another call would write other content. Also returns `undefined` for a call that no grant can cover (see
 * `canGrant`).
 */
export function grantOf(call: RuledCall): Granted | undefined {
  if (isWholeCall(call)) return { tool: call.tool };
  const things = thingsOf(call);
  if (things === undefined) return scriptGrant(call);
  if (call.effect === 'write') return undefined;
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

function scriptGrant(call: RuledCall): Granted | undefined {
  const text = scriptOf(call);
  if (text === undefined) return undefined;
  return { tool: call.tool, scripts: [{ text, ...(!call.confined && { unsandboxed: true as const }) }] };
}

/**
 * Returns true if a grant can cover the call. A command with a substitution or a redirection to a file can only be
 * granted as a whole text, and so can a command that runs other commands or changes the meaning of later ones. No grant
 * covers a path outside the workspace or a call on a whole folder. If a tool reports commands, paths or hosts, no grant
 * covers a call without any of them.
 */
export function canGrant(call: RuledCall): boolean {
  return isWholeCall(call) || thingsOf(call) !== undefined || scriptOf(call) !== undefined;
}

/** Returns true if a grant can cover the call only by its whole text. */
export function needsExactText(call: RuledCall): boolean {
  return !isWholeCall(call) && thingsOf(call) === undefined;
}

/** Returns the reason why the answer `always` gives no grant for this call. Call it only if `grantOf` returns none. */
export function whyNoGrant(call: RuledCall): string {
  const { effect, confined, effects: { beyond = [], paths = [] } = {} } = call;
  if (canGrant(call)) return 'another call may write other content to the same paths';
  if (beyond.length > 0) return 'the call requests access outside its sandbox';
  if (effect === 'write' && !confined) return 'the call writes outside the workspace';
  if (paths.length > 0) return 'the call reports a path outside the workspace, or a whole folder';
  return 'the commands, paths or hosts of the call are unknown, or a command runs other commands';
}

/** Returns true if the grant covers every call of a tool that reports no commands, paths or hosts. */
export function isWholeGrant(grant: Granted): boolean {
  return partsOf(grant).length === 0 && (grant.scripts ?? []).length === 0;
}

/**
 * Returns true if the tool of the call reports no commands, paths or hosts. Only a grant for the whole tool can then
 * cover the call. Returns false for a write outside the workspace, which no grant covers.
 */
function isWholeCall({ effect, confined, effects }: RuledCall): boolean {
  return effects === undefined && (effect !== 'write' || confined);
}

/**
 * Returns the joined name of the grants that together cover the call, such as `always bash "npm test"`. Returns
 * `undefined` if any part of the call is not covered.
 */
export function byGrants(grants: readonly Granted[], call: RuledCall): string | undefined {
  if (isWholeCall(call))
    return grants.some((one) => one.tool === call.tool && isWholeGrant(one)) ? `always ${call.tool}` : undefined;
  if (grants.length === 0) return undefined;
  const held = grants.filter(({ tool }) => tool === call.tool);
  const script = held.flatMap(({ scripts = [] }) => scripts).find((one) => isSameScript(one, call));
  if (script !== undefined) return `always ${call.tool} exactly ${JSON.stringify(shortText(script.text))}`;
  const things = thingsOf(call);
  if (things === undefined) return undefined;
  return namesOf(call.tool, held, things) ?? byWiderTool(grants, call, things);
}

function namesOf(tool: string, held: readonly Granted[], things: readonly Thing[]): string | undefined {
  const names = things.map((thing) => nameOfFirst(held, thing));
  return names.includes(undefined) ? undefined : `always ${tool} ${[...new Set(names)].join(' + ')}`;
}

/** Returns the name of the grants of another tool that cover the call, if the call only writes to their places. */
function byWiderTool(
  grants: readonly Granted[],
  { tool, effect, confined }: RuledCall,
  things: readonly Thing[],
): string | undefined {
  if (effect !== 'write' || !confined || things.some(({ kind }) => kind !== 'path')) return undefined;
  const wider = widerTool(tool);
  return namesOf(
    wider,
    grants.filter((grant) => grant.tool === wider),
    things,
  );
}

/** Returns the beginning of a text, for the name of a rule. The log contains the name with each call. */
function shortText(text: string): string {
  const letters = Array.from(text);
  return letters.length <= LONGEST_NAME ? text : `${letters.slice(0, LONGEST_NAME).join('')}…`;
}

/** Longest text of a script in the name of a rule, in characters. */
const LONGEST_NAME = 80;

/**
 * Returns the commands, paths and hosts of the call that the grant does not cover, as text. The list is empty if the
 * grant covers the whole call.
 */
export function leftBy(grant: Granted, call: RuledCall): readonly string[] {
  if (isWholeCall(call)) return isWholeGrant(grant) ? [] : [`every call of ${call.tool}`];
  const things = thingsOf(call);
  if (things === undefined)
    return grant.scripts?.some((one) => isSameScript(one, call)) === true ? [] : [scriptOf(call) ?? call.tool];
  return things.filter((thing) => nameOfFirst([grant], thing) === undefined).map(wordsOf);
}

/**
 * Returns a short form of the grant for a rule name or a list: `bash "npm test" + "git add ."`, or `save (every call)`.
 */
export function grantInWords(grant: Granted): string {
  if (isWholeGrant(grant)) return `${grant.tool} (every call)`;
  const scripts = (grant.scripts ?? []).map(({ text }) => `exactly ${JSON.stringify(text)}`);
  const parts = partsOf(grant).map(({ text }) => JSON.stringify(text));
  return `${grant.tool} ${[...scripts, ...parts].join(' + ')}`;
}

/** Returns a sentence about the scope of the grant, for the user who gives it. */
export function grantCovers(grant: Granted): string {
  const { tool, commands = [], patterns = [], scripts = [], paths = [], folders = [], hosts = [] } = grant;
  if (isWholeGrant(grant)) return `every call of ${tool}, with any arguments`;
  const listed = (texts: readonly string[]): string => texts.join(', ');
  return [
    ...(commands.length === 0
      ? []
      : [
          `${tool} runs ${listed(commands.map((words) => `\`${inWords(words)}\``))} exactly as written, alone or together with other allowed commands`,
        ]),
    ...(patterns.length === 0
      ? []
      : [
          `${tool} runs every command that matches ${listed(patterns.map((one) => `\`${one}\``))}, with any text for *`,
        ]),
    ...scripts.map(
      ({ unsandboxed }) =>
        `${tool} runs exactly this text, only as a whole${unsandboxed === true ? ', also without a sandbox' : ''}`,
    ),
    ...(paths.length === 0
      ? []
      : [`every call of ${toolsOfPlaceGrant(tool).join(' and ')} on ${listed(paths)}, with any content`]),
    ...(folders.length === 0
      ? []
      : [
          `every call of ${toolsOfPlaceGrant(tool).join(' and ')} below ${listed(folders.map((one) => `${one}/`))}, with any content`,
        ]),
    ...(hosts.length === 0 ? [] : [`every call of ${tool} that connects only to ${listed(hosts)}, with any data`]),
  ].join('; ');
}

/** Returns the reason why a pattern cannot be granted. Returns `undefined` if the pattern can be granted. */
export function patternProblem(pattern: string): string | undefined {
  const read = readCommandPattern(pattern, 'allow');
  if (typeof read === 'string') return read;
  const [program = ''] = read.words;
  if (!isGrantable(read.words)) return `${program} runs or changes other commands, so it cannot be granted`;
  if (!hasStar(read)) return undefined;
  const way = read.words.find((_, index) => isWayToRun(read.words, index));
  if (way !== undefined) return `\`${program}\` with \`${way}\` runs other programs, so the pattern cannot contain *`;
  if (isHarmless(read.words)) return undefined;
  return `a * is allowed only after a program (and its subcommand, if it has subcommands) that runs no other program and writes no settings, such as \`git status *\`, \`npm test *\` or \`npm run build *\`. Answer a without a pattern to allow exactly this command, or add a rule to your own settings`;
}

function hasStar({ words, open }: CommandPattern): boolean {
  return open || words.some((word) => word.includes('*'));
}

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

/**
 * Returns true if the pattern covers the command. A pattern from a file or an old log may be too wide. Such a pattern
 * covers nothing.
 */
function fits(pattern: string, words: readonly string[]): boolean {
  if (patternProblem(pattern) !== undefined) return false;
  const read = readCommandPattern(pattern, 'allow');
  return typeof read !== 'string' && isCommand(read, words) && (!hasStar(read) || isHarmless(words));
}

/**
 * Returns all commands, paths and hosts of the call. Returns `undefined` if the call has none of them, or if one of
 * them is unknown or cannot be granted.
 */
function thingsOf({ effect, confined, effects }: RuledCall): readonly Thing[] | undefined {
  if (effects === undefined || (effect === 'write' && !confined)) return undefined;
  // A call can ask for access outside its sandbox, such as the network. It can then do more than the same command
  // inside the sandbox, so no grant covers it.
  if ((effects.beyond ?? []).length > 0) return undefined;
  const commands = effects.commands === undefined ? [] : effects.commands.plain;
  const { paths = [], hosts = [] } = effects;
  if (commands === undefined || !commands.every(isGrantable)) return undefined;
  if (paths.some(({ path, below = false }) => below || path.startsWith('/'))) return undefined;
  const things: readonly Thing[] = [
    ...commands.map((words): Thing => ({ kind: 'command', words })),
    ...paths.map(({ path }): Thing => ({ kind: 'path', path })),
    ...hosts.map((host): Thing => ({ kind: 'host', host })),
  ];
  return things.length === 0 ? undefined : things;
}

/** Returns the text of a call that the user can allow as a whole. Returns `undefined` if a text is not all that it does. */
function scriptOf({ effect, effects = {} }: RuledCall): string | undefined {
  const { commands, paths = [], hosts = [], beyond = [] } = effects;
  return effect === 'write' || paths.length + hosts.length + beyond.length > 0 ? undefined : commands?.script;
}

/** Returns true if the script is exactly the text of the call. A text allowed in a sandbox is not allowed without one. */
function isSameScript({ text, unsandboxed }: GrantedScript, call: RuledCall): boolean {
  return scriptOf(call) === text && (call.confined || unsandboxed === true);
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

/** Quotes a word if needed. One word with a space then differs from two words. */
function asWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * Returns true if a grant can cover the command. An interpreter must run a named file, because code from another source
 * may be different in the next call.
 */
function isGrantable([program = '', first = '-']: readonly string[]): boolean {
  const kind = launches(program);
  if (kind === undefined) return true;
  return (
    (kind === 'shell' || kind === 'interpreter') &&
    !/^(\.|source)$/.test(program) &&
    !/^-|^\/dev\/|^\/proc\//.test(first)
  );
}

// Commands that a granted pattern with a `*` may match. Their programs, subcommands and options cannot start a program
// that the caller chooses, and cannot write settings. Any other command can only be granted with its exact words.

interface Harmless {
  /** Subcommands. One of them must directly follow the program. Absent if the program has no subcommands. */
  readonly first?: RegExp;
  /** Required form of the word after the subcommand, such as the name of a script. */
  readonly second?: RegExp;
  /**
   * Allowed words that begin with `-` or `@`. If absent, all such words are allowed, except the known ways to run a
   * program.
   */
  readonly options?: RegExp;
  /** True if the words after `--` are passed to a test or a script. They are then not options of the program. */
  readonly passes?: true;
}

const NPM = /^(-s|-ws|--(silent|if-present|json|long|all|depth=\d+|workspaces|include-workspace-root|ignore-scripts))$/;
const SCRIPTS: readonly Harmless[] = [
  { first: /^test$/, options: NPM, passes: true },
  { first: /^run$/, second: /^[A-Za-z][\w.:*-]*$/, options: NPM, passes: true },
];
const CARGO =
  /^(-[vqpF]+|-j\d*|--(all|all-features|all-targets|bench(es)?|bins?|check|doc|examples?|features(=.*)?|frozen|lib|locked|no-default-features|no-fail-fast|no-run|offline|package(=.*)?|quiet|release|tests?|verbose|workspace))$/;

const HARMLESS: Readonly<Record<string, readonly Harmless[]>> = {
  ...Object.fromEntries(
    'ls cat grep egrep fgrep rg head tail wc cmp cut tr nl du df pwd echo stat basename dirname realpath readlink true false'
      .split(' ')
      .map((program) => [program, [{}]]),
  ),
  git: [
    // `-e`, `--edit` and `--edit-description` start an editor. Git also accepts shortened forms of them.
    { first: /^(status|log|diff|show|add|branch|ls-files|blame|rev-parse)$/, options: /^(?!--e(d|$)|-[A-Za-z]*e)/ },
  ],
  npm: [...SCRIPTS, { first: /^(ls|view)$/, options: NPM }],
  pnpm: SCRIPTS,
  yarn: SCRIPTS,
  cargo: [
    { first: /^test$/, options: CARGO, passes: true },
    { first: /^(build|check|fmt|clippy)$/, options: CARGO },
  ],
  go: [
    {
      first: /^(build|test|vet|fmt)$/,
      options:
        /^--?(a|bench(=.*)?|benchmem|count=\d+|cover|failfast|json|n|parallel=\d+|race|run(=.*)?|short|tags(=.*)?|timeout(=.*)?|v|x)$/,
    },
  ],
  pytest: [
    {
      options:
        /^(-[vqxslk]+|-m|-r[A-Za-z]+|--(co|collect-only|durations=\d+|ff|lf|maxfail=\d+|no-header|no-summary|tb=\w+))$/,
    },
  ],
  vitest: [
    {
      first: /^(run|related|list)$/,
      options: /^(-t|--(run|bail=\d+|maxWorkers=\d+|no-color|passWithNoTests|silent|testNamePattern(=.*)?))$/,
    },
  ],
  tsc: [{ options: /^(-[pb]|--(build|incremental|noEmit|pretty|project|skipLibCheck|strict|version))$/ }],
  eslint: [{ options: /^--(color|ext(=.*)?|max-warnings(=\d+)?|no-color|no-inline-config|quiet|version)$/ }],
};

/**
 * Returns true for a command that a pattern with a `*` may match. The text of the pattern must pass the same check, so
 * a `*` cannot replace a program or a subcommand.
 */
function isHarmless(command: readonly string[]): boolean {
  const [program = ''] = command;
  const known = Object.hasOwn(HARMLESS, program) ? (HARMLESS[program] ?? []) : [];
  return known.some((one) => isOneOf(one, command)) && !command.some((_, index) => isWayToRun(command, index));
}

function isOneOf({ first, second, options, passes }: Harmless, [, ...words]: readonly string[]): boolean {
  if (first?.test(words[0] ?? '') === false || second?.test(words[1] ?? '') === false) return false;
  const end = passes === true ? words.indexOf('--') : -1;
  const own = (end === -1 ? words : words.slice(0, end)).filter((word) => /^[-@]/.test(word) && word !== '--');
  return own.every((word) => options?.test(word) ?? true);
}
