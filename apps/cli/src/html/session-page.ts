// Renders a session as one page for people, record by record: prompts, answers, thinking, calls, results, epochs and
// checkpoints, with the cost of each step. A tool run is shown at the record where it ended, together with its call.

import type { AnswerPart, Artifacts, CallPart, Recorded, RecordedOf, TurnEnded } from '@tidemark/log';
import { parseJson } from '@tidemark/log';

import { formatNumber } from '../frame/numbers.ts';
import type { AnswerRecord, ExportedRecord } from '../present/answer-end.ts';
import { answerEnd } from '../present/answer-end.ts';
import { contentOf, preOf, wordsOf } from './content.ts';
import type { CostRow } from './costs.ts';
import { costRow, costTable, usageWords } from './costs.ts';
import { lineOf } from './lines.ts';
import type { Markup } from './markup.ts';
import { markup, NOTHING } from './markup.ts';
import { PAGE_END, pageHead } from './page.ts';

/** Page that is written record by record. */
export interface SessionPage {
  /** Returns the markup of a record. Empty if the record has no information for a reader. */
  add(exported: ExportedRecord): Promise<string>;
  /** Returns the end of the page, to be written after the last record. */
  end(): string;
}

/** Creates a page. Pictures are read from `artifacts`. The caller must mask secrets in the records first. */
export function createSessionPage(artifacts: Artifacts): SessionPage {
  const open = new Map<string, CallPart>();
  const costs: CostRow[] = [];
  let begun = false;
  const add = async ({ record, turnEnd }: ExportedRecord): Promise<Markup> => {
    switch (record.kind) {
      case 'session.created': {
        const head = begun ? forkOf(record) : beginningOf(record);
        begun = true;
        return head;
      }
      case 'prompt.given':
        return promptOf(record, await contentOf(artifacts, record.data.parts, 'words'));
      case 'answer.received':
      case 'answer.interrupted':
        costs.push(costRow(record));
        return record.data.stream === 'main' ? answerOf(record, { cost: costRow(record), turnEnd }, open) : NOTHING;
      case 'tool.returned':
      case 'tool.failed': {
        const call = takeOpenCall(open, record.data.call);
        return toolRun(record, call, await contentOf(artifacts, record.data.parts, 'pre'));
      }
      case 'tool.abandoned':
        return toolRun(record, takeOpenCall(open, record.data.call), []);
      case 'epoch.opened':
        return epochOf(record);
      case 'history.compacted':
        return checkpointOf(record);
      default:
        return lineOf(record);
    }
  };
  return {
    add: async (exported) => (await add(exported)).html,
    end: () =>
      markup`${[...open.values()].map(neverClosed)}${costs.length === 0 ? '' : costTable(costs)}${PAGE_END}`.html,
  };
}

function takeOpenCall(open: Map<string, CallPart>, call: string): CallPart | undefined {
  const found = open.get(call);
  open.delete(call);
  return found;
}

function beginningOf({ data, at }: RecordedOf<'session.created'>): Markup {
  const { id, title, workspace } = data;
  return markup`${pageHead(title ?? id)}
    <header>
      <h1>${title ?? id}</h1>
      <p class="soft">session ${id} · started ${at} · in <code>${workspace}</code> · <a href="#costs">cost by step</a></p>
    </header> `;
}

function forkOf({ data: { id, parent }, at, position }: RecordedOf<'session.created'>): Markup {
  const from = parent === undefined ? '' : ` after record ${parent.position} of ${parent.session}`;
  return markup`<p class="band" id="r${position}">
    The fork <b>${id}</b> continues${from}, ${at}. <a href="#costs">Cost by step</a>
  </p> `;
}

function promptOf(record: RecordedOf<'prompt.given'>, parts: readonly Markup[]): Markup {
  return article(record, 'user', record.data.steer === true ? 'Message during the turn' : 'Prompt', parts);
}

function article(record: Recorded, whose: 'user' | 'model', who: string, parts: readonly Markup[]): Markup {
  return markup`<article class="${whose}" id="r${record.position}">
    <div class="who"><span>${who}</span>${atOf(record)}</div>
    ${parts}
  </article> `;
}

function atOf({ position, at }: Recorded): Markup {
  return markup`<a class="at" href="#r${position}">${at.slice(0, 19).replace('T', ' ')} · record ${position}</a>`;
}

function answerOf(
  record: AnswerRecord,
  { cost, turnEnd }: { readonly cost: CostRow; readonly turnEnd: TurnEnded | undefined },
  open: Map<string, CallPart>,
): Markup {
  const { data, kind } = record;
  for (const part of data.parts) if (part.type === 'call') open.set(part.call, part);
  const sentence = answerEnd(record, turnEnd);
  const end = sentence === '' ? [] : [markup`<p class="line bad">${sentence}</p>`];
  const note =
    cost.note === '' || kind === 'answer.interrupted' ? '' : markup` · <span class="mark">${cost.note}</span>`;
  return article(record, 'model', data.model, [
    ...data.parts.map((part) => partOf(part)),
    ...end,
    markup`<p class="soft">step ${data.step}: ${usageWords(cost)}${note}</p>`,
  ]);
}

