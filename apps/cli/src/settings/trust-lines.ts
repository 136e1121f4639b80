// Lists the contents of a workspace for the user who is asked to trust it. Each item has one line, and each MCP server
// and each hook has a block of lines. Every command that can run is shown completely, exactly as it would be started.

import { basename, relative } from 'node:path';

import { isSecretName } from '@tidemark/agent';
import { PROVIDERS } from '@tidemark/kit';
import { isOwnOnly, settingsBrought } from '@tidemark/settings';
import type { BroughtSettings, HookSetting, ServerSetting, ServerValue, WorkspaceContents } from '@tidemark/settings';
import type { FoundAgent } from '@tidemark/tools-skills';
import { findAgents, findSkills } from '@tidemark/tools-skills';

import { markedText } from '../present/marked-text.ts';
import { asciiText, shellWord } from '../present/shell-word.ts';

/**
 * Returns the lines. If nothing in the workspace needs trust, returns an empty list. `ownServers` contains the names of
 * the user's own MCP servers.
 *
 * @throws SettingsError when the workspace's configuration is invalid. Otherwise a "yes" would include settings that no
 * line shows.
 */
export async function trustLines(
  brought: WorkspaceContents,
  ownServers: ReadonlySet<string>,
): Promise<readonly string[]> {
  const { servers, hooks, rules, leaves } = settingsBrought(brought, Object.keys(PROVIDERS));
  return [
    ...leaves.map(settingLine),
    ...Object.entries(servers).flatMap(([name, server]) => serverLines(name, server, { brought, ownServers })),
    ...hooks.flatMap((hook, index) => hookLines(hook, index, brought)),
    ...programNotes({ servers, hooks }, brought),
    ...rules.map(ruleLine),
    ...(await skillLines(brought)),
    ...(await agentLines(brought)),
    ...(brought.commands.length === 0 ? [] : [commandsLine(brought.commands)]),
    ...(brought.instructions === undefined ? [] : [instructionsLine(brought.instructions)]),
    ...(brought.memory ? [`memory files, which are added to the conversation; ${NOT_ASKED}`] : []),
  ];
}

const MAX_CHARACTERS = 64 * 1024;
const MAX_LINES = 2_000;

/** Returns the reason why the lines are too long for a question. If they are not too long, returns `undefined`. */
export function tooLongToAsk(lines: readonly string[]): string | undefined {
  const characters = lines.reduce((sum, line) => sum + line.length, 0);
  if (characters <= MAX_CHARACTERS && lines.length <= MAX_LINES) return undefined;
  return `the list is too long for a question: ${characters} characters in ${lines.length} lines (maximum: ${MAX_CHARACTERS} in ${MAX_LINES})`;
}

type BroughtLeaf = BroughtSettings['leaves'][number];

function settingLine({ name, value }: BroughtLeaf): string {
  const ignored = isOwnOnly(name) ? " (no effect: only the user's own settings can set this)" : '';
  return `sets ${name} to ${asciiText(JSON.stringify(value))}${ignored}`;
}

function ruleLine({ decision, tool, ...patterns }: BroughtSettings['rules'][number]): string {
  const where = Object.entries(patterns).map(([kind, list]) => `, ${kind}: ${list.map(shellWord).join(' ')}`);
  const ignored = decision === 'allow' ? " (no effect: a folder's rules can only ask and deny)" : '';
  return `rule: ${decision} ${shellWord(tool)}${where.join('')}${ignored}`;
}

interface BroughtServers {
  readonly brought: WorkspaceContents;
  readonly ownServers: ReadonlySet<string>;
}

function serverLines(name: string, server: ServerSetting, { brought, ownServers }: BroughtServers): readonly string[] {
  const replaced = `it replaces your own server ${name}; your rules that allow ${name}__* do not apply to it`;
  const below = 'command' in server ? programLines(server) : headerLines(server.headers ?? {});
  return [
    'command' in server
      ? `MCP server ${name} runs: ${[server.command, ...(server.args ?? [])].map(shellWord).join(' ')}`
      : `MCP server ${name} connects to: ${shellWord(server.url)}`,
    ...(ownServers.has(name) ? [`${BELOW}${replaced}`] : []),
    ...[...below, ...termLines(server), ...namedLines(`mcp.servers.${name}`, brought)].map((line) => `${BELOW}${line}`),
  ];
}

