import { defineConfig } from 'vitest/config';

/**
 * Files take turns in a process, and share its modules: to load them anew for each took a quarter of the time. A file leaves
 * no global changed behind it.
 */
const isolate = false;

/** Tests of the command that start processes. */
const COMMAND = 'apps/cli/**/*.int.test.ts';

export default defineConfig({
  test: {
    // One for each core: by default one is left idle, and of two that is half the machine.
    maxWorkers: '100%',
    globalSetup: 'tests/global-setup.ts',
    projects: [
      {
        test: {
          name: 'rooms',
          include: [
            '{packages,stores,providers,tools,apps,examples}/*/{src,tests,contract}/**/*.test.ts',
            '{bench,scripts}/**/*.test.ts',
          ],
          exclude: ['**/node_modules/**', COMMAND],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          isolate,
        },
      },
      {
        test: {
          name: 'architecture',
          include: ['tests/architecture/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          isolate,
        },
      },
      {
        test: {
          name: 'whole',
          include: ['tests/{laws,crash,corpus,scenarios}/**/*.test.ts'],
          testTimeout: 240_000,
          hookTimeout: 240_000,
          isolate,
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
        },
      },
    ],
  },
});
