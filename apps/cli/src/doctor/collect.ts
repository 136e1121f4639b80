// Removes the artifacts and the kept contents of changed files that no log in a home refers to, and reports the freed space.

import type { FileTally } from '@tidemark/store-ndjson';
import { collectGarbage } from '@tidemark/store-ndjson';

import type { CommandContext, CommandOutcome } from '../frame/command.ts';
import { plainSize } from '../frame/plain-size.ts';

/**
 * Removes the unused artifacts. Young artifacts are not removed, because a running session may still use them. With
 * `dryRun`, only reports which artifacts would be removed.
 */
export async function collect(dryRun: boolean, context: CommandContext): Promise<CommandOutcome> {
  const { removed, young, named, undo } = await collectGarbage({ home: context.home }, { dryRun });
  context.output.result({ dryRun, removed, young, named, undo }, () => [
    `${dryRun ? 'would remove' : 'removed'} ${tallyText(removed)} that no log names; `,
    `${dryRun ? 'would keep' : 'kept'} ${tallyText(named)} that a log names`,
    ...(young.files === 0 ? [] : [`, and ${tallyText(young)} that a running session may still name`]),
    ...(undo.removed.files === 0 ? [] : [`, ${dryRun ? 'and would remove' : 'and removed'} ${undoText(undo.removed)}`]),
  ]);
  return undefined;
}

function undoText({ files, bytes }: FileTally): string {
  return `${files} content${files === 1 ? '' : 's'} of changed files (${plainSize(bytes)}) that no log names, or of sessions that did not change for 30 days`;
}

function tallyText({ files, bytes }: FileTally): string {
  return `${files} artifact${files === 1 ? '' : 's'} (${plainSize(bytes)})`;
}
