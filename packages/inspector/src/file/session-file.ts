// A session as one HTML file: the page of the inspector with the data of the session, for a browser without a server.

import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { CostSums, Grouped, SessionProjection } from '@tidemark/analytics';
import type { Log, SessionId } from '@tidemark/log';
import { readCheckpoints } from '../checkpoint.ts';
import { filePage } from '../inspector-page.ts';
import type { ListedSession } from '../listed-session.ts';
import { listedSession } from '../listed-session.ts';
import type { RequestReader } from '../session-requests.ts';
import type { Timeline } from '../timeline.ts';
import { readCalls, timelineOf } from '../timeline.ts';
import { shownFields } from './file-conversation.ts';
import type { FileConversation, FileCosts, FileIndex, FileParts, FileRecord } from './file-data.ts';
import type { MaskText } from './file-requests.ts';
import { packRequests } from './file-requests.ts';
import type { WhatIf } from '../what-if/what-if.ts';
import { readWhatIf } from '../what-if/what-if.ts';
import type { PackedTexts } from './packed-texts.ts';
import { createPackedTexts } from './packed-texts.ts';

/** Sources of a file. */
export interface SessionFileSources {
  readonly log: Log;
  readonly reader: RequestReader;
  /** Rows of the sessions. They are up to date. */
  readonly projection: Pick<SessionProjection, 'sessions' | 'calls' | 'cost'>;
  /** Masks secrets. It is called with each text, or with JSON that contains it. */
  readonly mask: MaskText;
}

/**
 * Returns the file as HTML. It contains the first session, and the other ones as its forks and subagents.
 *
 * @throws LogError as the store does.
 */
export async function sessionFile(sessions: readonly SessionId[], sources: SessionFileSources): Promise<string> {
  const parts: (readonly [name: string, content: string])[] = [];
  const listed: ListedSession[] = [];
  const timelines: Timeline[] = [];
  const costs: FileCosts[] = [];
  const whatIf: WhatIf[] = [];
  for (const session of sessions) {
    const number = listed.length;
    const one = await readSession(session, sources);
    listed.push(one.listed);
    timelines.push(timelineOf(session, one.parts.calls));
    costs.push(await readCosts(session, sources.projection));
    whatIf.push(await readWhatIf(await sources.reader(session)));
    for (const [name, part] of Object.entries(one.parts))
      parts.push([`tidemark-${number}-${name}`, await compressed(part)]);
  }
  const index: FileIndex = { sessions: listed, timelines, costs, whatIf };
  return filePage([['tidemark-index', await compressed(index)], ...parts]);
}

async function readSession(
  session: SessionId,
  { log, reader, projection, mask }: SessionFileSources,
): Promise<{ readonly listed: ListedSession; readonly parts: FileParts }> {
  const texts = createPackedTexts();
  const { sessions } = await projection.sessions({ session, limit: 1 });
  const [report] = sessions;
  if (report === undefined) throw new RangeError(`the rows have no session ${session}`);
  const listed = listedSession(report, { running: false, questions: 0 });
  const conversation = await readConversation(session, log, { texts, mask });
  const requests = await packRequests(await reader(session), { mask, packJson: texts.packJson });
  const calls = await readCalls(projection, session);
  return {
    listed: await maskedJson(listed, mask),
    parts: { calls, requests, conversation, texts: texts.texts },
  };
}

interface ConversationTexts {
  readonly texts: PackedTexts;
  readonly mask: MaskText;
}

async function readConversation(
  session: SessionId,
  log: Log,
  { texts, mask }: ConversationTexts,
): Promise<FileConversation> {
  const records: FileRecord[] = [];
  let length = 0;
  for await (const record of log.read(session)) {
    length = record.position + 1;
    const fields = shownFields(record);
    if (fields === undefined) continue;
    const data = texts.packJson(await mask(JSON.stringify(fields)));
    records.push({ position: record.position, kind: record.kind, data });
  }
  const checkpoints = await maskedJson(await readCheckpoints(log, session), mask);
  return { length, records, checkpoints };
}

async function maskedJson<Value>(value: Value, mask: MaskText): Promise<Value> {
  const masked: Value = JSON.parse(await mask(JSON.stringify(value)));
  return masked;
}

async function readCosts(session: string, projection: SessionFileSources['projection']): Promise<FileCosts> {
  const by = (grouping: 'cause' | 'model' | 'day'): Promise<Grouped<CostSums>> =>
    projection.cost({ session }, grouping);
  const [cause, model, day] = await Promise.all([by('cause'), by('model'), by('day')]);
  return { cause, model, day };
}

const zip = promisify(gzip);

/** Returns JSON as compressed bytes in base64. It contains no character that could end an element. */
async function compressed(value: unknown): Promise<string> {
  return (await zip(JSON.stringify(value))).toString('base64');
}
