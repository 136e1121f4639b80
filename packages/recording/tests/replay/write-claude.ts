// Writes a script as a transcript of Claude Code. The transcript has one row per block. Results follow the rows of
// their answer, and rows of subagents are between the rows of the main conversation.

import type { Recorder } from './recorder.ts';
import { beginRecorder, callIdOf, countCall, inputOf, moment, pictureOf, textOf, weigh } from './recorder.ts';
import type { Returned, Script, Step } from './script.ts';

interface Node {
  readonly id: string;
  readonly recorder: Recorder;
}

interface Voice {
  recorder: Recorder;
  parent: string | null;
  readonly side: object;
  readonly nodes: Node[];
  /** Prompts since the last compaction. The next compaction can keep the history from one of these prompts on. */
  readonly prompts: { readonly id: string; readonly context: number }[];
}

interface Writing {
  readonly script: Script;
  readonly rows: (object | string)[];
  readonly main: Voice;
  readonly agents: Voice[];
  model: string;
  level: number;
}

type Answer = Extract<Step, { do: 'answer' }>;

const LEVELS = [
  { disabled: true },
  { maxThinkingTokens: 31_999 },
  { maxThinkingTokens: 63_999 },
  { level: 'high', disabled: false },
  {},
];

/** Returns the rows of the transcript that a script describes. */
export function writeClaude(script: Script): readonly (object | string)[] {
  const { models, front } = script;
  const main: Voice = {
    recorder: beginRecorder(front),
    parent: null,
    side: { isSidechain: false },
    nodes: [],
    prompts: [],
  };
  const model = models[0] ?? '';
  const writing: Writing = {
    script,
    rows: [],
    main,
    agents: [],
    model: model.startsWith('claude') ? model : 'claude-opus-4-6',
    level: 0,
  };
  for (const step of script.steps) write(writing, main, step);
  return writing.rows;
}

function add(writing: Writing, voice: Voice, fields: object): string {
  const uuid = `u${writing.rows.length}`;
  const common = { ...voice.side, cwd: '/work', sessionId: 'ccccdddd-0000', version: '2.1.39' };
  writing.rows.push({ parentUuid: voice.parent, ...common, ...fields, uuid, timestamp: moment(voice.recorder.now) });
  voice.parent = uuid;
  return uuid;
}

function write(writing: Writing, voice: Voice, step: Step): void {
  const { recorder } = voice;
  const { script } = writing;
  switch (step.do) {
    case 'prompt':
      recorder.now += step.pause;
      return prompt(writing, voice, step.bytes, step.image);
    case 'answer':
      return answer(writing, voice, step);
    case 'model':
      writing.model = script.models[step.model] ?? writing.model;
      recorder.cached = 0;
      return;
    case 'level':
      writing.level = step.level;
      return;
    case 'compact':
      return compact(writing, voice, step.keep);
    case 'note': {
      const content = `<system-reminder>${textOf(recorder, step.bytes)}</system-reminder>`;
      add(writing, voice, { type: 'user', isMeta: true, message: { role: 'user', content } });
      return weigh(recorder, step.bytes);
    }
    case 'rewind':
      return rewind(voice, step.to);
    case 'clear':
      recorder.context *= 0.7;
      recorder.cached = Math.min(recorder.cached, script.front);
      return;
    case 'swell':
      recorder.context *= 1.3;
      return;
    case 'clock':
      recorder.now -= step.back;
      return;
    case 'aside':
      return aside(writing, step.agent, step.steps);
  }
}

function prompt(writing: Writing, voice: Voice, bytes: number, image: boolean): void {
  const { recorder } = voice;
  const { context } = recorder;
  if (voice.parent !== null) voice.nodes.push({ id: voice.parent, recorder: { ...recorder } });
  const text = textOf(recorder, bytes);
  const content = image ? [{ type: 'text', text }, picture(recorder)] : text;
  weigh(recorder, bytes);
  const thinkingMetadata = LEVELS[writing.level];
  const id = add(writing, voice, { type: 'user', message: { role: 'user', content }, thinkingMetadata });
  voice.prompts.push({ id, context });
}

function picture(recorder: Recorder): object {
  const { mediaType, data } = pictureOf(recorder);
  recorder.context += 300;
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data } };
}

function answer(writing: Writing, voice: Voice, step: Answer): void {
  const { recorder } = voice;
  recorder.now += step.pause;
  if (step.end === 'failed') {
    const content = [{ type: 'text', text: 'API Error: 529 Overloaded' }];
    add(writing, voice, {
      type: 'assistant',
      isApiErrorMessage: true,
      message: { id: `err${writing.rows.length}`, model: '<synthetic>', role: 'assistant', content },
    });
    return;
  }
  add(writing, voice, { type: 'progress', data: { type: 'hook_progress' } });
  const counts = countCall(recorder, 50 + step.text, step.usage);
  recorder.now += 1_500;
  const id = `msg_${writing.rows.length}`;
  const ids = step.end === 'empty' ? [] : step.calls.map((_, nth) => callIdOf(recorder, step.ids, nth));
  const common = {
    id,
    type: 'message',
    role: 'assistant',
    model: writing.model,
    stop_reason: null,
    ...usageOf(counts, step),
  };
  const blocks = step.end === 'empty' ? [] : [...thinkingOf(recorder, step), ...saidOf(recorder, step)];
  const rows = [
    ...blocks,
    ...ids.map((one, nth) => ({
      type: 'tool_use',
      id: one,
      name: nth % 7 === 6 ? 'mcp/odd name' : 'Read',
      input: JSON.parse(inputOf(step.input)),
    })),
  ];
  for (const block of rows.length === 0 ? [[]] : rows.map((one) => [one])) {
    recorder.now += 40;
    add(writing, voice, { type: 'assistant', requestId: `req_${id}`, message: { ...common, content: block } });
  }
  weigh(recorder, step.text);
  if (step.end === 'aborted') {
    const content = [{ type: 'text', text: '[Request interrupted by user]' }];
    add(writing, voice, { type: 'user', message: { role: 'user', content } });
    return;
  }
  results(writing, voice, step, ids);
}

