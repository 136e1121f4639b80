// Reports the end of a turn, as text for people or as one object for programs, and returns the exit code of the turn.

import { defined } from '@tidemark/core';
import type { FinishedTurn } from '@tidemark/kit';
import type { SessionId, SubagentEnded, TurnTotals } from '@tidemark/log';
import { sumOfMoney } from '@tidemark/model';

import type { ExitCode } from '../frame/exit-codes.ts';
import { EXIT } from '../frame/exit-codes.ts';
import { formatCount, dollars } from '../frame/numbers.ts';
import type { CommandOutput } from '../frame/output.ts';
import type { SeenTokens } from './seen-tokens.ts';
import { tokensInWords } from './seen-tokens.ts';
import type { Shown } from '../frame/shown.ts';
import { withStyle } from '../frame/shown.ts';

/** Turn that has ended, with its tokens and subagents. */
export interface EndedTurn {
  readonly session: SessionId;
  readonly finished: FinishedTurn;
  readonly tokens: SeenTokens;
  readonly subagents?: readonly SubagentEnded[];
}

const EXITS: Readonly<Record<FinishedTurn['outcome'], ExitCode>> = {
  completed: EXIT.ok,
  limited: EXIT.difference,
  failed: EXIT.provider,
  interrupted: EXIT.interrupted,
};

/** Reports how the turn ended. The text for people goes to stderr, because stdout contains only the answer. */
export function reportTurn(ended: EndedTurn, output: CommandOutput): ExitCode {
  const { session, finished, tokens } = ended;
  const { outcome, error, totals, text } = finished;
  const ok = outcome === 'completed';
  if (output.json) {
    output.result(defined({ ok, session, outcome, text, totals, tokens, error }), () => '');
  } else {
    output.note(forPeople(ended));
  }
  return EXITS[outcome];
}

function forPeople({ session, finished, tokens, subagents = [] }: EndedTurn): Shown {
  const { outcome, error, totals } = finished;
  const ok = outcome === 'completed';
  return [
    ...(error === undefined ? [] : [outcome === 'failed' ? withStyle('red', 'error') : withStyle('yellow', 'notice')]),
    ...(error === undefined ? [] : [`: ${error.message}\nnext: ${error.next}\n`]),
    withStyle(ok ? 'green' : 'yellow', outcome),
    `: ${formatCount(totals.steps, 'step')}, ${formatCount(totals.calls, 'tool call')}; `,
    `tokens: ${tokensInWords(tokens)}; `,
    costInWords(totals),
    forSubagents(subagents),
    '\nsession ',
    withStyle('cyan', session),
    ok ? '; continue with `tidemark --continue "…"`' : '; continue with `tidemark resume`',
  ];
}

/**
 * Returns the part of the turn's cost that its subagents caused, such as `, $0.0050 of it for 2 subagents`. If a cost
 * is unknown, returns only the number of subagents. Without subagents, returns an empty string. The subagents' tokens
 * are counted in their own sessions.
 */
export function forSubagents(subagents: readonly Pick<SubagentEnded, 'cost'>[]): string {
  if (subagents.length === 0) return '';
  const costs = subagents.flatMap(({ cost }) => (cost === undefined ? [] : [cost]));
  const who = formatCount(subagents.length, 'subagent');
  if (costs.length < subagents.length) return `, including ${who}`;
  return `, ${dollars(sumOfMoney(costs))} of it for ${who}`;
}

/** Returns the cost of a turn. If it is unknown, returns the upper bound, if that is known. */
export function costInWords({ cost, taken }: Pick<TurnTotals, 'cost' | 'taken'>): string {
  if (cost !== undefined || taken?.cost === undefined) return dollars(cost);
  return `cost unknown, at most about ${dollars(taken.cost)}`;
}