const BELOW = '    ';

type Program = Extract<ServerSetting, { readonly command: string }>;

function programLines({ command, args = [], env = {}, cwd }: Program): readonly string[] {
  return [
    ...(cwd === undefined ? [] : [`in the folder: ${shellWord(cwd)}`]),
    ...Object.entries(env).map(([name, value]) => {
      if (typeof value !== 'string') return `variable: ${shellWord(name)} ${variableNotice(value)}`;
      const shown = isToken(name, value, [command, ...args]) ? secretNotice(value) : shellWord(value);
      return `variable: ${shellWord(name)}=${shown}`;
    }),
  ];
}

function headerLines(headers: Readonly<Record<string, ServerValue>>): readonly string[] {
  return Object.entries(headers).map(([name, value]) => {
    if (typeof value !== 'string') return `header: ${shellWord(name)} ${variableNotice(value)}`;
    const secret = (isSecretName(name) || /^cookie$/i.test(name)) && /^[\x20-\x7e]*$/.test(value);
    return `header: ${shellWord(name)}: ${secret ? secretNotice(value) : shellWord(value)}`;
  });
}

function variableNotice({ variable, prefix }: Exclude<ServerValue, string>): string {
  const before = prefix === undefined ? '' : `, with ${shellWord(prefix)} before it`;
  return `with the value of your environment variable ${variable}${before}`;
}

function secretNotice(value: string): string {
  return `[not shown: the name indicates a secret, ${value.length} characters]`;
}

/**
 * Returns true if a value can stay hidden. In this case, its name is the name of a secret, and the value cannot be
 * code. Such a value is not a path and has no characters that a shell interprets. Its variable does not name a program,
 * and no code on the command line uses it.
 */
function isToken(name: string, value: string, words: readonly string[]): boolean {
  if (!isSecretName(name) || STARTS_PROGRAMS.test(inCapitals(name))) return false;
  return TOKEN.test(value) && !words.some((word) => /[^\w.,:=/@+-]/.test(word) && word.includes(name));
}

const TOKEN = /^(?![./~-])[\x21\x23\x25\x2a-\x3a\x3d\x3f-\x5b\x5d-\x5f\x61-\x7a~]*$/;
/**
 * Matches names of variables whose value is a program or options for a program, such as `PASSWORD_COMMAND`. The values
 * of such variables are shown, even if the name also looks like the name of a secret.
 */
const STARTS_PROGRAMS =
  /^GIT_CONFIG|(?<![A-Z])(?:ASKPASS|COMMAND|CMD|HELPER|PROGRAM|PROCESS|EXEC|SHELL|SCRIPT|HOOK|OPTIONS|OPTS|PRELOAD)(?![A-Z])/;

/** Converts a name to capitals: `passwordCommand` becomes `PASSWORD_COMMAND`. */
function inCapitals(name: string): string {
  return name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase();
}

function termLines({ effect = 'execute', timeoutMs }: ServerSetting): readonly string[] {
  const classes =
    typeof effect === 'string'
      ? effect
      : Object.entries(effect)
          .map(([tool, one]) => `${shellWord(tool)}=${one}`)
          .join(' ');
  return [
    `effect class of its tools: ${classes}`,
    ...(timeoutMs === undefined ? [] : [`timeout of a call without progress: ${timeoutMs} ms`]),
  ];
}

function namedLines(setting: string, { namedBy, workspace }: WorkspaceContents): readonly string[] {
  const { paths = [], untold = [] } = namedBy.find(({ by }) => by === setting) ?? {};
  return [
    ...paths.map((path) => `names this file; a change asks for trust again: ${shellWord(relative(workspace, path))}`),
    ...untold.map(
      (program) => `not checked: files that ${shellWord(program)} may start, because they are unknown before it runs`,
    ),
  ];
}

