// A model without a key: a simulator in this process, whose answers arrive slowly, so that there is a middle to break.

import type { AnswerPlan, ReceivedRequest } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import { setTimeout as pause } from 'node:timers/promises';

/** Connection to a simulated model. */
export interface SimulatedModel {
  readonly apiKey: string;
  readonly baseURL: string;
  readonly connection: { readonly fetch: typeof fetch };
}

/** Starts the simulator. Each piece of an answer arrives `pieceMs` after the one before it. */
export async function startSimulatedModel(pieceMs: number): Promise<SimulatedModel> {
  const simulator = await createSimulator({ onRequest: answerTo, deltaCharacters: 12 }).listen();
  const slowFetch: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init);
    const slow = new TransformStream<Uint8Array, Uint8Array>({
      async transform(bytes, controller) {
        for (const event of new TextDecoder().decode(bytes).split(/(?<=\n\n)/)) {
          if (event.includes('_delta')) await pause(pieceMs);
          controller.enqueue(new TextEncoder().encode(event));
        }
      },
    });
    return new Response(answer.body?.pipeThrough(slow) ?? null, answer);
  };
  return { apiKey: 'simulated', baseURL: simulator.url, connection: { fetch: slowFetch } };
}

/** Answers from the request alone, so a simulator that was started again gives the same answer. */
function answerTo({ lastUserText, toolResults }: ReceivedRequest): AnswerPlan {
  const result = toolResults.at(-1);
  if (result !== undefined) return { answer: { text: `Done. ${result.text}` } };
  // The runtime puts notes before the words of the person.
  const words = lastUserText.split('</context>').at(-1)?.trim() ?? '';
  const guest = /^Book a table for (?<guest>.+)$/s.exec(words)?.groups?.['guest'];
  if (guest !== undefined) return { answer: { calls: [{ name: 'book_table', arguments: { guest } }] } };
  const hours = Array.from({ length: 12 }, (_, index) => `Hour ${index + 1}: the water rises.`);
  return { answer: { text: `You wrote: ${words}\n${hours.join('\n')}\nThis is the end.` } };
}
