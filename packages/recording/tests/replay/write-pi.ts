// Writes a script as a session file of pi, formats 1 to 3.

import type { Recorder } from './recorder.ts';
import { beginRecorder, callIdOf, countCall, inputOf, moment, pictureOf, textOf, weigh } from './recorder.ts';
import type { Returned, Script, Step } from './script.ts';

interface Node {
  readonly id: string;
  readonly recorder: Recorder;
}

interface Writing {
  readonly script: Script;
  readonly rows: object[];
  recorder: Recorder;
  model: string;
  parent: string | null;
  /** Entries to which a rewind can return: for each prompt, the entry before the prompt. */
  readonly nodes: Node[];
  /** Entries from which a compaction can keep history: prompts and answers. */
  readonly cuts: { readonly id: string; readonly index: number; readonly context: number }[];
}

type Answer = Extract<Step, { do: 'answer' }>;

const LEVELS = ['off', 'minimal', 'high', 'xhigh', 'as much as it likes'];

/** Returns the rows of the session file that a script describes. */
export function writePi(script: Script): readonly object[] {
  const { version, models, front } = script;
  const named = version === 1 ? {} : { version };
  const recorder = beginRecorder(front);
  const head = {
    type: 'session',
    ...named,
    id: 'aaaabbbb-0000',
    timestamp: moment(recorder.now),
    cwd: '/work',
    thinkingLevel: 'off',
  };
  const writing: Writing = {
    script,
    rows: [head],
    recorder,
    model: models[0] ?? '',
    parent: null,
    nodes: [],
    cuts: [],
  };
  for (const step of script.steps) write(writing, step);
  return writing.rows;
}

function add(writing: Writing, fields: object): string {
  const id = `e${writing.rows.length}`;
  const linked = writing.script.version === 1 ? {} : { id, parentId: writing.parent };
  writing.rows.push({ ...linked, timestamp: moment(writing.recorder.now), ...fields });
  writing.parent = id;
  return id;
}

function message(writing: Writing, role: string, fields: object, at = writing.recorder.now): string {
  return add(writing, { type: 'message', message: { role, timestamp: at, ...fields } });
}

function write(writing: Writing, step: Step): void {
  const { recorder, script } = writing;
  switch (step.do) {
    case 'prompt':
      recorder.now += step.pause;
      return prompt(writing, step.bytes, step.image);
    case 'answer':
      return answer(writing, step);
    case 'model':
      writing.model = script.models[step.model] ?? writing.model;
      add(writing, { type: 'model_change', provider: providerOf(writing.model), modelId: writing.model });
      recorder.cached = 0;
      return;
    case 'level':
      recorder.cached = Math.min(recorder.cached, script.front);
      add(writing, { type: 'thinking_level_change', thinkingLevel: LEVELS[step.level] });
      return;
    case 'compact':
      return compact(writing, step.keep);
    case 'note': {
      const output = textOf(recorder, step.bytes);
      message(writing, 'bashExecution', { command: 'make', output, exitCode: 0 });
      return weigh(recorder, step.bytes);
    }
    case 'rewind':
      return rewind(writing, step.to, step.summary);
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
      add(writing, { type: 'custom', customType: 'state', data: { agent: step.agent } });
      return;
  }
}

function prompt(writing: Writing, bytes: number, image: boolean): void {
  const { recorder, cuts, nodes } = writing;
  nodes.push({ id: writing.parent ?? '', recorder: { ...recorder } });
  const context = recorder.context;
  const content = [{ type: 'text', text: textOf(recorder, bytes) }, ...(image ? [picture(recorder)] : [])];
  weigh(recorder, bytes);
  const index = writing.rows.length;
  cuts.push({ id: message(writing, 'user', { content }), index, context });
}

function picture(recorder: Recorder): object {
  const { mediaType, data } = pictureOf(recorder);
  recorder.context += 300;
  return { type: 'image', mimeType: mediaType, data };
}

function providerOf(model: string): string {
  return model.startsWith('claude') ? 'anthropic' : model.startsWith('gpt') ? 'openai' : 'other';
}

