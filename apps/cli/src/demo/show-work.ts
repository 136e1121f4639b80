// The demo as it goes: what the agent says, a line for each call to the model, a line for each tool run.

import type { SessionEvent } from '@tidemark/kit';
import type { AnswerPart, Recorded } from '@tidemark/log';
import type { Capabilities } from '@tidemark/model';
import { writtenTokens } from '@tidemark/model';
import type { LedgerCall } from '@tidemark/simulator';

import { grouped } from '../numbers.ts';
import type { Output } from '../output.ts';
import { plainText } from '../plain-text.ts';
import type { Shown } from '../shown.ts';
import { styled } from '../shown.ts';
import { callTitle } from '../tool-line.ts';
import { sumOfCall } from './sum-up.ts';

/** Shows the work. */
export interface Sight {
  /** One event of the agent. */
  show(event: SessionEvent): void;
  /** The agent was killed under this call. */
  killed(call: LedgerCall): void;
}

const COLUMNS = [
  ['call', 4],
  ['read', 7],
  ['written', 7],
  ['fresh', 5],
  ['paid', 8],
] as const;

/** Prints the head of the table. */
export function openSight(output: Output, calls: readonly LedgerCall[], capabilities: Capabilities): Sight {
  output.line([styled('dim', row(COLUMNS.map(([name]) => name)))]);
  const titles = new Map<string, string>();
  const show = (call: LedgerCall | undefined, note: readonly Shown[]): void => {
    if (call !== undefined) showCall(output, calls.indexOf(call), call, capabilities, note);
  };
  return {
    show(event) {
      if (event.type !== 'recorded') return;
      const { record } = event;
      if (record.kind === 'answer.received') {
        show(calls.at(-1), [firstLine(record.data.parts)]);
        for (const part of record.data.parts)
          if (part.type === 'call') titles.set(part.call, callTitle(part.name, part.arguments));
      }
      const ended = endOf(record);
      if (ended !== undefined)
        output.line([' '.repeat(9), styled('dim', titles.get(ended.call) ?? ended.call), ended.how]);
    },
    killed: (call) => {
      show(call, [styled('yellow', 'killed (SIGKILL) while the answer was on its way')]);
      output.line([
        ' '.repeat(9),
        styled('yellow', '`tidemark resume`, in another process, sends the same bytes again'),
      ]);
    },
  };
}

function showCall(
  output: Output,
  index: number,
  call: LedgerCall,
  capabilities: Capabilities,
  note: readonly Shown[],
): void {
  const sum = sumOfCall(call, capabilities);
  const { read = 0, fresh = 0, writes = [] } = sum?.usage ?? {};
  const cost = sum?.cost === undefined ? '?' : `$${Number(sum.cost).toFixed(4)}`;
  const value = { call: index, read, written: writtenTokens(writes), fresh, cost: sum?.cost ?? null };
  const cells = [String(index), grouped(read), grouped(value.written), grouped(fresh), cost];
  output.event(value, () => [row(cells), '  ', ...note]);
}

function row(cells: readonly string[]): string {
  return cells.map((cell, index) => cell.padStart(COLUMNS[index]?.[1] ?? 0)).join('  ');
}

function firstLine(parts: readonly AnswerPart[]): string {
  const text = parts.find((part) => part.type === 'text')?.text ?? '';
  return plainText(text);
}

function endOf(record: Recorded): { readonly call: string; readonly how: Shown } | undefined {
  switch (record.kind) {
    case 'tool.returned':
      return { call: record.data.call, how: exitOf(record.data.exit) };
    case 'tool.failed':
      return { call: record.data.call, how: [styled('red', ': failed'), exitOf(record.data.exit)] };
    case 'tool.abandoned':
      return { call: record.data.call, how: styled('yellow', `: ${record.data.reason}`) };
    default:
      return undefined;
  }
}

function exitOf(exit: number | undefined): Shown {
  return exit === undefined || exit === 0 ? '' : styled('yellow', ` (exit ${exit})`);
}
