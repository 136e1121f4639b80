// Context source `processes`: notes the background processes of the session. It informs the model about ends that no
// result reported, and keeps the running processes known after a compaction.

import type { ContextSource, LoggedProcess, SourceView } from '@tidemark/agent';
import { PROCESSES } from '@tidemark/agent';
import { shortCommand } from '../bash/describe-end.ts';
import type { Background } from './create-background.ts';
import { describeState } from './describe-process.ts';

/**
 * Creates the source. Its revision lists the ids and states. If results have already informed the model about every
 * change since the last note, the revision stays that of the last note.
 */
export function processesSource(background: Pick<Background, 'isReported'>): ContextSource {
  const isNews = ({ session }: SourceView, { process }: LoggedProcess): boolean =>
    !background.isReported(session, process);
  return {
    name: PROCESSES,
    urgent: 'always',
    revision(view) {
      const { processes, noted } = view;
      const hasNews = processes.some((process) => isNews(view, process));
      if (noted !== undefined && !hasNews) return noted;
      const shown = processes.filter((process) => process.ended === undefined || isNews(view, process));
      return shown.length === 0 ? undefined : shown.map(stateOf).join(' ');
    },
    render(view) {
      const running = view.processes.filter(({ ended }) => ended === undefined);
      const ended = view.processes.filter((process) => process.ended !== undefined && isNews(view, process));
      const none = 'No background process runs.';
      const list = running.map(({ process, command }) => `${process} runs: ${shortCommand(command)}`);
      return [...ended.map(endLine), ...(list.length === 0 ? [none] : ['Background processes:', ...list])].join('\n');
    },
    affectedBy: () => true,
  };
}

function stateOf({ process, ended }: LoggedProcess): string {
  if (ended === undefined) return process;
  return `${process}:${ended.exit ?? ended.signal ?? ended.by}`;
}

const CAUSES: Readonly<Record<NonNullable<LoggedProcess['ended']>['by'], string>> = {
  itself: '',
  model: '',
  user: ' (stopped by the user)',
  session: ' (the session was closed)',
  lost: ' (the program that ran it ended)',
};

function endLine({ process, command, ended }: LoggedProcess): string {
  const { exit, signal, by = 'itself' } = ended ?? {};
  const state = describeState({
    running: false,
    ...(exit !== undefined && { exit }),
    ...(signal !== undefined && { signal }),
  });
  return `${process} ${state}${CAUSES[by]}: ${shortCommand(command)}`;
}
