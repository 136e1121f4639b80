// Live test against the real Anthropic API, with the key in ANTHROPIC_API_KEY: one turn with a custom tool, in which
// the second call reads the cache that the first call wrote. The test costs one or two cents and is skipped without a
// key.

import { createAgent, defineTool } from '@tidemark/kit';
import type { Recorded } from '@tidemark/log';
import { verifySession } from '@tidemark/agent';
import { anthropicEncoder } from '@tidemark/provider-anthropic';
import { expect, test } from 'vitest';
import { z } from 'zod';

const apiKey = process.env['ANTHROPIC_API_KEY'] ?? '';

test.skipIf(apiKey === '')(
  'a turn with a tool against the real API reads its own cache, and its requests are rebuilt byte for byte',
  async () => {
    const agent = createAgent({
      model: process.env['TIDEMARK_LIVE_MODEL'] ?? 'claude-haiku-4-5',
      apiKey, // The instructions below are longer than the cache floor of every model, so the first call writes a cache entry that the second call can read.
      instructions: 'You look up tides. Answer in one short sentence. '.repeat(400),
      tools: [
        defineTool({
          name: 'tide_at',
          description: 'The height of the tide at a harbour, in metres.',
          input: z.object({ harbour: z.string() }),
          effect: 'read',
          run: ({ harbour }) => `${harbour}: 2.4 m`,
        }),
      ],
      permissions: { mode: 'read-only' },
      limits: { maxCost: '0.25', maxSteps: 6 },
    });
    try {
      const session = await agent.open();
      const turn = await session.prompt('How high is the tide at Husum? Use the tool.');
      expect(turn).toMatchObject({ outcome: 'completed', text: expect.stringContaining('2.4') });
      const answers: Extract<Recorded, { kind: 'answer.received' }>[] = [];
      for await (const record of agent.log.read(session.id))
        if (record.kind === 'answer.received') answers.push(record);
      expect(answers.at(-1)?.data.usage.read).toBeGreaterThan(0);
      const verified = await verifySession(agent.log, session.id, { encoders: () => anthropicEncoder });
      expect(verified).toMatchObject({ differences: [], breaks: [] });
    } finally {
      await agent.close();
    }
  },
);

if (apiKey === '')
  process.stdout.write('skipped: anthropic.live.test.ts needs ANTHROPIC_API_KEY, and costs a cent or two\n');
