// `/processes`: lists the background processes of the session, shows the output of one while it grows, and stops one.

import type { AgentSession } from '@tidemark/kit';

import { CliError } from '../../frame/failure.ts';
import { formatNumber } from '../../frame/numbers.ts';
import { plainText } from '../../frame/plain-text.ts';
import type { Shown } from '../../frame/shown.ts';
import { withStyle } from '../../frame/shown.ts';
import { processEnd } from '../../present/process-line.ts';
import { linesSource } from '../control/line-sources.ts';
import { codeLine } from '../state/line.ts';
import type { ViewerEntry } from '../state/viewer-entry.ts';
import { showLines } from './shown-lines.ts';
import type { SlashCommand, SlashPlace } from './slash-command.ts';

type ShownProcess = ReturnType<AgentSession['processes']['list']>[number];

/** Slash command `/processes`. */
export const processesCommand: SlashCommand = {
  name: 'processes',
  group: 'session',
  summary: 'list the background processes of this session, show the output of one, or stop one',
  argument: '[stop] [process]',
  complete: async (place) => {
    const listed = listedIn(place);
    return [...listed.map(({ id }) => id), ...listed.filter(({ running }) => running).map(({ id }) => `stop ${id}`)];
  },
  async run({ words }, place) {
    const isStop = words[0] === 'stop';
    const id = words[isStop ? 1 : 0];
    if (words.length > (isStop ? 2 : 1) || (isStop && id === undefined))
      throw new CliError('cli/usage', '/processes takes one process', 'write `/processes p1` or `/processes stop p1`');
    if (id === undefined) return showLines('/processes', listLines(listedIn(place)), place);
    const { session, process } = processNamed(id, place);
    if (!isStop) return place.controller.viewEntries([outputEntry(session, process)], 0);
    const ended = process.running ? await session.processes.stop(id) : undefined;
    place.controller.print([ended === undefined ? `${id} had already ended.` : `${id} ${stateText(ended)}.`]);
  },
};

function listedIn({ controller }: SlashPlace): readonly ShownProcess[] {
  return controller.session()?.processes.list() ?? [];
}

function processNamed(
  id: string,
  { controller }: SlashPlace,
): { readonly session: AgentSession; readonly process: ShownProcess } {
  const session = controller.session();
  const process = session?.processes.list().find((one) => one.id === id);
  if (session !== undefined && process !== undefined) return { session, process };
  throw new CliError('cli/not-found', `this session has no process ${id}`, '`/processes` lists them');
}

function listLines(listed: readonly ShownProcess[]): readonly Shown[] {
  if (listed.length === 0) return ['This session has no background processes.'];
  return listed.flatMap((process) => [
    [
      withStyle(process.running ? 'green' : 'dim', process.id),
      `  ${stateText(process)}, ${formatNumber(process.bytes)} bytes of output`,
    ],
    withStyle('dim', `  ${shortLine(process.command)}`),
  ]);
}

function stateText(process: ShownProcess): string {
  return process.running ? 'runs' : processEnd(process);
}

/** Longest command in a line, in characters. */
const LONGEST_COMMAND = 200;

function shortLine(command: string): string {
  const text = plainText(command).replaceAll(/\s+/g, ' ').trim();
  return text.length <= LONGEST_COMMAND ? text : `${text.slice(0, LONGEST_COMMAND)}…`;
}

/** Time between two looks at a growing output, in milliseconds. */
const LOOK_MS = 300;

/** Returns the output as an entry of the viewer. While it is shown, new output appears at its end. */
function outputEntry(session: AgentSession, { id, command }: ShownProcess): ViewerEntry {
  return {
    title: `${id} ${shortLine(command)}`,
    async open() {
      const output = await session.processes.read(id);
      const lines = plainText(output?.text ?? '').split('\n');
      return linesSource((lines.at(-1) === '' ? lines.slice(0, -1) : lines).map(codeLine));
    },
    watch(changed) {
      let before = stateOf(session, id);
      const timer = setInterval(() => {
        const now = stateOf(session, id);
        if (now === before) return;
        before = now;
        changed();
      }, LOOK_MS);
      return () => clearInterval(timer);
    },
  };
}

function stateOf(session: AgentSession, id: string): string {
  const process = session.processes.list().find((one) => one.id === id);
  return `${process?.bytes} ${process?.running}`;
}
