// What a model is made to say, by a specification.

import type { ScriptedBlock, WireStopReason } from '@tidemark/simulator';
import type { AnswerSpec, CallSpec, Outcome, SaidSpec } from './commands.ts';
import type { Driver } from './driver.ts';
import { words } from './made-content.ts';
import type { Saying } from './server.ts';

/** What a model says by a specification. An answer that was cut off has no call that came whole behind the cut. */
export function sayingOf(driver: Driver, spec: AnswerSpec, outcome: Outcome): Saying {
  const said = spec.said.map((one) => saidBlock(driver, one));
  const calls = spec.calls.map((call) => callBlock(driver, call));
  const blocks: readonly ScriptedBlock[] =
    outcome === 'answered' ? [...said, ...calls] : [...said, ...calls.slice(0, 1)];
  const stop: WireStopReason = calls.length > 0 ? 'tool_use' : 'end_turn';
  return { blocks, stop };
}

function saidBlock(driver: Driver, spec: SaidSpec): ScriptedBlock {
  const name = driver.nonce++;
  switch (spec.kind) {
    case 'thinking':
      return { type: 'thinking', thinking: words(name, Math.min(spec.size, 3_000)), signature: `signed-${name}` };
    case 'redacted':
      return { type: 'redacted_thinking', data: `sealed-${name}` };
    case 'text':
      return {
        type: 'text',
        text: spec.text.kind === 'odd' ? spec.text.text : words(name, Math.min(spec.text.size, 6_000)),
      };
  }
}

function callBlock(driver: Driver, spec: CallSpec): ScriptedBlock {
  const id = idOf(driver, spec);
  driver.ids.push(id);
  return { type: 'tool_use', id, name: spec.name, arguments: spec.arguments };
}

function idOf(driver: Driver, spec: CallSpec): string {
  const name = driver.nonce++;
  const known = driver.ids[name % Math.max(1, driver.ids.length)];
  switch (spec.id) {
    case 'fresh':
      return `toolu_${name}`;
    case 'foreign':
      return `call_${name}|fc_${name}`;
    case 'repeated':
      return known ?? `toolu_${name}`;
    case 'doubled':
      return driver.ids.at(-1) ?? `toolu_${name}`;
    case 'alias':
      // What a repeated id would be called where the next answer stands.
      return `${known ?? 'toolu'}_${driver.session.state.length}`;
  }
}
