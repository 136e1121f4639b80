// Summarizes the latest requests: the size of each section and the positions of the markers. Prints no text of the
// requests.

import type { RequestSnapshot } from '@tidemark/agent';
import { requestSnapshots, SNAPSHOTS_KEPT } from '@tidemark/agent';
import type { SessionId } from '@tidemark/log';

import type { CommandContext, CommandOutcome } from '../frame/command.ts';
import { eachSession } from './each-session.ts';
import { encoders } from './encoders.ts';
import { formatCount, formatNumber } from '../frame/numbers.ts';
import type { SessionFlags } from '../arguments/session-argument.ts';
import { optionalSession } from '../arguments/session-argument.ts';
import { withStyle } from '../frame/shown.ts';
import type { TableOf } from '../frame/table.ts';

interface Snapshots {
  readonly session: SessionId;
  readonly requests: readonly RequestSnapshot[];
}

/** Reports the latest requests of one session, or of the latest sessions in the store. */
export async function reportRequests(
  name: string | undefined,
  flags: SessionFlags,
  context: CommandContext,
): Promise<CommandOutcome> {
  const asked = await optionalSession(name, flags, context);
  const found = await latest(asked, context);
  const { output, home } = context;
  const where = asked ?? `the sessions of ${home}`;
  output.result({ sessions: found }, () =>
    found.length === 0
      ? `no requests of Tidemark in ${where}; for an imported session, run \`tidemark replay --keep <session>\` first`
      : `the latest requests of ${formatCount(found.length, 'session')}; sizes are estimated tokens`,
  );
  for (const { session, requests } of found) {
    output.line(['\n', withStyle('cyan', session)]);
    output.table(tableOf(requests));
  }
  return undefined;
}

/**
 * Returns the requests of the named session. Without a name, returns the requests of the newest sessions that have any,
 * for at most `SNAPSHOTS_KEPT` sessions.
 */
async function latest(session: SessionId | undefined, context: CommandContext): Promise<readonly Snapshots[]> {
  const store = await context.store();
  const found: Snapshots[] = [];
  await eachSession(session, context, async (one) => {
    if (found.length === SNAPSHOTS_KEPT) return;
    const requests = await requestSnapshots(store, one, encoders);
    if (requests.length > 0) found.push({ session: one, requests });
  });
  return found;
}

function tableOf(requests: readonly RequestSnapshot[]): TableOf {
  const rows = requests.map(({ step, stream, purpose, at, relation, opened, sections, markers }) => [
    stream === 'main' ? String(step) : purpose,
    `${at.slice(5, 10)} ${at.slice(11, 16)}`,
    opened === undefined ? relation : `${relation}: ${opened}`,
    formatNumber(sections.tools.tokens),
    formatNumber(sections.system.tokens),
    formatNumber(sections.messages.tokens),
    markedIn(markers),
  ]);
  return { head: ['step', 'at', 'prefix', 'tools', 'system', 'messages', 'marked'], rows, numbers: [0, 3, 4, 5] };
}

/** Lists the indexes of the marked blocks, grouped by the lifetime of their markers: `0, 9 1h; 14 5m`. */
function markedIn(markers: RequestSnapshot['markers']): string {
  const lives = [...new Set(markers.map(({ ttl }) => ttl))];
  const blocksOf = (life: string): string =>
    markers.flatMap(({ block, ttl }) => (ttl === life ? [String(block)] : [])).join(', ');
  return lives.map((life) => `${blocksOf(life)} ${life}`).join('; ');
}
