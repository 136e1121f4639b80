// The simulator as the command line runs it: with the shipped catalog, and answers from a file where one is named.

import { defined } from '@tidemark/core';
import { readRegularFile } from '@tidemark/files';
import { parseJson } from '@tidemark/log';
import type { ListeningSimulator, SimulatorOptions } from '@tidemark/simulator';
import { createSimulator, parseScenario } from '@tidemark/simulator';

import { CliError } from '../frame/failure.ts';

/** What to run. */
export interface SimulatorChoice {
  /** 0 is any free one. */
  readonly port: number;
  /** Names that clients may use in addition to those of loopback. */
  readonly allowedHosts?: readonly string[];
  /** A JSON script of answers. */
  readonly scenario?: string;
  readonly settings?: Pick<SimulatorOptions, 'capabilities' | 'clock' | 'recordedSignatures'>;
}

/** Largest scenario, in bytes. */
const MOST_BYTES = 256 * 1_024 * 1_024;

/** Opens a port. @throws CliError `cli/refused` for a scenario that is no JSON. @throws SimulatorError for a wrong one. */
export async function openSimulator({
  port,
  allowedHosts = [],
  scenario,
  settings,
}: SimulatorChoice): Promise<ListeningSimulator> {
  const simulator = createSimulator({
    ...settings,
    ...defined({ scenario: scenario === undefined ? undefined : parseScenario(await readJson(scenario)) }),
  });
  return simulator.listen({ port, allowedHosts });
}

async function readJson(path: string): Promise<unknown> {
  const text = (await readRegularFile(path, { most: MOST_BYTES })).toString('utf8');
  try {
    return parseJson(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliError('cli/refused', `${path} is not JSON: ${reason}`, 'mend the file', error);
  }
}
