// Where a stream can break: read off a stream of the wire itself, so that a name means the same on every wire.

import type { ScriptedAnswer } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import type { Wire } from './provider-wires.ts';

/** A point of a stream: behind so many events. */
export interface Point {
  readonly name: string;
  readonly afterEvents: number;
}

const INSIDE: readonly (readonly [name: string, event: RegExp])[] = [
  ['in reasoning', /thinking_delta|"type":"reasoning"|"reasoning":/],
  ['in text', /text_delta|output_text\.delta|"content":"[^"]/],
  ['in the arguments of a call', /input_json_delta|function_call_arguments\.delta|"arguments":"[^"]/],
];

/** What says that a second call begins. */
const SECOND = /call_b|call_d/;

/** The named points of this answer's stream; with `all` each place between two events. */
export async function pointsOf(wire: Wire, answer: ScriptedAnswer, deltas: number, all: boolean): Promise<Point[]> {
  const events = await eventsOf(wire, answer, deltas);
  if (all) return events.map((_, afterEvents) => ({ name: `behind ${afterEvents} events`, afterEvents }));
  const inside = INSIDE.map(([name, event]) => ({ name, afterEvents: events.findIndex((one) => event.test(one)) + 1 }));
  const second = events.findIndex((one) => SECOND.test(one));
  const points = [
    { name: 'before the first byte', afterEvents: 0 },
    { name: 'behind its head', afterEvents: 1 },
    ...inside.filter(({ afterEvents }) => afterEvents > 0),
    ...(second > 0 ? [{ name: 'between two calls', afterEvents: second }] : []),
    { name: 'before its last event', afterEvents: events.length - 1 },
  ];
  return points;
}

async function eventsOf(wire: Wire, answer: ScriptedAnswer, deltaCharacters: number): Promise<readonly string[]> {
  const simulator = createSimulator({ deltaCharacters, onRequest: () => ({ answer }) });
  const listening = await simulator.listen();
  try {
    const text = await (await wire.request(listening.url)).text();
    return text.split('\n\n').filter((event) => event.trim() !== '');
  } finally {
    await listening.close();
  }
}
