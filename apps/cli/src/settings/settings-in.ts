// Reads the settings for a workspace, including those settings of the workspace that the user allows. Each command that
// uses settings calls this first.

import { defined } from '@tidemark/core';
import type { WorkspaceContents, SettledSettings } from '@tidemark/settings';
import { readBrought, readSettings, SettingsError } from '@tidemark/settings';

import type { CommandContext } from '../frame/command.ts';
import { withStyle } from '../frame/shown.ts';
import { settingsRequest } from './own-settings.ts';
import { trustIn } from './trust-in.ts';

/** Settings that apply, and the user's trust in the contents of the workspace. */
export interface SettingsInForce extends SettledSettings {
  readonly trusted: boolean;
  /** Settings, skills and memory of the workspace. Absent if they cannot be read. */
  readonly brought?: WorkspaceContents;
}

/**
 * Returns the settings for a workspace. If necessary, asks the user for trust. With `trust`, the workspace is trusted
 * without a question.
 *
 * @throws SettingsError when the user's settings, or those of a trusted workspace, are invalid.
 */
export async function settingsIn(
  workspace: string,
  { trust }: { readonly trust?: true | undefined },
  context: CommandContext,
): Promise<SettingsInForce> {
  const brought = await broughtBy(workspace, trust === true, context);
  const trusted = brought !== undefined && (trust === true || (await trustIn(brought, context)));
  const settled = await readSettings({ ...settingsRequest(context), ...defined({ brought }), trusted });
  if (settled.problem !== undefined) noteProblem(settled.problem, context);
  return { ...settled, trusted, ...defined({ brought }) };
}

async function broughtBy(
  workspace: string,
  needed: boolean,
  context: CommandContext,
): Promise<WorkspaceContents | undefined> {
  try {
    return await readBrought(workspace);
  } catch (error) {
    if (needed || !(error instanceof SettingsError)) throw error;
    noteProblem(error, context);
    return undefined;
  }
}

function noteProblem({ message }: SettingsError, { output }: CommandContext): void {
  output.note([
    withStyle('yellow', 'notice'),
    `: the settings, skills and memory of this folder are not used: ${message}`,
  ]);
}
