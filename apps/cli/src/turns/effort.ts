// The reasoning effort of a run: checked against the model, and set only if it changes.

import type { Capabilities } from '@tidemark/model';
import { effortsOf } from '@tidemark/model';

import type { AgentFlags } from '../arguments/agent-flags.ts';
import type { ChosenSession } from '../arguments/choose-session.ts';
import type { CommandContext } from '../frame/command.ts';
import { CliError } from '../frame/failure.ts';
import { withStyle } from '../frame/shown.ts';

/** Returns the flags without an effort that the session already has. Setting it again would only add a record. */
export function withoutKeptEffort(flags: AgentFlags, session: ChosenSession | undefined): AgentFlags {
  if (flags.effort === undefined || flags.effort !== session?.effort) return flags;
  const { effort: _kept, ...rest } = flags;
  return rest;
}

/**
 * Returns the effort to set, or `undefined` if there is none. An effort of the settings that the model does not have is
 * reported and not set.
 *
 * @throws CliError `cli/usage` for an effort of the command line that the model does not have.
 */
export function effortFor(
  row: Capabilities,
  { flags: { effort } }: { readonly flags: AgentFlags },
  typed: boolean,
  { output }: CommandContext,
): string | undefined {
  const known = effortsOf(row);
  if (effort === undefined || known?.includes(effort) === true) return effort;
  const problem =
    known === undefined
      ? `the values of the reasoning effort of ${row.model} are unknown`
      : known.length === 0
        ? `${row.model} has no reasoning effort`
        : `${row.model} does not have the effort "${effort}"`;
  const next = known === undefined || known.length === 0 ? 'remove it' : `use one of ${known.join(', ')}`;
  if (typed) throw new CliError('cli/usage', problem, next === 'remove it' ? 'remove `--effort`' : next);
  output.note([withStyle('yellow', 'notice'), `: the setting effort is not used, because ${problem}: ${next}`]);
  return undefined;
}
