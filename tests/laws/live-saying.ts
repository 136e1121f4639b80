// What a model is made to say to a request of a session at work: the next of its answers, or that it is done.

import type { ScriptedBlock } from '@tidemark/simulator';
import type { MadeAnswer, MadeCall } from './live-commands.ts';
import type { LiveSaying } from './live-provider.ts';
import { words } from './made-content.ts';

/** What the words are made with. */
export interface Speaker {
  readonly script: MadeAnswer[];
  readonly beside: Map<string, MadeAnswer>;
  readonly ids: string[];
  nonce: number;
}

/** The words of a side call hold its name, which nothing else does. */
const BESIDE = /\[beside \d+\]/g;

/** The next thing that is said. */
export function sayingOf(speaker: Speaker, body: string): LiveSaying {
  const beside = body.match(BESIDE)?.at(-1);
  const answer = beside === undefined ? speaker.script.shift() : speaker.beside.get(beside);
  if (answer === undefined) return { blocks: [{ type: 'text', text: 'Done.' }], stop: 'end_turn', pace: 0 };
  const { pace, failing, cut, refuses } = answer;
  const calls = refuses ? [] : answer.calls;
  const last = calls.length - 1;
  const blocks = [
    ...answer.said.map((one) => saidBlock(speaker, one)),
    ...calls.map((call, index) => callBlock(speaker, call, cut && index === last)),
  ];
  const ending = refuses ? 'refusal' : cut ? 'max_tokens' : calls.length > 0 ? 'tool_use' : 'end_turn';
  return { blocks, stop: ending, pace, ...(failing === undefined ? {} : { failing }) };
}

function saidBlock(speaker: Speaker, { type, size }: MadeAnswer['said'][number]): ScriptedBlock {
  const name = speaker.nonce++;
  switch (type) {
    case 'text':
      return { type: 'text', text: words(name, size) };
    case 'blank':
      return { type: 'text', text: ' \n' };
    case 'thinking':
      return { type: 'thinking', thinking: words(name, size), signature: `signed-${name}` };
    case 'redacted':
      return { type: 'redacted_thinking', data: `sealed-${name}` };
  }
}

function callBlock(speaker: Speaker, call: MadeCall, cut: boolean): ScriptedBlock {
  const { fate, asked, raw } = call;
  const whole = raw ?? JSON.stringify({ fate, asked });
  const id = idOf(speaker, call);
  speaker.ids.push(id);
  return { type: 'tool_use', id, name: call.tool, arguments: cut ? whole.slice(0, -1) : whole };
}

function idOf({ ids, nonce }: Speaker, { id }: MadeCall): string {
  const fresh = `toolu_${nonce}_${ids.length}`;
  switch (id) {
    case 'fresh':
      return fresh;
    case 'foreign':
      return `call_${nonce}|fc_${ids.length}`;
    case 'repeated':
      return ids[nonce % Math.max(1, ids.length)] ?? fresh;
    case 'doubled':
      return ids.at(-1) ?? fresh;
  }
}
