// Rows of OpenCode: the session, its messages, and the parts of each message. An exported file, the folder of older
// versions and the database of newer versions contain the same rows in different containers. Here they get the same
// text. Source: `packages/opencode/src/session` of anomalyco/opencode, and the files of versions 1.1.65 and 1.18.33.

import { defined } from '@tidemark/core';
import type { Json } from '@tidemark/log';
import type { JsonObject } from '../file/fields.ts';
import { isObject, nameOf, objectOf } from '../file/fields.ts';

/** Kind of a row. `other` is a row that this version does not know. */
export type OpenCodeKind = 'session' | 'message' | 'part' | 'other';

/** Returns the kind of a row. */
export function openCodeKind(row: JsonObject): OpenCodeKind {
  if (isId(row['messageID'], 'msg') && isId(row['sessionID'], 'ses') && typeof row['type'] === 'string') return 'part';
  if (isId(row['sessionID'], 'ses') && typeof row['role'] === 'string') return 'message';
  if (isId(row['id'], 'ses') && typeof row['directory'] === 'string' && isObject(row['time'])) return 'session';
  return 'other';
}

function isId(value: Json | undefined, start: string): boolean {
  return typeof value === 'string' && value.startsWith(start);
}

/**
 * Returns the text of a row as one line. The fields that the client changes after the end of a turn are left out: the
 * totals of a session, and the summary of changed files of a prompt. So the text of a session that has grown begins with
 * its earlier text.
 */
export function printOpenCodeRow(value: Json): string {
  const row = objectOf(value);
  switch (openCodeKind(row)) {
    case 'session':
      return JSON.stringify(sessionRow(row));
    case 'message': {
      const { id, sessionID, role, summary, ...rest } = row;
      // The summary of an answer is not an object: it is `true` if the answer is the summary of a compaction.
      return JSON.stringify(
        defined({ id, sessionID, role, ...rest, summary: isObject(summary) ? undefined : summary }),
      );
    }
    case 'part': {
      const { id, sessionID, messageID, ...rest } = row;
      return JSON.stringify(defined({ id, sessionID, messageID, ...rest }));
    }
    case 'other':
      return JSON.stringify(value);
  }
}

function sessionRow(row: JsonObject): JsonObject {
  const { id, parentID, projectID, directory, title, version, time } = row;
  const created = objectOf(time)['created'];
  return defined({ id, parentID, projectID, directory, title, version, time: defined({ created }) });
}

/** Title that the client writes before it has made one. */
const NO_TITLE = /^(?:New|Child) session - \d{4}-/;

/** Returns the title of a session row, or `undefined` if the session has no title yet. */
export function openCodeTitle(row: JsonObject): string | undefined {
  const title = nameOf(row['title']);
  return title === undefined || NO_TITLE.test(title) ? undefined : title;
}
