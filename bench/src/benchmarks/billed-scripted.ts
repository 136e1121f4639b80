// Measures the billed input of scripted sessions, in units of the base input price.

import type { Benchmark, Measured } from '../benchmark.ts';
import { largest } from '../figures.ts';
import { scriptedSessions } from '../scripted-sessions.ts';

export const benchmark: Benchmark = {
  name: 'billed-scripted',
  against: 'every new token written once, every old one read; the worst session',
  target: 1.02,
  run,
};

async function run(): Promise<Measured> {
  const sessions = await scriptedSessions();
  const ratios = sessions.map(({ name, driven: { bill } }) => [name, bill.billed.div(bill.ideal).toNumber()] as const);
  return { ratio: largest(ratios.map(([, ratio]) => ratio)), details: Object.fromEntries(ratios) };
}
