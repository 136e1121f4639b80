// Slash commands about the terminal and the work of the session: copy, export, agents, memory, theme, keys, and the end.

import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

import { makeFolder } from '@tidemark/files';

import { matchingSessions } from '../../arguments/find-session.ts';
import { CliError } from '../../frame/failure.ts';
import { writeNewFile } from '../../frame/new-file.ts';
import { formatNumber } from '../../frame/numbers.ts';
import { plainText } from '../../frame/plain-text.ts';
import type { Shown } from '../../frame/shown.ts';
import { withStyle } from '../../frame/shown.ts';
import type { ShownSubagent } from '../../present/subagent-lines.ts';
import { taskLine, withSubagent } from '../../present/subagent-lines.ts';
import { skillsHere } from '../../settings/installed-skills.ts';
import { agentsHere } from '../../settings/own-agents.ts';
import { oneName } from '../../settings/trust-in.ts';
import { chooseValue } from './choose-value.ts';
import { captureLine, showLine } from './command-lines.ts';
import { copySequence, LARGEST_COPY, lastCodeBlock } from './copy-text.ts';
import { readFlags } from './read-flags.ts';
import { showLines } from './shown-lines.ts';
import type { SlashCommand, SlashPlace } from './slash-command.ts';
import { requireFewWords, shownSession } from './slash-command.ts';

const copy: SlashCommand = {
  name: 'copy',
  group: 'terminal',
  summary: 'copy the last answer, or its last code block, to the clipboard of the terminal',
  argument: '[code]',
  complete: async () => ['code'],
  async run({ words }, place) {
    requireFewWords('copy', words, 1);
    const [what] = words;
    if (what !== undefined && what !== 'code')
      throw new CliError('cli/usage', `/copy cannot copy ${JSON.stringify(what)}`, 'write `/copy` or `/copy code`');
    const answer = await lastAnswer(place);
    const text = what === 'code' ? lastCodeBlock(answer) : answer;
    if (text === undefined)
      throw new CliError('cli/refused', 'the last answer has no code block', '`/copy` copies the whole answer');
    const bytes = Buffer.byteLength(text);
    if (bytes > LARGEST_COPY)
      throw new CliError(
        'cli/refused',
        `the text has ${formatNumber(bytes)} bytes, and a terminal accepts at most ${formatNumber(LARGEST_COPY)}`,
        '`/export` writes the session to a file',
      );
    place.writeSequence(copySequence(text, place.context.environment));
    place.controller.print([
      `Copied ${formatNumber(Array.from(text).length)} characters through the terminal (OSC 52).`,
      ...(place.context.environment['TMUX'] === undefined
        ? []
        : [withStyle('dim', 'tmux passes it on only with `set -g set-clipboard on` or `allow-passthrough on`.')]),
    ]);
  },
};

/** Returns the last answer with text. Control characters are removed, because a paste could otherwise run commands. */
async function lastAnswer(place: SlashPlace): Promise<string> {
  const id = shownSession(place);
  let last: string | undefined;
  for await (const message of place.controller.agent()?.messages(id) ?? [])
    if (message.role === 'assistant' && message.text.trim() !== '') last = message.text;
  if (last === undefined) throw new CliError('cli/refused', 'the session has no answer yet', 'send a prompt first');
  return plainText(last).trimEnd();
}

const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ['markdown', 'md'],
  ['html', 'html'],
  ['json', 'jsonl'],
]);

const exportSession: SlashCommand = {
  name: 'export',
  group: 'context',
  summary: 'write the session to a new file, as Markdown, a web page or JSON',
  argument: '[file] [--format markdown|html|json]',
  async run({ words: typed }, place) {
    const { values, words } = readFlags(typed, { texts: ['format'] });
    const format = values.get('format') ?? 'markdown';
    const extension = format === true ? undefined : EXTENSIONS.get(format);
    if (format === true || extension === undefined)
      throw new CliError('cli/usage', `there is no format ${JSON.stringify(format)}`, 'use markdown, html or json');
    const id = shownSession(place);
    const path = resolve(place.controller.workspace(), words.join(' ') || `session-${id}.${extension}`);
    const { text, exit } = await captureLine(['export', id, '--format', format], place, 'file');
    if (exit !== 0) return place.controller.print(text.trimEnd().split('\n'));
    await writeNewFile(path, text, '/export talk.md');
    place.controller.print([`Wrote ${path} (${formatNumber(Buffer.byteLength(text))} bytes).`]);
  },
};

