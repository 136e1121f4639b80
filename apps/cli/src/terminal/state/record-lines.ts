// Lines for records that are neither a prompt, an answer nor a call: epochs, compactions, settings, subagents.

import { defined } from '@tidemark/core';

import { dollars, formatCount, formatNumber } from '../../frame/numbers.ts';
import type { Shown } from '../../frame/shown.ts';
import { withStyle } from '../../frame/shown.ts';
import type { Recorded, RecordedOf } from '@tidemark/log';
import { refusalInWords } from '../../reports/compaction-report.ts';
import { epochLine } from '../../present/epoch-line.ts';
import { processLine } from '../../present/process-line.ts';
import { chosenLine, taskLine } from '../../present/subagent-lines.ts';
import type { TurnTally } from './turn-tally.ts';
import { turnEndLines } from './turn-tally.ts';

/** Facts of earlier records that the lines need. */
export interface EarlierRecords {
  readonly tally: TurnTally;
  /** Model of the current epoch. Absent before the first epoch. */
  readonly model?: string;
  /** Permission mode so far. Absent before the first one. */
  readonly mode?: string;
  /** True if a notice has already reported that the next request is written again. */
  readonly rewriteReported: boolean;
}

/** Returns the lines for a record. Records that a person does not need have none. */
export function recordLines(record: Recorded, earlier: EarlierRecords): readonly Shown[] {
  switch (record.kind) {
    case 'turn.ended':
      return turnEndLines(record, earlier.tally);
    case 'turn.resumed':
      return [withStyle('dim', 'the turn is resumed')];
    case 'epoch.opened':
      return epochLines(record, earlier);
    case 'history.compacted':
      return [compactionLine(record)];
    case 'compaction.refused':
      return [[withStyle('yellow', 'not compacted'), `: ${refusalInWords(record.data.reason)}`]];
    case 'history.pruned':
      return [prunedLine(record)];
    case 'branch.summarized':
      return [withStyle('dim', 'the model has a summary of the branch that was left')];
    case 'mode.changed':
      // The first mode of a session is not a change.
      return earlier.mode === undefined || earlier.mode === record.data.mode
        ? []
        : [[withStyle('dim', 'mode'), `: ${record.data.mode}`]];
    case 'agent.chosen':
      return [withStyle('dim', chosenLine(record.data))];
    case 'reasoning.set':
      return [[withStyle('dim', 'reasoning'), `: ${settingsInWords(record.data.parameters)}`]];
    case 'skill.loaded':
      return [withStyle('dim', `skill ${record.data.name} loaded, about ${formatNumber(record.data.tokens)} tokens`)];
    case 'tools.changed':
      return [withStyle('dim', toolsInWords(record))];
    case 'memory.changed':
      return [withStyle('dim', `memory: ${record.data.operation} in ${record.data.file}`)];
    case 'process.started':
    case 'process.ended':
      return [processLine(record)];
    case 'notification.received':
      return [
        [withStyle('dim', `notification from ${record.data.source}`), `: ${record.data.body.split('\n', 1)[0] ?? ''}`],
      ];
    case 'block.quarantined':
      return [[withStyle('yellow', 'notice'), `: a part of the history is left out: ${record.data.reason}`]];
    default:
      return subagentLines(record, earlier.tally);
  }
}

/** Returns lines about a new epoch: its model, if that changes, and its cause and price, if much is written again. */
function epochLines(
  { data }: RecordedOf<'epoch.opened'>,
  { model, rewriteReported }: EarlierRecords,
): readonly Shown[] {
  const line = rewriteReported ? undefined : epochLine(data);
  return [
    ...(model === undefined || model === data.model
      ? []
      : [[withStyle('dim', 'model'), `: ${data.model} (${data.provider})`]]),
    ...(line === undefined ? [] : [line]),
  ];
}

function compactionLine({ data }: RecordedOf<'history.compacted'>): Shown {
  const { range, strategy, before, after } = data;
  const sizes =
    before === undefined || after === undefined
      ? ''
      : `, about ${formatNumber(before)} tokens before and ${formatNumber(after)} after`;
  return [
    withStyle('cyan', 'compacted'),
    `: a checkpoint replaces the records ${range.from} to ${range.to} (${strategy})${sizes}; Ctrl-T shows them`,
  ];
}

function prunedLine({ data }: RecordedOf<'history.pruned'>): Shown {
  const count = formatCount(data.results?.length ?? data.calls.length, 'old tool result');
  const price = data.cost === undefined ? '' : `, ${dollars(data.cost)}`;
  return [withStyle('cyan', 'pruned'), `: ${count} shortened, about ${formatNumber(data.freed)} tokens freed${price}`];
}

function settingsInWords(parameters: object): string {
  return Object.entries(parameters)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}

function toolsInWords({ data }: RecordedOf<'tools.changed'>): string {
  const added = data.added.map(({ name }) => `+${name}`);
  return `tools: ${[...added, ...data.removed.map((name) => `-${name}`)].join(' ')}`;
}

function subagentLines(record: Recorded, { subagents }: TurnTally): readonly Shown[] {
  if (record.kind === 'subagent.started') {
    const { child, role, task, agent, model } = record.data;
    return [withStyle('dim', taskLine(defined({ child, role, task, agent: agent?.name, model })))];
  }
  if (record.kind !== 'subagent.ended') return [];
  const ended = subagents.find(({ child }) => child === record.data.child);
  return ended === undefined ? [] : [withStyle('dim', taskLine(ended))];
}
