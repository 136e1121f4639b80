// Lines of a call that has ended: one line with its outcome, and below it a diff, an error or a plan.

import type { Shown, Style } from '../../frame/shown.ts';
import { withStyle } from '../../frame/shown.ts';
import { duration } from '../../present/tool-line.ts';
import type { OutputExcerpt, PlannedTask, PrintedCall } from '../state/blocks.ts';
import { diffLines } from './diff-lines.ts';
import type { Line } from '../state/line.ts';

/** Lines of a diff that are shown in the conversation. */
const DIFF_LINES = 40;

const OUTCOME_STYLES = {
  ok: 'green',
  failed: 'red',
  denied: 'yellow',
  interrupted: 'yellow',
  unstarted: 'yellow',
  crashed: 'yellow',
} as const;

/** Words for the end of a call without a result. */
export const UNFINISHED_WORDS = {
  unstarted: 'not started: the turn ended',
  crashed: 'not finished: the process ended',
} as const;

/** Returns the lines of a call that has ended. With `whole`, the whole diff is shown. */
export function callLines(call: PrintedCall, whole = false): readonly Line[] {
  const { diff, excerpt, plan } = call;
  return [
    titleLine(call),
    ...(diff === undefined ? [] : diffLines(diff, whole ? Infinity : DIFF_LINES, 'Ctrl-O shows all').map(belowTitle)),
    ...(excerpt === undefined ? [] : excerptLines(excerpt)),
    ...(plan ?? []).map(taskLine),
  ];
}

/** Returns the first line of a call that has ended: its name, its outcome and its facts. */
export function titleLine({ title, outcome, denial, fact, durationMs, exit }: PrintedCall): Line {
  const failed = outcome !== 'ok' || (exit !== undefined && exit !== 0);
  const style = failed && outcome === 'ok' ? 'yellow' : OUTCOME_STYLES[outcome];
  // The exit code of an interrupted command is that of the signal that ended it.
  const hasExit = exit !== undefined && exit !== 0 && outcome !== 'interrupted';
  const words = outcome === 'unstarted' || outcome === 'crashed' ? UNFINISHED_WORDS[outcome] : outcome;
  const facts = [
    ...(outcome === 'ok' || (outcome === 'failed' && hasExit) ? [] : [denial ?? words]),
    ...(fact === undefined ? [] : [fact]),
    ...(hasExit ? [`exit ${exit}`] : []),
    ...(durationMs === undefined ? [] : [duration(durationMs)]),
  ];
  return {
    lead: withStyle(style, failed ? '✗ ' : '✓ '),
    hang: '  ',
    words: [title, withStyle(failed ? style : 'dim', facts.length === 0 ? '' : `  ${facts.join(', ')}`)],
  };
}

function excerptLines({ lines, left, leftOut }: OutputExcerpt): readonly Line[] {
  const note = left === 0 ? [] : [withStyle('dim', `… ${left} more line${left === 1 ? '' : 's'}, Ctrl-O shows all`)];
  const shown = lines.map((line) => withStyle('dim', line));
  // The end of an output keeps its form. An error consists of sentences.
  if (leftOut === 'before') return [...note, ...shown].map(belowTitle);
  return [...shown.map((line) => (/^\s/.test(line.text) ? belowTitle(line) : sentence(line))), ...note.map(sentence)];
}

function sentence(words: Shown): Line {
  return { lead: '  ', hang: '  ', words };
}

function belowTitle(words: Shown): Line {
  return { lead: '  ', hang: '  ', words, wrap: 'characters' };
}

const TASK_SIGNS: Readonly<Record<PlannedTask['status'], readonly [string, Style | undefined]>> = {
  done: ['✓', 'green'],
  active: ['●', 'yellow'],
  open: ['○', undefined],
  dropped: ['✗', 'dim'],
};

function taskLine({ task, status }: PlannedTask): Line {
  const [sign, style] = TASK_SIGNS[status];
  const isOver = status === 'done' || status === 'dropped';
  return {
    lead: ['  ', style === undefined ? sign : withStyle(style, sign), ' '],
    hang: '    ',
    words: isOver ? withStyle('dim', status === 'dropped' ? `${task} (dropped)` : task) : task,
  };
}