const agents: SlashCommand = {
  name: 'agents',
  group: 'session',
  summary: 'list the subagents of this session and your own agents, or show the conversation of a subagent',
  argument: '[subagent]',
  complete: async (place) => (await subagentsOf(place)).map((one, _, all) => nameOf(one, all)),
  async run({ words }, place) {
    requireFewWords('agents', words, 1);
    const [typed] = words;
    const listed = await subagentsOf(place);
    if (typed !== undefined) {
      const named = listed.map((one) => ({ ...one, session: one.child, title: `${one.role}: ${one.task}` }));
      const [one, ...others] = matchingSessions(typed, named);
      if (one === undefined || others.length > 0)
        throw new CliError(
          'cli/not-found',
          one === undefined ? `this session has no subagent ${typed}` : `several subagents are named ${typed}`,
          '`/agents` lists them with their names',
        );
      return showLine(
        ['export', one.child],
        plainText(`/agents ${nameOf(one, listed)}: ${firstWords(one.task)}`),
        place,
      );
    }
    const lines: readonly Shown[] = listed.flatMap((one) => [
      taskLine(one),
      withStyle('dim', `  \`/agents ${nameOf(one, listed)}\` shows its conversation`),
    ]);
    return showLines(
      '/agents',
      [...(lines.length === 0 ? NO_SUBAGENTS : lines), ...(await ownAgentLines(place))],
      place,
    );
  },
};

const NO_SUBAGENTS: readonly Shown[] = ['This session has no subagents. The model starts one for a part of the work.'];
const NO_OWN_AGENTS: readonly Shown[] = [
  'You have no own agents: Markdown files in .agents/agents or ~/.agents/agents.',
];

/** Lists the own agents that the model can start, and that `--agent` accepts. */
async function ownAgentLines({ context, controller }: SlashPlace): Promise<readonly Shown[]> {
  const { found, unused } = await agentsHere({ ...context, folder: controller.workspace() });
  const untrusted =
    unused.length === 0 ? [] : [`not used without \`tidemark trust\`: ${unused.map(oneName).join(', ')}`];
  const lines = found.agents.map(({ name, model, use }) =>
    plainText(`${name}${model === undefined ? '' : ` (${model})`}: ${use}`),
  );
  if (lines.length + untrusted.length + found.bad.length === 0) return NO_OWN_AGENTS;
  const bad = found.bad.map(({ path, reason }) => plainText(`skipped: ${path}: ${reason}`));
  return ['', withStyle('bold', 'your own agents'), ...lines, ...untrusted, ...bad];
}

/** Characters of the start of an id that tell the subagents of a session apart. */
const SHORT_ID = 8;

/** Returns the name of a subagent for `/agents`: its role, or the start of its id if the role is not the only one. */
function nameOf({ role, child }: ShownSubagent, all: readonly ShownSubagent[]): string {
  const wanted = role.toLowerCase();
  const isOnly = all.filter((one) => `${one.role}: ${one.task}`.toLowerCase().includes(wanted)).length === 1;
  return isOnly && /^[\w-]+$/.test(role) && role !== 'subagent' ? role : child.slice(0, SHORT_ID);
}

const LONGEST_TITLE = 60;

function firstWords(task: string): string {
  const [line = ''] = task.trim().split('\n', 1);
  return line.length <= LONGEST_TITLE ? line : `${line.slice(0, LONGEST_TITLE)}…`;
}

async function subagentsOf({ controller, context }: SlashPlace): Promise<readonly ShownSubagent[]> {
  const { session } = controller.state.get();
  if (session === undefined) return [];
  const log = await context.store();
  let listed: readonly ShownSubagent[] = [];
  for await (const record of log.read(session)) listed = withSubagent(listed, record);
  return listed;
}

/** Memory files of a workspace, and the content of each. */
const MEMORY = [
  ['MEMORY.md', 'about the project'],
  ['USER.md', 'about how you want to work'],
] as const;