function answer(writing: Writing, step: Answer): void {
  const { recorder, model, cuts } = writing;
  recorder.now += step.pause;
  const started = recorder.now;
  const counts = countCall(recorder, 50 + step.text, step.usage);
  recorder.now += 1_500;
  const provider = providerOf(model);
  const ids = step.calls.map((_, nth) => callIdOf(recorder, step.ids, nth));
  const content = step.end === 'empty' ? [] : contentOf(recorder, step, ids);
  const stopReason =
    step.end === 'aborted' ? 'aborted' : step.end === 'failed' ? 'error' : ids.length > 0 ? 'toolUse' : 'stop';
  const api = provider === 'anthropic' ? 'anthropic-messages' : 'openai-responses';
  const fields = { content, api, provider, model, stopReason, ...usageOf(counts, step) };
  cuts.push({
    id: message(writing, 'assistant', fields, started),
    index: writing.rows.length - 1,
    context: recorder.context,
  });
  if (step.end !== 'finished') return;
  weigh(recorder, step.text);
  results(writing, step, ids);
}

function usageOf({ fresh, read, written, output }: ReturnType<typeof countCall>, { usage: form }: Answer): object {
  if (form === 'none') return {};
  if (form === 'zeros') return { usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } };
  if (form === 'answer-only') return { usage: { input: 0, output, cacheRead: 0, cacheWrite: 0 } };
  if (form === 'no-cache-fields') return { usage: { input: fresh + read + written, output } };
  return { usage: { input: fresh, output, cacheRead: read, cacheWrite: written, cost: { total: 0.01 } } };
}

function contentOf(recorder: Recorder, step: Answer, ids: readonly string[]): readonly object[] {
  const texts = step.thinking === 'only' ? [] : [{ type: 'text', text: textOf(recorder, step.text) }];
  const calls = ids.map((id, nth) => ({
    type: 'toolCall',
    id,
    name: nth % 7 === 6 ? 'mcp/odd name' : 'read',
    arguments: JSON.parse(inputOf(step.input)),
  }));
  return [...thinkingOf(recorder, step), ...texts, ...calls];
}

function thinkingOf(recorder: Recorder, { thinking }: Answer): readonly object[] {
  const text = thinking === 'none' ? '' : textOf(recorder, thinking === 'shared-signature' ? 4 : 300);
  switch (thinking) {
    case 'none':
      return [];
    case 'unsigned':
      return [{ type: 'thinking', thinking: text }];
    case 'redacted':
      return [{ type: 'thinking', thinking: '', redacted: true, thinkingSignature: `data-${recorder.made}` }];
    case 'shared-signature':
      return [{ type: 'thinking', thinking: 'same', thinkingSignature: '[REDACTED_SIGNATURE]' }];
    case 'signed':
    case 'only':
      return [{ type: 'thinking', thinking: text, thinkingSignature: `sig-${recorder.made}` }];
  }
}

function results(writing: Writing, step: Answer, ids: readonly string[]): void {
  const { recorder } = writing;
  const order = step.shuffled
    ? step.calls.map((call, nth) => ({ call, nth })).toReversed()
    : step.calls.map((call, nth) => ({ call, nth }));
  order.forEach(({ call, nth }, place) => {
    if (step.steer && place === Math.floor(order.length / 2)) prompt(writing, 60, false);
    recorder.now += 300;
    if (!call.lost) result(writing, ids[nth] ?? '', call);
  });
}

function result(writing: Writing, toolCallId: string, { bytes, error, image }: Returned): void {
  const { recorder } = writing;
  const content = [{ type: 'text', text: textOf(recorder, bytes) }, ...(image ? [picture(recorder)] : [])];
  weigh(recorder, bytes);
  message(writing, 'toolResult', { toolCallId, toolName: 'read', content, isError: error });
}

function compact(writing: Writing, keep: number): void {
  const { recorder, cuts, script } = writing;
  const cut = cuts.at(-1 - keep);
  if (cut === undefined) return;
  const kept = Math.max(0, recorder.context - cut.context);
  const before = Math.round(recorder.context);
  const summary = textOf(recorder, 1_500);
  recorder.context = script.front + kept + 450;
  recorder.cached = Math.min(recorder.cached, script.front);
  const from = script.version === 1 ? { firstKeptEntryIndex: cut.index } : { firstKeptEntryId: cut.id };
  add(writing, { type: 'compaction', summary, ...from, tokensBefore: before });
}

function rewind(writing: Writing, to: number, summary: boolean): void {
  if (writing.script.version === 1) return;
  const node = writing.nodes.at(-1 - to);
  if (node === undefined || node.id === '') return;
  const { now, made } = writing.recorder;
  writing.recorder = { ...node.recorder, now, made };
  writing.parent = node.id;
  writing.cuts.length = 0;
  if (summary) add(writing, { type: 'branch_summary', fromId: 'left', summary: textOf(writing.recorder, 400) });
}
