// Selects the use of skills.

import type { RowDatabase } from '../database/open-rows.ts';
import type { SqlRow, SqlValue } from '../database/sql-value.ts';
import { numberIn, textIn } from '../database/sql-value.ts';
import type { CallFilter, SkillReport } from './session-projection.ts';
import { rowCondition } from './select-totals.ts';

/** Returns the use of each skill, the largest sum of tokens first. */
export function selectSkills(
  rows: RowDatabase,
  { model: _model, provider: _provider, ...filter }: CallFilter,
): readonly SkillReport[] {
  const { where, values } = rowCondition(filter);
  return rows
    .query(
      `SELECT name, sum(loads) AS loads, sum(tokens) AS tokens, count(*) AS sessions, sum(always) AS always,
      sum(on_demand) AS on_demand, sum(auto_suggested) AS auto_suggested, sum(always > 0) AS preloaded,
      sum(always > 0 AND on_demand > 0) AS asked, json_group_array(versions) AS versions,
      json_group_array(sources) AS sources
    FROM (
      SELECT name, count(*) AS loads, sum(tokens) AS tokens, sum(reason = 'always') AS always,
        sum(reason = 'on_demand') AS on_demand, sum(reason = 'auto_suggested') AS auto_suggested,
        json_group_array(DISTINCT version) AS versions, json_group_array(DISTINCT source) AS sources
      FROM skill JOIN session ON session.key = skill.session WHERE ${where} GROUP BY skill.session, name
    ) GROUP BY name ORDER BY tokens DESC, name`,
      values,
    )
    .map(skillReport);
}

function skillReport(row: SqlRow): SkillReport {
  return {
    name: textIn(row['name']),
    loads: numberIn(row['loads']),
    tokens: numberIn(row['tokens']),
    sessions: numberIn(row['sessions']),
    reasons: {
      always: numberIn(row['always']),
      on_demand: numberIn(row['on_demand']),
      auto_suggested: numberIn(row['auto_suggested']),
    },
    versions: joinedLists(row['versions']),
    sources: joinedLists(row['sources']),
    preloaded: { sessions: numberIn(row['preloaded']), asked: numberIn(row['asked']) },
  };
}

/** Returns the texts of a JSON list of JSON lists, each one time. */
function joinedLists(value: SqlValue | undefined): readonly string[] {
  const lists: readonly string[] = JSON.parse(textIn(value));
  const texts = lists.flatMap((list): readonly string[] => JSON.parse(list));
  return [...new Set(texts)].toSorted();
}
