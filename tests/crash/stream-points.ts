// Where a stream can break: read off a stream of the wire itself, so that a name means the same on every wire.

import type { PlannedAnswer } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import type { Wire } from './provider-wires.ts';

/** A point of a stream: behind so many events, before so many others. */
export interface Point {
  readonly name: string;
  readonly afterEvents: number;
  readonly left: number;
}

/** What shows that a stream is inside a part, and which streams have one. */
const INSIDE: readonly {
  readonly name: string;
  readonly event: RegExp;
  readonly isIn: (answer: PlannedAnswer, wire: Wire) => boolean;
}[] = [
  {
    name: 'in reasoning',
    event: /thinking_delta|"type":"reasoning"|"reasoning":/,
    isIn: ({ thinking }, { showsReasoning }) => thinking !== undefined && showsReasoning,
  },
  {
    name: 'in text',
    event: /text_delta|output_text\.delta|"content":"[^"]/,
    isIn: ({ text }) => text !== undefined,
  },
  {
    name: 'in the arguments of a call',
    event: /input_json_delta|function_call_arguments\.delta|"arguments":"[^"]/,
    isIn: ({ calls = [] }) => calls.length > 0,
  },
];

/** The named points of this answer's stream; with `all` each place before, between and behind its events. */
export async function pointsOf(
  wire: Wire,
  answer: PlannedAnswer,
  deltas: number,
  all: boolean,
): Promise<readonly Point[]> {
  const events = await eventsOf(wire, answer, deltas);
  const point = (afterEvents: number, name = `behind ${afterEvents} events`): Point => ({
    name,
    afterEvents,
    left: events.length - afterEvents,
  });
  const last = point(events.length, 'behind its last event');
  if (all) return [...events.map((_, afterEvents) => point(afterEvents)), last];
  const second = answer.calls?.[1]?.id;
  const inside = INSIDE.filter(({ isIn }) => isIn(answer, wire));
  return [
    point(0, 'before the first byte'),
    point(1, 'behind its head'),
    ...inside.map(({ name, event }) => point(placeOf(events, name, (one) => event.test(one)) + 1, name)),
    ...(second === undefined
      ? []
      : [
          point(
            placeOf(events, second, (one) => one.includes(second)),
            'between two calls',
          ),
        ]),
    point(events.length - 1, 'before its last event'),
    last,
  ];
}

/** A point that no event shows would be left out in silence. */
function placeOf(events: readonly string[], what: string, shows: (event: string) => boolean): number {
  const place = events.findIndex(shows);
  if (place === -1) throw new Error(`no event of this wire shows the point "${what}"`);
  return place;
}

async function eventsOf(wire: Wire, answer: PlannedAnswer, deltaCharacters: number): Promise<readonly string[]> {
  const simulator = createSimulator({ deltaCharacters, onRequest: () => ({ answer }) });
  const listening = await simulator.listen();
  try {
    const text = await (await wire.request(listening.url)).text();
    return text.split('\n\n').filter((event) => event.trim() !== '');
  } finally {
    await listening.close();
  }
}
