// Points at which a stream can break. They are found in a real stream of the wire, so a point's name means the same on
// every wire.

import type { PlannedAnswer } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import type { Wire } from './provider-wires.ts';

/** Point of a stream, with the number of events before it and after it. */
export interface Point {
  readonly name: string;
  readonly afterEvents: number;
  readonly left: number;
}

/**
 * Parts of a stream. `event` matches an event inside the part, and `isIn` checks if the stream of an answer on a wire
 * has such a part.
 */
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

/**
 * Returns the named points of an answer's stream. With `all`, returns every place before, between and after its events.
 */
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

/**
 * Returns the index of the first event for which `shows` returns true. Throws if there is no such event, because the
 * point would otherwise be skipped silently.
 */
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
