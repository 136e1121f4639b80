// A folder to work in, a home to keep sessions in, and the simulator's answers in a file.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Scenario, ScenarioStep, PlannedAnswer } from '@tidemark/simulator';

/** Where a test plays. */
export interface Stage {
  /** The folder that the agent works in. */
  readonly folder: string;
  readonly home: string;
  /** Writes a file into the folder. */
  write(name: string, text: string): void;
  /** Writes a scenario beside the folder, and tells its path. */
  scenario(...steps: readonly ScenarioStep[]): string;
  clear(): void;
}

/** A stage of its own. */
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
    clear: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** An answer that makes one call. */
export function calls(name: string, input: Readonly<Record<string, unknown>>, text?: string): PlannedAnswer {
  return { calls: [{ name, arguments: input }], ...(text !== undefined && { text }) };
}
