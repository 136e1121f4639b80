// First pass over a rollout of the Codex CLI. The records are a list without ids. An event that undoes turns leads back
// to an earlier record, so the pass numbers the records and remembers where each turn started.

import { defined } from '@tidemark/core';
import type { JsonObject } from '../file/fields.ts';
import { countOf, momentOf, nameOf, objectOf } from '../file/fields.ts';
import type { RawRecord } from '../file/read-records.ts';
import { openingOf } from '../format/format.ts';
import type { Sighting } from '../outline/outline.ts';
import type { CodexRecord } from './codex-record.ts';
import { RESULTS, codexRecord, isPrompt, isWritten } from './codex-record.ts';

interface Turns {
  /** True after the first record about the session. Any other one is a copy of the record of another session. */
  headed: boolean;
  count: number;
  /** Id of the last record that advanced the history. */
  last: string | null;
  /** For each turn, the value of `last` before its prompt. */
  readonly starts: (string | null)[];
  /** Record from which the next record continues, after turns were undone. */
  resume: string | null | undefined;
}

/** Returns the function of the first pass for one file. */
export function codexSightings(): (raw: RawRecord) => Sighting {
  const turns: Turns = { headed: false, count: 0, last: null, starts: [], resume: undefined };
  return (raw) => {
    const record = codexRecord(raw);
    const at = momentOf(objectOf(raw.value)['timestamp']);
    if (record.type === 'thread_rolled_back') undo(turns, countOf(record.payload['num_turns']) ?? 0);
    return {
      ...defined({ at }),
      ...(advances(record) ? advance(turns, record) : { step: 'floats' }),
      ...facts(turns, record),
    };
  };
}

function undo(turns: Turns, count: number): void {
  for (let left = count; left > 0 && turns.starts.length > 0; left -= 1) turns.resume = turns.starts.pop();
  if (count > 0 && turns.resume !== undefined) turns.last = turns.resume;
}

function advances(record: CodexRecord): boolean {
  if (record.kind === 'compacted') return true;
  if (record.kind !== 'response_item') return false;
  return isWritten(record) || RESULTS.has(record.type) || record.type === 'message' || record.type === 'agent_message';
}

function advance(turns: Turns, record: CodexRecord): Sighting {
  const { resume } = turns;
  if (isPrompt(record)) turns.starts.push(turns.last);
  const id = `${turns.count}`;
  turns.count += 1;
  turns.last = id;
  turns.resume = undefined;
  return { step: 'begins', id, ...defined({ parent: resume }) };
}

function facts(turns: Turns, record: CodexRecord): Partial<Sighting> {
  const { kind, type, payload } = record;
  if (kind === 'session_meta') return metaFacts(turns, payload);
  if (type === 'thread_name_updated') return defined({ title: nameOf(payload['thread_name']) });
  if (RESULTS.has(type)) {
    const call = nameOf(payload['call_id']);
    return call === undefined ? {} : { results: [call] };
  }
  return isPrompt(record) ? defined({ opening: openingOf(payload['content']) }) : {};
}

function metaFacts(turns: Turns, payload: JsonObject): Partial<Sighting> {
  if (turns.headed) return {};
  turns.headed = true;
  const session = nameOf(payload['id']);
  const workspace = nameOf(payload['cwd']);
  return { ...defined({ session, workspace }), ...spawnedFacts(payload, session) };
}

function spawnedFacts(payload: JsonObject, own: string | undefined): Partial<Sighting> {
  const spawned = objectOf(objectOf(objectOf(payload['source'])['subagent'])['thread_spawn']);
  const parent = nameOf(spawned['parent_thread_id']);
  if (own === undefined || parent === undefined) return {};
  const path = nameOf(spawned['agent_path']) ?? nameOf(spawned['agent_nickname']);
  const depth = Math.max(1, countOf(spawned['depth']) ?? 1);
  return { ...defined({ title: path?.split('/').at(-1) }), spawned: { own, parent, depth } };
}