function partOf(part: AnswerPart): Markup {
  switch (part.type) {
    case 'text':
      return part.text.trim() === '' ? NOTHING : wordsOf(part.text);
    case 'reasoning':
      return part.text.trim() === ''
        ? NOTHING
        : markup`<details>
            <summary class="soft">Thinking</summary>
            ${wordsOf(part.text)}
          </details>`;
    case 'call':
      // A call is rendered later, at the record where its run ended.
      return NOTHING;
    case 'native':
      return markup`<details>
        <summary class="soft">A block of ${part.provider}</summary>
        ${wordsOf(part.text)}
      </details>`;
  }
}

type ToolEnd = RecordedOf<'tool.returned'> | RecordedOf<'tool.failed'> | RecordedOf<'tool.abandoned'>;

function toolRun(record: ToolEnd, call: CallPart | undefined, result: readonly Markup[]): Markup {
  const { name = 'a call', arguments: given = '' } = call ?? {};
  return markup`<details id="r${record.position}">
    <summary><code>${name} ${inShort(given)}</code> ${endingOf(record)}</summary>
    ${atOf(record)}${given === '' ? '' : preOf(readable(given))}${result}${wholeOf(record)}
  </details> `;
}

function endingOf(record: ToolEnd): Markup {
  if (record.kind === 'tool.abandoned') return markup`<span class="bad">abandoned: ${record.data.reason}</span>`;
  const { exit, durationMs } = record.data;
  const took = durationMs === undefined ? '' : ` in ${timeOf(durationMs)}`;
  const ended = exit === undefined || exit === 0 ? '' : `, exit code ${exit}`;
  return record.kind === 'tool.failed' || ended !== ''
    ? markup`<span class="bad">failed${ended}${took}</span>`
    : markup`<span class="good">done${took}</span>`;
}

function timeOf(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

/** Returns a line that names the artifact with the full output, if the model saw only part of the output. */
function wholeOf(record: ToolEnd): Markup {
  if (record.kind === 'tool.abandoned' || record.data.shaping === undefined) return NOTHING;
  const { shaping, output } = record.data;
  const where = output === undefined ? '' : `; the complete output is artifact ${output}`;
  return markup`<p class="line">
    The model was shown ${formatNumber(shaping.kept)} of ${formatNumber(shaping.total)} ${shaping.unit}${where}.
  </p>`;
}

function neverClosed({ name, arguments: given }: CallPart): Markup {
  return markup`<details>
    <summary><code>${name} ${inShort(given)}</code> <span class="bad">not ended</span></summary>
    ${preOf(readable(given))}
  </details> `;
}

const SHORT = 90;

function inShort(given: string): string {
  const line = given.replaceAll(/\s+/g, ' ');
  return line.length <= SHORT ? line : `${line.slice(0, SHORT).toWellFormed()}…`;
}

/**
 * Formats the arguments of a call with one line per field, and text fields without quotes and escapes. Returns the
 * arguments unchanged if they are not a JSON object.
 */
function readable(given: string): string {
  try {
    const fields = parseJson(given);
    if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) return given;
    return Object.entries(fields).map(fieldOf).join('\n');
  } catch {
    return given;
  }
}

function fieldOf([name, value]: readonly [string, unknown]): string {
  if (typeof value !== 'string') return `${name}: ${JSON.stringify(value, undefined, 2)}`;
  return value.includes('\n') ? `${name}:\n${value}` : `${name}: ${value}`;
}

function epochOf(record: RecordedOf<'epoch.opened'>): Markup {
  const { number, cause, model, provider, forecast } = record.data;
  const again = forecast.rewrite === 0 ? '' : `; ${formatNumber(forecast.rewrite)} tokens are written again`;
  return markup`<p class="band" id="r${record.position}">
    <b>Epoch ${number}</b> (${cause}): ${model} of ${provider}${again} ${atOf(record)}
  </p> `;
}

function checkpointOf(record: RecordedOf<'history.compacted'>): Markup {
  const { range, strategy, trigger, checkpoint, limitations, before, after } = record.data;
  const sizes =
    before === undefined || after === undefined ? '' : `, ${formatNumber(before)} → ${formatNumber(after)} tokens`;
  return markup`<details class="band" id="r${record.position}">
    <summary><b>Checkpoint</b> for records ${range.from} to ${range.to} (${trigger}, ${strategy}${sizes})</summary>
    ${atOf(record)}${preOf(checkpoint)}${limitations.map((one) => markup`<p class="line">${one}</p>`)}
  </details> `;
}