function usageOf({ fresh, read, written, output }: ReturnType<typeof countCall>, { usage: form }: Answer): object {
  const all = {
    input_tokens: fresh,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    output_tokens: output,
  };
  switch (form) {
    case 'none':
      return {};
    case 'zeros':
      return {
        usage: { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 },
      };
    case 'answer-only':
      return { usage: { output_tokens: output } };
    case 'no-cache-fields':
      return { usage: { input_tokens: fresh + read + written, output_tokens: output } };
    case 'long-writes':
      return {
        usage: { ...all, cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: written } },
      };
    case 'all':
    case 'uncached':
      return { usage: all };
  }
}

function saidOf(recorder: Recorder, step: Answer): readonly object[] {
  return step.thinking === 'only'
    ? []
    : [{ type: 'text', text: step.text === 3 ? '\n\n' : textOf(recorder, step.text) }];
}

function thinkingOf(recorder: Recorder, { thinking }: Answer): readonly object[] {
  const text = thinking === 'none' ? '' : textOf(recorder, 300);
  switch (thinking) {
    case 'none':
      return [];
    case 'unsigned':
      return [{ type: 'thinking', thinking: text, signature: '' }];
    case 'redacted':
      return [{ type: 'redacted_thinking', data: `data-${recorder.made}` }];
    case 'shared-signature':
      return [{ type: 'thinking', thinking: 'same', signature: '[REDACTED_SIGNATURE]' }];
    case 'signed':
    case 'only':
      return [{ type: 'thinking', thinking: text, signature: '[REDACTED_SIGNATURE]' }];
  }
}

function results(writing: Writing, voice: Voice, step: Answer, ids: readonly string[]): void {
  const { recorder } = voice;
  const placed = step.calls.map((call, nth) => ({ call, nth }));
  const order = step.shuffled ? placed.toReversed() : placed;
  order.forEach(({ call, nth }, place) => {
    const id = ids[nth];
    if (step.steer && place === Math.floor(order.length / 2)) prompt(writing, voice, 60, false);
    recorder.now += 300;
    if (id !== undefined && !call.lost) result(writing, voice, id, call);
  });
}

function result(writing: Writing, voice: Voice, id: string, { bytes, error, image }: Returned): void {
  const { recorder } = voice;
  const text = textOf(recorder, bytes);
  weigh(recorder, bytes);
  const content = image ? [{ type: 'text', text }, picture(recorder)] : text;
  const block = { type: 'tool_result', tool_use_id: id, content, ...(error ? { is_error: true } : {}) };
  add(writing, voice, { type: 'user', message: { role: 'user', content: [block] } });
}

/**
 * With `keep` 0, the compaction keeps no history, as in older versions of Claude Code. Otherwise it keeps a segment,
 * named in one of the two ways of newer versions, and the conversation continues after this segment.
 */
function compact(writing: Writing, voice: Voice, keep: number): void {
  const { recorder, prompts } = voice;
  const { front } = writing.script;
  const tailUuid = voice.parent;
  const head = keep === 0 ? undefined : prompts.at(-keep);
  const kept =
    head === undefined
      ? {}
      : keep % 2 === 0
        ? { preservedSegment: { headUuid: head.id, tailUuid } }
        : { preservedMessages: { uuids: [head.id, tailUuid] } };
  const compactMetadata = { trigger: 'auto', preTokens: Math.round(recorder.context), ...kept };
  voice.parent = null;
  add(writing, voice, { logicalParentUuid: tailUuid, type: 'system', subtype: 'compact_boundary', compactMetadata });
  recorder.context = front + 450 + (head === undefined ? 0 : Math.max(0, recorder.context - head.context));
  recorder.cached = Math.min(recorder.cached, front);
  const content = textOf(recorder, 1_500);
  add(writing, voice, { type: 'user', isCompactSummary: true, message: { role: 'user', content } });
  if (head !== undefined) voice.parent = tailUuid;
  voice.nodes.length = 0;
  voice.prompts.length = 0;
}

function rewind(voice: Voice, to: number): void {
  const node = voice.nodes.at(-1 - to);
  if (node === undefined) return;
  const { now, made } = voice.recorder;
  voice.recorder = { ...node.recorder, now, made };
  voice.parent = node.id;
  voice.prompts.length = 0;
}

function aside(writing: Writing, nth: number, steps: number): void {
  const agentId = `agent${nth}`;
  let voice = writing.agents[nth];
  const { now, made } = writing.main.recorder;
  if (voice === undefined) {
    const recorder = { ...beginRecorder(writing.script.front), now, made: made + 1_000 * (nth + 1) };
    voice = { recorder, parent: null, side: { isSidechain: true, agentId }, nodes: [], prompts: [] };
    writing.agents[nth] = voice;
    prompt(writing, voice, 300, false);
  }
  voice.recorder.now = Math.max(now, voice.recorder.now);
  for (let count = 0; count < steps; count += 1) {
    const calls: readonly Returned[] = [{ bytes: 900, error: false, image: false, lost: false }];
    answer(writing, voice, {
      do: 'answer',
      text: 80,
      thinking: 'none',
      calls,
      ids: 'usual',
      input: 0,
      end: 'finished',
      usage: 'all',
      pause: 2_000,
      steer: false,
      shuffled: false,
    });
  }
}
