// A recorded session driven again: each of its facts goes into a new log, and each billed call through fold, front, plan,
// encoding and the simulator's cache accounting, at the time it was recorded.

import { commit } from '@tidemark/agent';
import type { Position, Recorded } from '@tidemark/log';
import { carried, carryBytes } from './carry.ts';
import { driveCall } from './drive-call.ts';
import { driveWarm, dueBefore } from './drive-warm.ts';
import type { DriveOptions, Driving, Memory } from './driving.ts';
import { beginDriving, later, memoryOf } from './driving.ts';
import { recordedCall } from './recorded-call.ts';

/** Where a drive pauses: before a call, with its time in milliseconds; or where a fork leaves, with what the fork takes over. */
export type DrivePause = { readonly callAt: number } | { readonly leaves: Position; readonly memory: Memory };

/** Drives one session into `options.session`, which holds nothing of its own yet. Ends when the records do. */
export async function* drive(options: DriveOptions, inherited?: Memory): AsyncGenerator<DrivePause, void> {
  const driving = beginDriving(options, inherited);
  for await (const record of options.records) {
    const call = recordedCall(record);
    yield* warmUntil(driving, later(driving, call?.startedAt ?? record.at));
    if (call === undefined) {
      await follow(driving, record);
    } else {
      yield { callAt: later(driving, call.startedAt) };
      await driveCall(driving, call);
    }
    driving.lengths[record.position] = options.session.state.length;
    if (!options.forksAt.has(record.position)) continue;
    await options.session.writer.sync();
    yield { leaves: record.position, memory: memoryOf(driving) };
  }
  await options.session.writer.sync();
}

/** What an open session would have sent in the time before this record. */
async function* warmUntil(driving: Driving, until: number): AsyncGenerator<DrivePause, void> {
  for (let plan = dueBefore(driving, until); plan !== undefined; plan = dueBefore(driving, until)) {
    yield { callAt: plan.at };
    await driveWarm(driving, plan);
  }
}

async function follow(driving: Driving, record: Recorded): Promise<void> {
  const { options, lengths, trunk, begun } = driving;
  if (record.kind === 'epoch.opened') driving.reasoning = reasoningOf(record.data.parameters);
  const event = carried(record, { ...options, lengths, trunk, begun });
  if (event === undefined) return;
  await carryBytes(event, options.bytes, options.session.log.artifacts);
  await commit(options.session, [event]);
  driving.begun = true;
}

function reasoningOf(parameters: { readonly [name: string]: unknown }): string | undefined {
  const setting = parameters['reasoning'];
  return typeof setting === 'string' ? setting : undefined;
}