const memory: SlashCommand = {
  name: 'memory',
  group: 'context',
  summary: 'show the memory files of this folder, or open one in your editor',
  argument: '[edit] [user]',
  complete: async () => ['edit', 'edit user'],
  async run({ words }, place) {
    requireFewWords('memory', words, words[1] === 'user' ? 2 : 1);
    const [action, which] = words;
    const folder = join(place.controller.workspace(), '.tidemark');
    if (action === 'edit') return editMemory(join(folder, which === 'user' ? 'USER.md' : 'MEMORY.md'), place);
    if (action !== undefined)
      throw new CliError('cli/usage', `/memory cannot ${JSON.stringify(action)}`, 'write `/memory` or `/memory edit`');
    const files = await Promise.all(
      MEMORY.map(async ([name, about]) => {
        const path = join(folder, name);
        return { path, about, text: await readFile(path, 'utf8').catch(() => undefined) };
      }),
    );
    const lines = files.every(({ text }) => text === undefined)
      ? NO_MEMORY
      : files.flatMap(({ path, about, text }): readonly Shown[] => [
          [withStyle('bold', path), withStyle('dim', ` ${about}`)],
          ...(text === undefined ? ['  (no file)'] : text.trimEnd().split('\n')),
          '',
        ]);
    const here = { ...place.context, folder: place.controller.workspace() };
    const isTrusted = place.trusted || (await skillsHere(here)).trusted;
    await showLines('/memory', [...lines, isTrusted ? READ_MEMORY : UNREAD_MEMORY], place);
  },
};

const NO_MEMORY: readonly Shown[] = [
  'Memory files tell the model about this folder in every session. There is none.',
  '`/memory edit` writes .tidemark/MEMORY.md, `/memory edit user` USER.md.',
];
const READ_MEMORY = withStyle('dim', 'The model reads them. `/memory edit` opens the first one in your editor.');
const UNREAD_MEMORY = withStyle('yellow', 'The model reads them only in a trusted folder: `tidemark trust` asks.');

/** Opens a memory file in the editor of the user. An editor creates the file if there is none. */
async function editMemory(path: string, { controller, editFile }: SlashPlace): Promise<void> {
  await makeFolder(dirname(path));
  let isEdited = false;
  await controller.runProgram(async () => {
    const problem = await editFile(path);
    isEdited = problem === undefined;
    if (problem !== undefined) throw new CliError('cli/refused', problem, 'set VISUAL or EDITOR to your editor');
  });
  if (isEdited) controller.print([`The model sees a change of ${path} with the next prompt, in a trusted folder.`]);
}

const THEMES = [
  ['dark', 'colours for a dark background'],
  ['light', 'colours for a light background'],
  ['none', 'no colours'],
] as const;

const theme: SlashCommand = {
  name: 'theme',
  group: 'terminal',
  summary: 'set the colours until the end of the terminal: dark, light or none',
  argument: '[theme]',
  complete: async () => THEMES.map(([name]) => name),
  async run({ words }, { controller, context }) {
    requireFewWords('theme', words, 1);
    const [typed] = words;
    // A terminal without colours stays without colours.
    const current = context.output.colour ? (controller.state.get().theme ?? 'dark') : 'none';
    const name =
      typed === undefined
        ? await chooseValue(['Which colours?'], { values: THEMES, current }, controller)
        : THEMES.find(([known]) => known === typed)?.[0];
    if (name === undefined && typed === undefined) return;
    if (name === undefined)
      throw new CliError('cli/usage', `there is no theme ${JSON.stringify(typed)}`, 'use dark, light or none');
    controller.state.set({ ...controller.state.get(), theme: name });
    controller.print([
      `The theme is ${name} until the end of the terminal. \`display.theme\` in your settings keeps it. Text that was printed before keeps its colours.`,
    ]);
  },
};

const quit: SlashCommand = {
  name: 'quit',
  group: 'terminal',
  summary: 'leave the terminal; the session is kept',
  async run(_, { controller }) {
    controller.leave();
  },
};

/** Slash commands about the terminal and the work of the session. */
export const INFORMATION_COMMANDS: readonly SlashCommand[] = [agents, memory, exportSession, copy, theme, quit];
