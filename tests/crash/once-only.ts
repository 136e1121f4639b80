// Checks that a killed and resumed process repeats no answered step, no request and no finished tool call. The checks
// compare the logs with the requests that arrived and the tools that really ran.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Recorded } from '@tidemark/log';
import type { LedgerCall } from '@tidemark/simulator';
import { expect } from 'vitest';

/** Checks that no step of a session is requested again after it was answered. */
export function checkSteps(records: readonly Recorded[]): void {
  const answered = new Set<number>();
  for (const record of records) {
    if (record.kind === 'answer.received') answered.add(record.data.step);
    if (record.kind === 'request.prepared') expect(answered.has(record.data.step)).toBe(false);
  }
}

/** Checks that each request arrived at most as often as the logs record it, and that the provider refused none. */
export function checkArrived(records: readonly Recorded[], arrived: readonly LedgerCall[]): void {
  const sent = new Map<string, number>();
  for (const record of records) {
    if (record.kind === 'request.prepared') sent.set(record.data.digest, (sent.get(record.data.digest) ?? 0) + 1);
  }
  for (const [digest, times] of Map.groupBy(arrived, (call) => call.digest))
    expect(times.length).toBeLessThanOrEqual(sent.get(digest) ?? 0);
  expect(arrived.filter(({ status }) => status !== 200)).toEqual([]);
}

/**
 * Checks each tool call by its id. The call is closed at most once, is never started after its result, and ran at most
 * as often as it was started. Unless its effect class is `read`, it is started at most once. If it returned, it ran at
 * least once.
 */
export function checkCalls(records: readonly Recorded[], ran: ReadonlyMap<string, number>): void {
  const began = new Map<string, number>();
  const closed = new Map<string, Recorded['kind']>();
  for (const record of records) {
    if (record.kind === 'tool.started') {
      const times = (began.get(record.data.call) ?? 0) + 1;
      expect(closed.has(record.data.call)).toBe(false);
      if (record.data.effect !== 'read') expect(times).toBe(1);
      began.set(record.data.call, times);
    }
    if (record.kind === 'tool.returned' || record.kind === 'tool.failed' || record.kind === 'tool.abandoned') {
      expect(closed.has(record.data.call)).toBe(false);
      closed.set(record.data.call, record.kind);
    }
  }
  for (const [call, times] of ran) expect(times).toBeLessThanOrEqual(began.get(call) ?? 0);
  for (const [call, kind] of closed) if (kind === 'tool.returned') expect(ran.get(call) ?? 0).toBeGreaterThan(0);
}

/**
 * Returns how often each tool call really ran, by call id. Counts the lines that the tools wrote to `ran.txt` in
 * `folder`.
 */
export async function ranIn(folder: string): Promise<ReadonlyMap<string, number>> {
  const lines = await readFile(join(folder, 'ran.txt'), 'utf8').catch(() => '');
  const counts = new Map<string, number>();
  for (const call of lines.split('\n').filter((line) => line !== '')) counts.set(call, (counts.get(call) ?? 0) + 1);
  return counts;
}
