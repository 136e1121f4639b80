// First run without a key: explains the ways to a model, and lets the user choose those that work at once.

import type { AgentFlags } from '../arguments/agent-flags.ts';
import type { CommandContext } from '../frame/command.ts';
import { CliError } from '../frame/failure.ts';
import { withStyle } from '../frame/shown.ts';

/**
 * Calls `open` with the flags. If there is no key, asks the user for another way, and calls `open` with its flags. If
 * the user chooses none, throws the error of the missing key.
 */
export async function openWithWaysIn<Opened>(
  flags: AgentFlags,
  { input, output, signal }: Pick<CommandContext, 'input' | 'output' | 'signal'>,
  open: (flags: AgentFlags) => Promise<Opened>,
): Promise<Opened> {
  try {
    return await open(flags);
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== 'cli/no-key') throw error;
    output.note([withStyle('yellow', 'notice'), `: ${error.message}`]);
    for (const line of WAYS) output.note(line);
    const ask = async (question: string): Promise<string> => (await input.ask(question, signal)).trim();
    const chosen = await chooseWay(ask);
    if (chosen === undefined) throw error;
    return open({ ...flags, ...chosen });
  }
}

// Each line fits into 80 columns.
const WAYS = [
  'Ways to a model:',
  '  key        set that variable, or store a key: `tidemark keys set anthropic`',
  '  provider   `tidemark --provider openai --model <name>`; see `tidemark models`',
  '  simulator  answers of a simulator, without a key and without cost',
  '  server     a server of your own, such as llama.cpp, Ollama or vLLM',
];

async function chooseWay(ask: (question: string) => Promise<string>): Promise<AgentFlags | undefined> {
  const way = await ask('s: start with the simulator, l: connect to a local server, Enter: leave. ');
  if (/^s(imulator)?$/i.test(way)) return { provider: 'simulator' };
  if (!/^(l(ocal)?|server)$/i.test(way)) return undefined;
  const baseUrl = await ask('address, such as http://127.0.0.1:8080/v1: ');
  const model = await ask('name of the model on this server: ');
  const window = Number(await ask('context window of the model in tokens, such as 32768: '));
  if (baseUrl === '' || model === '' || !Number.isSafeInteger(window) || window <= 0) return undefined;
  return { provider: 'compatible', baseUrl, model, window };
}
