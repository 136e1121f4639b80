import { describeHttpContract } from '@tidemark/provider-wire/contract';
import { createOpenRouterProvider } from './provider.ts';

const sse = (chunk: object): string => `data: ${JSON.stringify(chunk)}\n\n`;

describeHttpContract('OpenRouter', {
  make: createOpenRouterProvider,
  body: '{"model":"m","messages":[]}',
  begun: [sse({ id: 'gen-1', model: 'm', choices: [{ index: 0, delta: { content: 'Hé' } }] })],
  failing: (message) => sse({ error: { code: 502, message } }),
  refusing: (message) => ({ error: { code: 401, message } }),
});
