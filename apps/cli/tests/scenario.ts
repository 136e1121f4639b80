// Provides a folder to work in, a home for sessions, and scenario files for the simulator.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Scenario, ScenarioStep, PlannedAnswer } from '@tidemark/simulator';

/** Folders and files of a test. */
export interface Stage {
  /** Folder that the agent works in. */
  readonly folder: string;
  readonly home: string;
  write(name: string, text: string): void;
  /** Writes a scenario file outside the folder and returns its path. */
  scenario(...steps: readonly ScenarioStep[]): string;
  clear(): void;
}

/** Creates the folders of one test. */
export function openStage(): Stage {
  const root = mkdtempSync(join(tmpdir(), 'tidemark-stage-'));
  const folder = join(root, 'shop');
  mkdirSync(folder);
  let scenarios = 0;
  return {
    folder,
    home: join(root, 'home'),
    write: (name, text) => writeFileSync(join(folder, name), text),
    scenario(...steps) {
      const path = join(root, `scenario-${(scenarios += 1)}.json`);
      const scenario: Scenario = { steps };
      writeFileSync(path, JSON.stringify(scenario));
      return path;
    },
    clear: () => rmSync(root, { recursive: true, force: true, maxRetries: 10 }),
  };
}

/** Returns an answer that makes one call. */
export function calls(name: string, input: Readonly<Record<string, unknown>>, text?: string): PlannedAnswer {
  return { calls: [{ name, arguments: input }], ...(text !== undefined && { text }) };
}
