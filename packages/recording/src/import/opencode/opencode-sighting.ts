// First pass over the rows of an OpenCode session. The rows are a list in the order of the history.

import { defined } from '@tidemark/core';
import type { JsonObject } from '../file/fields.ts';
import { momentOf, nameOf, objectOf } from '../file/fields.ts';
import type { RawRecord } from '../file/read-records.ts';
import { openingOf } from '../format/format.ts';
import type { Sighting } from '../outline/outline.ts';
import { openCodeKind, openCodeTitle } from './opencode-row.ts';

/** Returns the function of the first pass for one file. */
export function openCodeSightings(): (raw: RawRecord) => Sighting {
  let role: string | undefined;
  return (raw) => {
    const row = objectOf(raw.value);
    const at = momentOf(objectOf(row['time'])['created']);
    switch (openCodeKind(row)) {
      case 'session':
        return { step: 'floats', ...defined({ at }), ...sessionFacts(row) };
      case 'message':
        role = nameOf(row['role']);
        return { step: 'begins', ...defined({ at, id: nameOf(row['id']) }) };
      case 'part':
        return { step: 'begins', ...defined({ id: nameOf(row['id']) }), ...partFacts(row, role) };
      case 'other':
        return { step: 'floats' };
    }
  };
}

function sessionFacts(row: JsonObject): Partial<Sighting> {
  const own = nameOf(row['id']);
  const parent = nameOf(row['parentID']);
  return {
    ...defined({
      // All ids of sessions begin with the same four characters.
      session: own?.replace(/^ses_/, ''),
      workspace: nameOf(row['directory']),
      title: openCodeTitle(row),
    }),
    ...(own !== undefined && parent !== undefined && { spawned: { own, parent, depth: 1 } }),
  };
}

function partFacts(row: JsonObject, role: string | undefined): Partial<Sighting> {
  switch (row['type']) {
    case 'tool': {
      const call = nameOf(row['callID']);
      return call === undefined ? {} : { results: [call] };
    }
    case 'compaction': {
      const keptFrom = nameOf(row['tail_start_id']);
      return keptFrom === undefined ? {} : { keptFrom };
    }
    case 'text':
      return role === 'user' && row['synthetic'] !== true ? defined({ opening: openingOf(row['text']) }) : {};
    default:
      return {};
  }
}
