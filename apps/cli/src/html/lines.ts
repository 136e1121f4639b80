// Renders records that need only one line on the page, or one line that the reader can unfold: notes, decisions,
// changes, and the ends of turns. Internal records are omitted from the page; the JSON export contains them.

import type { PermissionDecided, Recorded } from '@tidemark/log';

import { formatCount } from '../frame/numbers.ts';
import { render } from '../frame/shown.ts';
import { processLine } from '../present/process-line.ts';
import { hookOfRule } from '../present/denials.ts';
import { preOf, wordsOf } from './content.ts';
import type { Markup, Value } from './markup.ts';
import { markup, NOTHING } from './markup.ts';

/** Renders a record as one line. Returns empty markup if the record has no information for a reader. */
export function lineOf(record: Recorded): Markup {
  switch (record.kind) {
    case 'context.noted': {
      const { source, cause, body, artifact = 'unknown' } = record.data;
      return opening(record, `Note from ${source} (${cause})`, preOf(body ?? `artifact ${artifact}`));
    }
    case 'notification.received':
      return opening(record, `Notification from ${record.data.source}`, wordsOf(record.data.body));
    case 'branch.summarized':
      return opening(record, 'Abandoned branch', preOf(record.data.text));
    case 'permission.decided':
      return record.data.decision === 'denied'
        ? line(record, `A call was denied by ${whoDenied(record.data)}.`)
        : NOTHING;
    case 'prompt.denied':
      return line(record, `A prompt was denied by ${hookOfRule(record.data.rule)}: ${record.data.reason}`);
    case 'tools.changed': {
      const { added, removed } = record.data;
      const names = [...added.map(({ name }) => `+${name}`), ...removed.map((name) => `−${name}`)];
      return line(record, `Tools: ${names.join(' ')}.`);
    }
    case 'skill.loaded':
      return line(record, `Skill ${record.data.name} (${record.data.reason}).`);
    case 'history.pruned':
      return line(record, `${formatCount(record.data.calls.length, 'old result')} shortened from the next request on.`);
    case 'block.quarantined':
      return line(record, `A block was quarantined: ${record.data.reason}.`);
    case 'subagent.started':
      return line(
        record,
        `Subagent ${record.data.child} started as ${record.data.role}${record.data.model === undefined ? '' : ` with ${record.data.model}`}: ${record.data.task}`,
      );
    case 'subagent.ended':
      return line(
        record,
        `Subagent ${record.data.child} ended with the status ${record.data.status}: ${record.data.summary}`,
      );
    case 'answer.failed':
      return line(record, markup`<span class="bad">A call failed: ${record.data.message}</span>`);
    case 'turn.ended': {
      const { outcome, error } = record.data;
      if (outcome === 'completed') return NOTHING;
      return line(
        record,
        markup`<span class="bad">The turn ended with the outcome ${outcome}${error === undefined ? '' : `: ${error.message}`}.</span>`,
      );
    }
    default:
      return settingLine(record);
  }
}

/** Renders a record about a setting of the session. */
function settingLine(record: Recorded): Markup {
  switch (record.kind) {
    case 'mode.changed':
      return line(record, `Permission mode: ${record.data.mode}, set by the ${record.data.by}.`);
    case 'agent.chosen':
      return line(record, `Own agent of the session: ${record.data.name}.`);
    case 'reasoning.changed':
      return line(record, `Reasoning: ${record.data.setting}.`);
    case 'role.changed':
      return line(record, "The agent's own system text changed.");
    default:
      return outerRecord(record);
  }
}

/** Renders records of changes that are not part of the conversation. */
function outerRecord(record: Recorded): Markup {
  if (record.kind === 'memory.changed') return line(record, `Memory: ${record.data.operation} in ${record.data.file}.`);
  if (record.kind !== 'process.started' && record.kind !== 'process.ended') return NOTHING;
  return line(record, render(processLine(record), false));
}

function whoDenied({ by, rule }: PermissionDecided): string {
  return by === 'hook' ? hookOfRule(rule) : `a ${by}`;
}

function line({ position }: Recorded, words: Value): Markup {
  return markup`<p class="line" id="r${position}">${words}</p> `;
}

function opening({ position }: Recorded, title: string, body: Markup): Markup {
  return markup`<details id="r${position}">
    <summary class="soft">${title}</summary>
    ${body}
  </details> `;
}
