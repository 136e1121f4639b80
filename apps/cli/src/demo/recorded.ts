// `tidemark demo --recorded`: replays a recorded coding session against the simulator, over HTTP and with the official
// SDK. Then it explains one break, rebuilds every request, and prints the cost of the same session without a cache.

import { createReadStream } from 'node:fs';

import { explainSession, verifySession } from '@tidemark/agent';
import type { SessionId } from '@tidemark/log';
import { defaultCatalog } from '@tidemark/model';
import type { DrivenCall, ReplayResult } from '@tidemark/recording';
import { importInto, replay, replayName } from '@tidemark/recording';
import { createMemoryStore } from '@tidemark/store-memory';
import type { NdjsonStore } from '@tidemark/store-ndjson';
import { inspectSession, openNdjsonStore } from '@tidemark/store-ndjson';

import type { CommandContext, CommandOutcome } from '../frame/command.ts';
import { inOwnFolder } from './own-folder.ts';
import { callRow, openCallTable } from './recorded-calls.ts';
import { openDemoServer } from './recorded-server.ts';
import { encoders } from '../reports/encoders.ts';
import { EXIT } from '../frame/exit-codes.ts';
import { formatNumber, percent } from '../frame/numbers.ts';
import { ownFile } from '../frame/own-file.ts';
import { withStyle } from '../frame/shown.ts';
import { describeExplanation } from '../reports/explanation.ts';

const RECORDING = ownFile('demo/recording.jsonl');

/** Runs the recorded demo. */
export async function driveRecording(context: CommandContext): Promise<CommandOutcome> {
  return inOwnFolder(false, (folder) => driveIn(folder, context));
}

async function driveIn(folder: string, context: CommandContext): Promise<CommandOutcome> {
  const server = await openDemoServer();
  try {
    const source = createMemoryStore();
    const { sessions } = await importInto(source, { open: () => createReadStream(RECORDING), source: 'the demo' });
    const target = openNdjsonStore({ home: folder });
    const { output } = context;
    output.line([
      withStyle('bold', 'A coding session of 14 calls'),
      `, replayed through the official SDK\nagainst the simulator at ${server.url}\n`,
    ]);
    const show = openCallTable(output);
    const onCall = (call: DrivenCall): void => output.event(callRow(call), () => show(call));
    const result = await replay({
      source,
      sessions,
      target,
      catalog: defaultCatalog(),
      name: replayName,
      server: () => server,
      // `5m` is the cache lifetime of the recording. The demo uses the same lifetime, so that it shows the recorded
      // breaks and their causes.
      ttl: '5m',
      onCall,
    });
    return await conclude(result, target, context);
  } finally {
    await server.close();
  }
}

async function conclude(result: ReplayResult, store: NdjsonStore, { output }: CommandContext): Promise<CommandOutcome> {
  const [session] = result.sessions;
  if (session === undefined) return EXIT.bug;
  await explainOne(session, store, output);
  const verified = await verifySession(store, session, { encoders });
  const { records, damage } = await inspectSession(store, session);
  const whole =
    verified.differences.length === 0 && damage === undefined && result.breaks.unlabelled === 0 && result.refused === 0;
  const { sessions: _sessions, ...figures } = result;
  const summary = {
    ok: whole,
    ...figures,
    verified: { records, requests: verified.requests, differences: verified.differences.length },
  };
  output.result(summary, () => [
    withStyle('bold', 'verify'),
    `  ${verified.requests} requests rebuilt from ${records} records, `,
    verified.differences.length === 0 ? 'all bytes identical\n\n' : withStyle('red', 'some differ\n\n'),
    withStyle('bold', 'cost'),
    `    ${formatNumber(result.billed)} for input, in tokens at the base price: ${percent(result.billed, result.uncached)} of uncached\n`,
    `        ${formatNumber(result.uncached)} uncached; ${formatNumber(result.recorded.billed)} were paid in the recording\n\n`,
    withStyle('bold', 'next'),
    '    with a transcript of your own:\n  npx tidemark replay <file>         its cost and its ideal cost\n  npx tidemark replay <file> --keep  also store the replayed session\n  npx tidemark why <session>         each break and miss, with cause and cost',
  ]);
  return whole ? undefined : EXIT.difference;
}

/** Prints the most expensive break, as `why` explains it. */
async function explainOne(session: SessionId, store: NdjsonStore, output: CommandContext['output']): Promise<void> {
  const { explained } = await explainSession(store, session, encoders);
  const broken = explained.filter((one) => one.opened !== undefined);
  const [dearest] = broken.toSorted((a, b) => (b.opened?.forecast.rewrite ?? 0) - (a.opened?.forecast.rewrite ?? 0));
  if (dearest !== undefined) output.line(['\n', withStyle('bold', 'why'), '  ', ...describeExplanation(dearest), '\n']);
}
