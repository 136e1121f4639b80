// Reads session files of the agent pi, formats 1 to 3. A file consists of a header and entries. Since format 2 each
// entry names its parent, so a session is a tree. Source: docs/session.md of badlogic/pi-mono.

import { defined } from '@tidemark/core';
import type { JsonObject } from '../file/fields.ts';
import { countOf, momentOf, nameOf, objectOf } from '../file/fields.ts';
import type { RawRecord } from '../file/read-records.ts';
import type { BranchReader, BranchSource, Format, FormatName, Keep } from '../format/format.ts';
import type { From, ImportedMove } from '../format/move.ts';
import { openingOf } from '../format/format.ts';
import type { Sighting, BranchStep } from '../outline/outline.ts';
import { piBranchSummary, piCompaction, piCustom, piMessage } from './pi-message.ts';

/** Returns the transcript format for one version of pi's session files. */
export function piFormat(name: Extract<FormatName, `pi-${number}`>): Format {
  return { name, sightings: () => sight, reader };
}

/** Types of entries that are not part of the context. Such an entry never advances the history. */
const ASIDE: ReadonlySet<unknown> = new Set(['label', 'custom', 'session_info']);

function sight({ value }: RawRecord): Sighting {
  const entry = objectOf(value);
  const at = momentOf(entry['timestamp']);
  const common = at === undefined ? {} : { at };
  if (entry['type'] === 'session') return { ...common, step: 'floats', ...headerFacts(entry) };
  const id = nameOf(entry['id']);
  const parent = entry['parentId'] === null ? null : nameOf(entry['parentId']);
  const step: BranchStep = ASIDE.has(entry['type']) ? 'belongs' : 'begins';
  return {
    ...common,
    step: typeof entry['type'] === 'string' ? step : 'floats',
    // Entries of format 1 have no ids. An entry with only an id, or with only a parent id, is treated like an entry
    // without ids.
    ...(id === undefined || parent === undefined ? {} : { id, parent }),
    ...entryFacts(entry),
  };
}

function headerFacts(header: JsonObject): Partial<Sighting> {
  const workspace = nameOf(header['cwd']);
  const session = nameOf(header['id']);
  return defined({ workspace, session });
}

function entryFacts(entry: JsonObject): Partial<Sighting> {
  const message = objectOf(entry['message']);
  const call = message['role'] === 'toolResult' ? nameOf(message['toolCallId']) : undefined;
  const keptFrom = nameOf(entry['firstKeptEntryId']) ?? countOf(entry['firstKeptEntryIndex']);
  const title = entry['type'] === 'session_info' ? nameOf(entry['name']) : undefined;
  const opening = message['role'] === 'user' ? openingOf(message['content']) : undefined;
  return {
    ...defined({ results: call === undefined ? undefined : [call] }),
    ...(entry['type'] === 'compaction' && keptFrom !== undefined ? { keptFrom } : {}),
    ...defined({ title, opening }),
  };
}

function reader({ keep, branch, outline }: BranchSource): BranchReader {
  // Only the first header of the main session is read. Any other header is kept as a foreign record.
  let headed = branch !== outline.main;
  return {
    read: (raw, from) => {
      const entry = objectOf(raw.value);
      if (entry['type'] !== 'session' || headed) return readEntry(entry, raw, from, keep);
      headed = true;
      const setting = nameOf(entry['thinkingLevel']);
      return setting === undefined ? [] : [{ type: 'reasoning', from, setting, silent: true }];
    },
    pass: (move) => [move],
    release: () => [],
  };
}

function readEntry(entry: JsonObject, raw: RawRecord, from: From, keep: Keep): readonly ImportedMove[] {
  switch (entry['type']) {
    case 'message':
      return piMessage(entry, raw, from, keep);
    case 'custom_message':
      return [piCustom(entry, from, keep)];
    case 'compaction':
      return [piCompaction(entry, from)];
    case 'branch_summary':
      return [piBranchSummary(entry, from)];
    case 'thinking_level_change': {
      const setting = nameOf(entry['thinkingLevel']);
      return [
        setting === undefined ? { type: 'foreign', from, reason: 'no level' } : { type: 'reasoning', from, setting },
      ];
    }
    case 'session':
      return [{ type: 'foreign', from, reason: 'a second header' }];
    default:
      return [
        { type: 'foreign', from, ...(typeof entry['type'] === 'string' ? {} : { reason: 'a record without a type' }) },
      ];
  }
}
