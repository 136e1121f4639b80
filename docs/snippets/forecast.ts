// The code under test: a loop around the official SDK, with one tool.

import Anthropic from '@anthropic-ai/sdk';

const RULES = 'Answer in one sentence. Name the city and the temperature. '.repeat(200);

const tools: Anthropic.Tool[] = [
  {
    name: 'temperature',
    description: 'Returns the temperature of a city in °C.',
    input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
];

/** Asks the model for a forecast, and runs the tool as often as the model calls it. */
export async function forecast(city: string, client: Anthropic = new Anthropic()): Promise<string> {
  const system = [{ type: 'text' as const, text: RULES, cache_control: { type: 'ephemeral' as const } }];
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: `How warm is it in ${city}?` }];
  for (;;) {
    const answer = await client.messages.create({
      model: 'claude-sonnet-5-5',
      max_tokens: 500,
      system,
      tools,
      messages,
    });
    const calls = answer.content.filter((block) => block.type === 'tool_use');
    if (calls.length === 0) return answer.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    const results = calls.map(({ id }) => ({ type: 'tool_result' as const, tool_use_id: id, content: '21' }));
    messages.push({ role: 'assistant', content: answer.content }, { role: 'user', content: results });
  }
}
