// Restores files for the server, with the same code as `tidemark rewind --files`.

import { planRestore, restoreDiff, restoreFile } from '@tidemark/kit';
import type { RestorableFile } from '@tidemark/kit';
import type { FileRestorer } from '@tidemark/server';
import { ServerError } from '@tidemark/server';

import type { CommandContext } from '../frame/command.ts';
import { callTitle } from '../present/tool-line.ts';
import { restoreOptions } from '../turns/restore-files.ts';

/** Creates the restorer of a server. The rules for paths are those of the tools of the session. */
export function createFileRestorer(context: CommandContext): FileRestorer {
  return async (plan, signal) => {
    const options = await restoreOptions(plan, { ...context, signal });
    const { files, calls } = options === undefined ? { files: [], calls: [] } : await planRestore(options);
    const use = async <Result>(
      path: string,
      work: (file: RestorableFile, how: NonNullable<typeof options>) => Promise<Result>,
    ): Promise<Result> => {
      const file = files.find((one) => one.path === path);
      if (file !== undefined && options !== undefined) return work(file, options);
      throw new ServerError('server/no-such-file', `${path} is not a changed file`, 'read the plan of the rewind');
    };
    return {
      files: files.map(({ path, state, reason, before }) => ({ path, state, reason, deletes: before === 'absent' })),
      calls: calls.map(({ session, tool, arguments: text }) => ({ session, tool, title: callTitle(tool, text) })),
      diff: (path) => use(path, restoreDiff),
      restore: (path) => use(path, restoreFile),
    };
  };
}
