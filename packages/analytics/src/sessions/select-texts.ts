// Selects the records whose texts contain all terms of a search.

import type { RowDatabase } from '../database/open-rows.ts';
import type { SqlRow } from '../database/sql-value.ts';
import { numberIn, textIn } from '../database/sql-value.ts';
import { nullableNumber, nullableText } from './select-calls.ts';
import { matchExpression, parseSearch } from './search-terms.ts';
import type { SessionMatches, FoundSessions, MatchPlace, TextQuery } from './session-projection.ts';
import { POSITION_BITS } from './session-tables.ts';

/** Numbers of records of a session: in a search over all sessions, and in a search of one session. */
const PLACES = { each: 3, one: 200 };

/** Returns the sessions with records that contain all terms, latest change first. */
export function selectTexts(rows: RowDatabase, { text, session }: TextQuery, limit: number): FoundSessions {
  const match = matchExpression(parseSearch(text));
  if (match === '') return { sessions: [], more: false };
  const found = rows.query(
    `SELECT session.key, id, title, workspace, changed_at, records FROM (
      SELECT rowid >> ${POSITION_BITS} AS key, count(*) AS records FROM text WHERE text MATCH :match ${session === undefined ? '' : `AND ${OF_SESSION}`}
      GROUP BY rowid >> ${POSITION_BITS}
    ) AS found JOIN session ON session.key = found.key ORDER BY changed_at DESC, id DESC LIMIT :limit`,
    { match, limit: limit + 1, ...(session !== undefined && { session }) },
  );
  return {
    sessions: found
      .slice(0, limit)
      .map((row) => sessionMatches(rows, match, row, session === undefined ? PLACES.each : PLACES.one)),
    more: found.length > limit,
  };
}

const KEY = '(SELECT key FROM session WHERE id = :session)';

/** Rows of the texts of one session. */
const OF_SESSION = `rowid >= ${KEY} << ${POSITION_BITS} AND rowid < (${KEY} + 1) << ${POSITION_BITS}`;

function sessionMatches(rows: RowDatabase, match: string, row: SqlRow, most: number): SessionMatches {
  const session = textIn(row['id']);
  const places = rows.query(
    `SELECT place.position, step, coalesce(request, answer) AS request FROM (
      SELECT rowid & ${2 ** POSITION_BITS - 1} AS position FROM text WHERE text MATCH :match AND ${OF_SESSION}
      ORDER BY rowid DESC LIMIT :most
    ) AS place LEFT JOIN call ON call.session = :key AND call.answer = (
      SELECT min(answer) FROM call WHERE session = :key AND answer >= place.position AND stream = 'main'
    ) ORDER BY place.position DESC`,
    { match, session, most, key: numberIn(row['key']) },
  );
  return {
    session,
    title: nullableText(row['title']),
    workspace: textIn(row['workspace']),
    changedAt: textIn(row['changed_at']),
    records: numberIn(row['records']),
    places: places.map(matchPlace),
  };
}

function matchPlace(row: SqlRow): MatchPlace {
  return {
    position: numberIn(row['position']),
    step: nullableNumber(row['step']),
    request: nullableNumber(row['request']),
  };
}
