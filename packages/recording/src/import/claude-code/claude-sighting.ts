// First pass over the rows of Claude Code: finds the parent of each row, and whether the row advances the conversation.

import { defined } from '@tidemark/core';
import type { JsonObject } from '../file/fields.ts';
import { listOf, momentOf, nameOf, objectOf } from '../file/fields.ts';
import type { RawRecord } from '../file/read-records.ts';
import { openingOf } from '../format/format.ts';
import type { Sighting } from '../outline/outline.ts';
import { isTaskNotification, userContent } from './claude-user-row.ts';
import { answerId } from './claude-answer.ts';
import { sightRequest } from './claude-request.ts';

/** Returns the facts about a row that the first pass needs. */
export function sightRow({ value }: RawRecord): Sighting {
  const row = objectOf(value);
  const request = sightRequest(row);
  if (request !== undefined) return request;
  return { ...whereOf(row), ...stepOf(row), ...factsOf(row) };
}

function whereOf(row: JsonObject): Partial<Sighting> {
  const id = nameOf(row['uuid']);
  const above = row['parentUuid'] ?? row['logicalParentUuid'];
  const parent = nameOf(above) ?? (row['parentUuid'] === null ? null : undefined);
  const agent = nameOf(row['agentId']);
  const at = momentOf(row['timestamp']);
  return {
    ...defined({ id, parent }),
    ...(row['isSidechain'] === true ? defined({ side: true, agent }) : {}),
    ...defined({ at }),
  };
}

function stepOf(row: JsonObject): Pick<Sighting, 'step' | 'answer' | 'results' | 'keptFrom' | 'relinked'> {
  switch (row['type']) {
    case 'assistant': {
      const answer = answerId(row);
      return answer === undefined || !isAnswer(row) ? { step: 'advances' } : { step: 'answers', answer };
    }
    case 'user':
      return userStep(row);
    case 'attachment':
      return isQueuedPrompt(row) ? { step: 'advances' } : { step: 'belongs' };
    case 'system':
      return row['subtype'] === 'compact_boundary' ? { step: 'advances', ...keptSegment(row) } : { step: 'belongs' };
    case 'progress':
      return { step: 'floats' };
    default:
      return { step: nameOf(row['uuid']) === undefined ? 'floats' : 'belongs' };
  }
}

// Returns the effect of a user row on its branch. Only a prompt can be a rewind. Results and notes belong to the row
// that is their parent.
function userStep(row: JsonObject): Pick<Sighting, 'step' | 'results'> {
  // A summary belongs to the boundary row before it, which already advanced the history. Older versions of Claude Code
  // write no boundary row, so there the summary itself advances the history.
  if (row['isCompactSummary'] === true)
    return { step: nameOf(row['parentUuid']) === undefined ? 'advances' : 'belongs' };
  const { results, said } = userContent(row);
  const calls = results.flatMap((block) => nameOf(block['tool_use_id']) ?? []);
  const closes = calls.length === 0 ? {} : { results: calls };
  const prompt = said !== undefined && row['isMeta'] !== true && row['isVisibleInTranscriptOnly'] !== true;
  if (!prompt || calls.length > 0) return { step: 'belongs', ...closes };
  return { step: isTaskNotification(said) ? 'advances' : 'begins' };
}

/** True if a model wrote the row. False for a row that Claude Code wrote in place of an answer. */
export function isAnswer(row: JsonObject): boolean {
  return row['isApiErrorMessage'] !== true && objectOf(row['message'])['model'] !== '<synthetic>';
}

/** True if the row contains a prompt that the user typed while the model worked. */
export function isQueuedPrompt(row: JsonObject): boolean {
  const attachment = objectOf(row['attachment']);
  return attachment['type'] === 'queued_command' && attachment['prompt'] !== undefined;
}

function factsOf(row: JsonObject): Partial<Sighting> {
  const workspace = nameOf(row['cwd']);
  const session = nameOf(row['sessionId']);
  const title = nameOf(row['customTitle']) ?? nameOf(row['aiTitle']) ?? titleOf(row);
  const isPrompt = row['type'] === 'user' && row['isMeta'] !== true && row['isCompactSummary'] !== true;
  const opening = isPrompt ? openingOf(userContent(row).said) : undefined;
  return defined({ workspace, session, title, opening });
}

function titleOf(row: JsonObject): string | undefined {
  return row['type'] === 'summary' ? nameOf(row['summary']) : undefined;
}

// Returns the ids of the first and the last record that a compaction keeps. The conversation continues after the last
// one. Newer versions of Claude Code name these two records. The newest versions can list all kept records instead.
function keptSegment(row: JsonObject): Pick<Sighting, 'keptFrom' | 'relinked'> {
  const metadata = objectOf(row['compactMetadata']);
  const segment = objectOf(metadata['preservedSegment']);
  const uuids = listOf(objectOf(metadata['preservedMessages'])['uuids']);
  const keptFrom = nameOf(segment['headUuid'] ?? uuids[0]);
  const relinked = nameOf(segment['tailUuid'] ?? uuids.at(-1));
  return defined({ keptFrom, relinked });
}
