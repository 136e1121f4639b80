// First pass over the events of the Copilot CLI. The events are a list: undone turns are removed from the file, and a
// fork is a file of its own. A compaction can run while the conversation goes on, so it keeps the events after its start.

import { defined } from '@tidemark/core';
import { momentOf, nameOf, objectOf } from '../file/fields.ts';
import type { RawRecord } from '../file/read-records.ts';
import { openingOf } from '../format/format.ts';
import type { Sighting } from '../outline/outline.ts';
import type { CopilotEvent } from './copilot-event.ts';
import { HISTORY, copilotEvent } from './copilot-event.ts';

interface SeenEvents {
  /** Number of events so far. */
  count: number;
  /** Calls of subagents. A subagent that one of them starts is nested. */
  readonly nested: Set<string>;
  /** For each agent with a running compaction, the first event that the compaction keeps. */
  readonly running: Map<string | undefined, number | undefined>;
}

/** Returns the function of the first pass for one file. */
export function copilotSightings(): (raw: RawRecord) => Sighting {
  const seen: SeenEvents = { count: 0, nested: new Set(), running: new Map() };
  return (raw) => {
    const event = copilotEvent(raw);
    const keptFrom = keptByCompaction(seen, event);
    seen.count += 1;
    const { agent, id } = event;
    return {
      step: HISTORY.has(event.type) || isCompaction(event) ? 'advances' : 'floats',
      ...defined({ at: momentOf(objectOf(raw.value)['timestamp']), id, keptFrom }),
      ...(agent === undefined ? {} : { side: true, agent }),
      ...factsOf(event, seen),
    };
  };
}

/** True for the end of a compaction that replaced the history. */
export function isCompaction({ type, data }: CopilotEvent): boolean {
  return (
    type === 'session.compaction_complete' && data['success'] === true && nameOf(data['summaryContent']) !== undefined
  );
}

function keptByCompaction({ count, running }: SeenEvents, event: CopilotEvent): number | undefined {
  const { type, agent } = event;
  if (type === 'session.compaction_start') running.set(agent, undefined);
  else if (HISTORY.has(type) && running.has(agent)) running.set(agent, running.get(agent) ?? count);
  if (type !== 'session.compaction_complete') return undefined;
  const first = running.get(agent);
  running.delete(agent);
  return isCompaction(event) ? first : undefined;
}

function factsOf({ type, data, agent }: CopilotEvent, { nested }: SeenEvents): Partial<Sighting> {
  const call = nameOf(data['toolCallId']);
  switch (type) {
    case 'session.start':
      return defined({
        session: nameOf(data['sessionId']),
        workspace: nameOf(objectOf(data['context'])['cwd']),
      });
    case 'user.message':
      return agent === undefined && nameOf(data['source']) === undefined
        ? defined({ opening: openingOf(data['content']) })
        : {};
    case 'tool.execution_start':
      if (agent !== undefined && call !== undefined && data['toolName'] === 'task') nested.add(call);
      return {};
    case 'tool.execution_complete':
      return call === undefined ? {} : { results: [call] };
    case 'subagent.started':
      return defined({
        title: nameOf(data['agentDisplayName']) ?? nameOf(data['agentName']),
        startingCall: call === undefined || nested.has(call) ? undefined : call,
      });
    default:
      return {};
  }
}
