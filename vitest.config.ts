import { availableParallelism } from 'node:os';

import { defineConfig } from 'vitest/config';
import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

/**
 * The files of a worker run one after the other and share its loaded modules, because loading them again for each file
 * took a quarter of the time. A test file must therefore leave no global changed.
 */
const isolate = false;

/**
 * Options of the Node of each worker. A request of a long session makes megabytes of short-lived text, and the default
 * of 16 MB for young objects copies much of it before it can be freed.
 */
const execArgv = ['--max-semi-space-size=64'];

/** Tests of the command that start processes. */
const COMMAND = 'apps/cli/**/*.int.test.ts';

/** Tests that need a PostgreSQL server. */
const DATABASE = '{stores/postgres,packages/stores,packages/worker}/**/*.test.ts';

/**
 * The slowest files. They start first, so that no core is idle while the last file runs. Without this list, a new clone
 * starts files by size, and the tests that kill processes are short files.
 */
const SLOWEST =
  /\/(?:kill-session|kill-writer|provider-faults|races|drive-script|prunable|shared-transcripts)\.(?:int\.)?test\.ts$/;

class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort.call(this, files);
    const isSlow = ({ moduleId }: TestSpecification): boolean => SLOWEST.test(moduleId);
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))];
  }
}

export default defineConfig({
  test: {
    // More workers than cores, because a third of the time of the tests is waiting: for processes, sockets and files.
    maxWorkers: Math.ceil(1.5 * availableParallelism()),
    sequence: { sequencer: SlowestFirst },
    globalSetup: 'tests/global-setup.ts',
    projects: [
      {
        test: {
          name: 'rooms',
          include: [
            '{packages,stores,providers,tools,apps,examples}/*/{src,tests,contract}/**/*.test.ts',
            '{bench,scripts}/**/*.test.ts',
          ],
          exclude: ['**/node_modules/**', COMMAND, DATABASE],
          testTimeout: 240_000,
          hookTimeout: 240_000,
          isolate,
          execArgv,
        },
      },
      {
        test: {
          name: 'database',
          include: [DATABASE],
          globalSetup: 'stores/postgres/tests/start-server.ts',
          testTimeout: 240_000,
          hookTimeout: 240_000,
          isolate,
          execArgv,
        },
      },
      {
        test: {
          name: 'architecture',
          include: ['tests/architecture/**/*.test.ts'],
          testTimeout: 240_000,
          hookTimeout: 240_000,
          isolate,
          execArgv,
        },
      },
      {
        test: {
          name: 'whole',
          include: ['tests/{laws,crash,corpus,scenarios}/**/*.test.ts'],
          testTimeout: 240_000,
          hookTimeout: 240_000,
          isolate,
          execArgv,
        },
      },
      {
        test: {
          name: 'command',
          include: [COMMAND, 'tests/guides/**/*.test.ts'],
          globalSetup: 'tests/bundle-command.ts',
          testTimeout: 240_000,
          hookTimeout: 240_000,
          isolate,
          execArgv,
        },
      },
    ],
  },
});
