// Provider of the recorded demo. The simulator listens on a real port, and the official SDK calls it.

import { defined } from '@tidemark/core';
import type { Answer, Capabilities } from '@tidemark/model';
import { ProviderError } from '@tidemark/model';
import { createAnthropicProvider } from '@tidemark/provider-anthropic';
import type { RecordedCall, Server } from '@tidemark/recording';
import type { PlannedAnswer, ScriptedBlock } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import { itemAt } from '@tidemark/context';

/** Server that answers over HTTP, with a method to close it. */
export interface DemoServer extends Server {
  readonly url: string;
  close(): Promise<void>;
}

/** Opens a loopback port on which the simulator gives the recorded answers. */
export async function openDemoServer(): Promise<DemoServer> {
  const rows = new Map<string, Capabilities>();
  const simulator = createSimulator({
    capabilities: (model) => rows.get(model),
    clock: 'virtual',
    recordedSignatures: 'issued',
    firstByteMs: 0,
  });
  const listening = await simulator.listen();
  const provider = createAnthropicProvider({ apiKey: 'simulated', baseURL: listening.url });
  return {
    url: listening.url,
    know: (capabilities) => void rows.set(capabilities.model, capabilities),
    serve: async ({ body, betas, sequence }, sentAt, call) => {
      simulator.next({
        at: Date.parse(sentAt),
        sizes: (index) => itemAt(sequence.blocks, index)?.tokens,
        ...defined({ answer: call === undefined ? undefined : plannedAnswer(call) }),
      });
      try {
        return withRecordedOutput(await lastPart(provider.send({ body, betas })), call?.usage);
      } catch (error) {
        if (error instanceof ProviderError && error.class === 'refused') return { refused: error.message };
        throw error;
      }
    },
    close: () => listening.close(),
  };
}

async function lastPart(parts: ReturnType<ReturnType<typeof createAnthropicProvider>['send']>): Promise<Answer> {
  for await (const part of parts) if (part.type === 'finished') return part.answer;
  throw new ProviderError(
    'retryable',
    'provider/cut',
    'the answer of the simulator is incomplete: run the demo again',
    { provider: 'anthropic' },
  );
}

/** Returns the simulator's answer. Its number of output tokens is replaced by the number in the recording. */
function withRecordedOutput(
  answer: Answer,
  { answer: output }: RecordedCall['usage'] = {},
): { readonly usage: Answer['usage']; readonly answer: Answer } {
  const usage = output === undefined ? answer.usage : { ...answer.usage, answer: output };
  return { usage, answer: { ...answer, usage } };
}

function plannedAnswer(call: RecordedCall): PlannedAnswer {
  const blocks = call.data.parts.flatMap((part): readonly ScriptedBlock[] => {
    if (part.type === 'text') return [{ type: 'text', text: part.text }];
    if (part.type !== 'call') return [];
    return [{ type: 'tool_use', id: part.call, name: part.name, arguments: part.arguments }];
  });
  return { blocks, outputTokens: call.usage.answer ?? 1 };
}