function hookLines(
  { on, run, name, tools, timeoutMs, whenItFails }: HookSetting,
  index: number,
  brought: WorkspaceContents,
): readonly string[] {
  const program = typeof run === 'string' ? asciiText(run) : run.map(shellWord).join(' ');
  const below = [
    'in the sandbox, without a network',
    ...(tools === undefined ? [] : [`for the tools: ${tools.map(shellWord).join(' ')}`]),
    ...(timeoutMs === undefined ? [] : [`time limit: ${timeoutMs} ms`]),
    ...(whenItFails === undefined ? [] : [`when it fails: ${whenItFails}`]),
    ...namedLines(`hooks.${index}`, brought),
  ];
  const title = name === undefined ? 'hook' : `hook ${shellWord(name)}`;
  return [`${title} on ${on} runs: ${program}`, ...below.map((line) => `${BELOW}${line}`)];
}

function programNotes(
  { servers, hooks }: Pick<BroughtSettings, 'servers' | 'hooks'>,
  { named }: WorkspaceContents,
): readonly string[] {
  const serverCount = Object.keys(servers).length;
  if (serverCount + hooks.length === 0) return [];
  return [
    ...(serverCount === 0 ? [] : ['Servers start immediately, in every mode.']),
    ...(named.length === 0 ? [] : ['Files that are loaded by the named files are not checked.']),
  ];
}

/** Returns one line per skill, with the first line of its description or the reason why the skill cannot be used. */
async function skillLines({ skills, skillsRoot }: WorkspaceContents): Promise<readonly string[]> {
  if (skillsRoot === undefined) return [];
  const found = await findSkills([{ folder: skillsRoot, source: 'workspace' }]);
  const words = new Map([
    ...found.bad.map(({ path, reason }): [string, string] => [basename(path), `cannot be used: ${oneLine(reason)}`]),
    ...found.skills.map(({ name, description }): [string, string] => [name, firstLine(description)]),
  ]);
  const names = new Set([...skills, ...found.skills.map(({ name }) => name)]);
  return [...names].toSorted().map((name) => `skill ${shellWord(name)}: ${words.get(name) ?? 'has no SKILL.md'}`);
}

/** Returns one line per own agent, with its tools, its model and the first line of its description. */
async function agentLines({ agents, agentsRoot }: WorkspaceContents): Promise<readonly string[]> {
  if (agentsRoot === undefined) return [];
  const found = await findAgents([{ folder: agentsRoot, source: 'workspace' }]);
  const words = new Map([
    ...found.bad.map(({ path, reason }): [string, string] => [
      basename(path, '.md'),
      `${shellWord(basename(path, '.md'))}: cannot be used: ${oneLine(reason)}`,
    ]),
    ...[...found.agents, ...found.shadowed.map(({ agent }) => agent)].map((agent): [string, string] => [
      basename(agent.path, '.md'),
      `${agentName(agent)}: ${agentWords(agent)}`,
    ]),
  ]);
  const files = new Set([...agents, ...words.keys()]);
  return [...files].toSorted().map((file) => `agent ${words.get(file) ?? `${shellWord(file)}: cannot be used`}`);
}

/** Returns the name under which an agent is started, and its file if that has another name. */
function agentName({ name, path }: FoundAgent): string {
  const file = basename(path);
  return file === `${name}.md` ? shellWord(name) : `${shellWord(name)} (in ${shellWord(file)})`;
}

function agentWords({ description, tools, model }: FoundAgent): string {
  const of = tools === undefined ? 'all tools of the session' : tools.length === 0 ? 'no tools' : tools.join(', ');
  return `${firstLine(description)} (${asciiText(of)}${model === undefined ? '' : `, model ${asciiText(model)}`})`;
}

const INSTRUCTIONS = 'instructions in ';

/** Returns true for the line about the instruction file of a folder. */
export function isInstructionsLine(line: string): boolean {
  return line.startsWith(INSTRUCTIONS);
}

function instructionsLine(name: string): string {
  return `${INSTRUCTIONS}${name}, which are added to each new session; ${NOT_ASKED}`;
}

const NOT_ASKED = 'later changes of them are not asked about';

/** Returns the line about the slash commands. They are long texts, which are sent only when the user types a name. */
function commandsLine(names: readonly string[]): string {
  const shown = names.map((name) => `/${shellWord(name)}`).join(', ');
  return `slash commands whose text is sent when you type their name: ${shown}; ${NOT_ASKED}`;
}

function firstLine(text: string): string {
  return oneLine(text.split(/\r?\n/, 1)[0] ?? '');
}

function oneLine(text: string): string {
  return markedText(text.replaceAll(/\s+/g, ' '));
}
