// Opens the simulator for the command line, with the shipped catalog. The answers can come from a scenario file.

import { isUtf8 } from 'node:buffer';

import { defined } from '@tidemark/core';
import { readRegularFile } from '@tidemark/files';
import { parseJson } from '@tidemark/log';
import type { ListeningSimulator, Simulator, SimulatorOptions } from '@tidemark/simulator';
import { createSimulator, parseScenario } from '@tidemark/simulator';

import { CliError } from '../frame/failure.ts';

/** Options of the simulator. */
export interface SimulatorChoice {
  /** Port to listen on. 0 means any free port. */
  readonly port: number;
  /** Host names that clients are allowed to use in addition to the loopback names. */
  readonly allowedHosts?: readonly string[];
  /** Path of the scenario file, which contains the answers as JSON. */
  readonly scenario?: string;
  readonly settings?: Omit<SimulatorOptions, 'scenario'>;
}

const MAX_BYTES = 256 * 1_024 * 1_024;

/**
 * Opens the simulator on a port.
 *
 * @throws CliError `cli/refused` when the scenario is not JSON.
 * @throws SimulatorError when the scenario is invalid.
 */
export async function openSimulator(choice: SimulatorChoice): Promise<ListeningSimulator> {
  const { listening } = await startSimulator(choice);
  return listening;
}

/** Opens the simulator of a session. Its answers can come from a scenario file. */
export function openSessionSimulator(scenario: string | undefined): Promise<ListeningSimulator> {
  // A new simulator did not create the reasoning signatures of earlier runs. With `issued`, it accepts the recorded
  // signatures.
  const settings = { recordedSignatures: 'issued' } as const;
  return openSimulator(defined({ port: 0, settings, scenario }));
}

/** Simulator of a program with many sessions. They share its caches and its scenario. */
export interface SharedSimulator {
  /** Opens the simulator at the first call, and returns its URL. */
  url(): Promise<string>;
  close(): Promise<void>;
}

/** Creates a shared simulator, which is not open yet. */
export function createSharedSimulator(scenario: string | undefined): SharedSimulator {
  let opening: Promise<ListeningSimulator> | undefined;
  return {
    async url() {
      opening ??= openSessionSimulator(scenario);
      return (await opening).url;
    },
    close: async () => (await opening?.catch(() => undefined))?.close(),
  };
}

/**
 * Opens the simulator on a port, and returns it together with its server.
 *
 * @throws CliError `cli/refused` when the scenario is not JSON.
 * @throws SimulatorError when the scenario is invalid.
 */
export async function startSimulator({
  port,
  allowedHosts = [],
  scenario,
  settings,
}: SimulatorChoice): Promise<{ readonly simulator: Simulator; readonly listening: ListeningSimulator }> {
  const simulator = createSimulator({
    ...settings,
    ...defined({ scenario: scenario === undefined ? undefined : parseScenario(await readJson(scenario)) }),
  });
  return { simulator, listening: await simulator.listen({ port, allowedHosts }) };
}

async function readJson(path: string): Promise<unknown> {
  const bytes = await readRegularFile(path, { most: MAX_BYTES });
  if (!isUtf8(bytes)) throw new CliError('cli/refused', `${path} is not UTF-8`, 'save the file as UTF-8');
  try {
    // Editors on Windows write a byte order mark.
    return parseJson(bytes.toString('utf8').replace(/^\u{feff}/u, ''));
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ');
    throw new CliError('cli/refused', `${path} is not JSON: ${reason}`, 'fix the file', error);
  }
}
