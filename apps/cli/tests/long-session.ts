// Creates a long session in a home. It has one tool with long results and a model that calls the tool repeatedly.
// Whenever the window is nearly full, a checkpoint is created. The provider answers without delay.

import type { Tool } from '@tidemark/kit';
import { createAgent } from '@tidemark/kit';
import type { Provider, StreamPart } from '@tidemark/model';
import { anthropicEncoder, decodeMessage } from '@tidemark/provider-anthropic';
import { openNdjsonStore } from '@tidemark/store-ndjson';

/** Size of a long session. */
export interface LongSession {
  readonly turns: number;
  /** Number of requests per turn. */
  readonly steps: number;
  /** Size of each tool result in bytes, at most 45,000. */
  readonly resultBytes: number;
}

/** Creates the session and returns its id. */
export async function playLongSession(home: string, { turns, steps, resultBytes }: LongSession): Promise<string> {
  const look: Tool = {
    name: 'look',
    description: 'Looks.',
    schema: { type: 'object' },
    effect: 'read',
    read: () => ({ title: 'look', run: async () => ({ text: 'a line of code\n'.repeat(resultBytes / 15) }) }),
  };
  const agent = createAgent({
    model: 'claude-sonnet-4-5',
    provider: callingProvider(steps),
    store: openNdjsonStore({ home }),
    tools: [look],
    compaction: { when: 'auto' },
    permissions: { mode: 'auto' },
  });
  const session = await agent.open();
  for (let turn = 0; turn < turns; turn += 1) await session.prompt(`turn ${turn}`);
  await agent.close();
  return session.id;
}

/**
 * Returns a provider that answers with a tool call. Every `steps`-th answer is a text instead. The provider counts four
 * bytes as one token.
 */
function callingProvider(steps: number): Provider {
  let count = 0;
  return {
    name: 'anthropic',
    encoder: anthropicEncoder,
    async *send({ body }): AsyncGenerator<StreamPart> {
      count += 1;
      const ends = count % steps === 0;
      const call = { type: 'tool_use', id: `toolu_${count}`, name: 'look', input: {} };
      const message = {
        id: `msg_${count}`,
        type: 'message',
        role: 'assistant',
        model: 'claude-sonnet-4-5-20250929',
        content: ends ? [{ type: 'text', text: 'Done.' }] : [call],
        stop_reason: ends ? 'end_turn' : 'tool_use',
        usage: {
          input_tokens: Math.ceil(body.length / 4),
          cache_read_input_tokens: 0,
          cache_creation_input_tokens: 0,
          output_tokens: 20,
        },
      };
      yield { type: 'finished', answer: decodeMessage(JSON.stringify(message)) };
    },
  };
}
