// Describes background processes for the model.

import type { BackgroundProcess } from '@tidemark/agent';
import type { BackgroundStart } from '../bash/background-starter.ts';
import type { Shell } from '../bash/shell.ts';

/** Returns the lines that the result of a start adds. */
export function describeStart(
  id: string,
  { network, ports }: BackgroundStart['reach'],
  shell: Shell,
): readonly string[] {
  const isApart = network && shell.sandboxed && shell.network === 'off';
  return [
    ...(isApart
      ? [`${id} has the network of this machine, so other commands reach its ports only with network: true`]
      : []),
    ...(ports.length > 0
      ? [`the user can open ${ports.map((port) => `127.0.0.1:${port}`).join(', ')} while ${id} runs`]
      : []),
  ];
}

/** Returns the lines about the state of a process. They come after its output. */
export function describeProcess(
  process: BackgroundProcess,
  { lines, hasOutput }: { readonly lines: readonly string[]; readonly hasOutput: boolean },
): string {
  const none = hasOutput ? '' : 'no new output; ';
  const all = [...lines, `${none}${process.id} ${describeState(process)}`];
  return all.map((line) => `[${line}]`).join('\n');
}

/** Returns the state of a process in words. */
export function describeState({
  running,
  exit,
  signal,
}: Pick<BackgroundProcess, 'running' | 'exit' | 'signal'>): string {
  if (running) return 'runs in the background';
  if (exit !== undefined) return `has ended: exit ${exit}`;
  return signal === undefined ? 'has ended' : `has ended: ${signal}`;
}
