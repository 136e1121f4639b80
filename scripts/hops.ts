// `npm run hops`: counts the files and functions that one turn of an agent executes, measured with V8's coverage. The
// turn consists of a prompt, a tool call and the answer. The provider is the simulator, called through Anthropic's SDK.
// `--files` lists each file with its functions.

import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import type { Profiler } from 'node:inspector/promises';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { AgentOptions, AgentSession } from '@tidemark/kit';
import { createAgent, defineTool } from '@tidemark/kit';
import type { ScriptedCall } from '@tidemark/simulator';
import { createSimulator } from '@tidemark/simulator';
import { z } from 'zod';

/**
 * Matches the source files whose functions are counted. The simulator and its server are excluded, because they replace
 * an external provider.
 */
const PRODUCT = /^(packages\/(?!simulator|http-server)|providers\/|stores\/|tools\/).*\/src\//;

const root = fileURLToPath(new URL('../', import.meta.url));
const findOrder = defineTool({
  name: 'find_order',
  description: 'Returns the amount paid for an order, in euros.',
  input: z.object({ order: z.string() }),
  effect: 'read',
  run: ({ order }) => ({ order, paid: 39 }),
});

await withFolder(async (folder) => {
  report(
    'an agent with one custom tool, in memory',
    await filesOfTurn({ tools: [findOrder] }, 'find_order', { order: 'A-17' }),
  );
  await writeFile(join(folder, 'notes.txt'), 'first line\n');
  const options = { workspace: folder, store: { home: join(folder, 'home') } };
  report(
    'an agent that reads a file in its workspace, on disk',
    await filesOfTurn(options, 'read', { path: 'notes.txt' }),
  );
});

async function withFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'hops-')));
  try {
    await run(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Runs one turn in which the model calls the tool `name` once. Returns the called functions by file. */
async function filesOfTurn(
  options: Partial<AgentOptions>,
  name: string,
  input: ScriptedCall['arguments'],
): Promise<CalledFiles> {
  const steps = [{ answer: { calls: [{ name, arguments: input }] } }, { answer: { text: 'Done.' } }];
  const server = await createSimulator({ scenario: { steps } }).listen();
  const agent = createAgent({
    model: 'claude-sonnet-5-5',
    apiKey: 'simulated',
    baseURL: server.url,
    permissions: { mode: 'auto' },
    ...options,
  });
  try {
    const session = await agent.open();
    return calledFiles(await coverageOf(() => session.prompt('Do it.')));
  } finally {
    await agent.close();
    await server.close();
  }
}

/**
 * Returns the coverage of the turn alone. Code that ran while modules were loaded and the session was opened does not
 * count.
 */
async function coverageOf(turn: () => ReturnType<AgentSession['prompt']>): Promise<readonly Profiler.ScriptCoverage[]> {
  const profiler = new Session();
  profiler.connect();
  await profiler.post('Profiler.enable');
  await profiler.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const { outcome, error, totals } = await turn();
  const { result } = await profiler.post('Profiler.takePreciseCoverage');
  profiler.disconnect();
  if (outcome === 'completed' && totals.steps === 2) return result;
  throw new Error(`the turn ended as ${outcome} after ${totals.steps} steps: ${error?.message ?? 'no error'}`);
}

/** Names of the functions that were called, by source file. */
type CalledFiles = ReadonlyMap<string, readonly string[]>;

function calledFiles(coverage: readonly Profiler.ScriptCoverage[]): CalledFiles {
  const found = new Map<string, readonly string[]>();
  for (const { url, functions } of coverage) {
    const path = url.startsWith('file://') ? fileURLToPath(url).replace(root, '') : '';
    const called = functions.filter(isCalled).map(({ functionName }) => functionName);
    if (PRODUCT.test(path) && called.length > 0) found.set(path, called);
  }
  return found;
}

/**
 * Returns true if a function with a name was called. The top-level code of a module has no function name. It does not
 * count, because loading a file is not a step of the turn.
 */
function isCalled({ functionName, ranges }: Profiler.FunctionCoverage): boolean {
  return functionName !== '' && (ranges[0]?.count ?? 0) > 0;
}

function report(title: string, found: CalledFiles): void {
  console.log(`${title}: ${found.size} files, ${[...found.values()].flat().length} functions`);
  const rooms = Map.groupBy([...found], ([path]) => path.replace(/\/src\/.*/, ''));
  for (const [room, files] of [...rooms].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    console.log(`  ${room}: ${files.length} files, ${files.flatMap(([, called]) => called).length} functions`);
    if (!process.argv.includes('--files')) continue;
    for (const [path, called] of files) console.log(`    ${path}  ${called.join(' ')}`);
  }
}
