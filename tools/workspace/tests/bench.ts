// Test bench: a workspace in a temporary folder, with a folder outside it. Calls tools in the same way as the runtime.

import type { ResultRoom, Tool, ToolContext, ToolOutput, ToolRun } from '@tidemark/agent';
import type { FileTouch } from '@tidemark/log';
import { callId, sessionId } from '@tidemark/log';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Confinement } from '../src/confine/confine.ts';
import { createConfinement } from '../src/confine/confine.ts';
import { NO_HISTORY } from './history-of.ts';

/** Result of a call, in the form that the model would receive. */
export interface Called extends ToolOutput {
  readonly text: string;
  /** Code of the thrown error, or `problem` for refused arguments. `undefined` if the call returned. */
  readonly code: string | undefined;
}

/** A workspace in a temporary folder with files outside it. Calls tools in the same way as the runtime. */
export interface Bench {
  readonly folder: string;
  readonly outside: string;
  readonly confinement: Confinement;
  /** Files that the session has read or written, by path. Each successful call adds its files. */
  readonly seen: Map<string, FileTouch>;
  put(name: string, content: string | Uint8Array): Promise<string>;
  content(name: string): Promise<string>;
  /** Parses the arguments and returns the call to run. Throws if the arguments are refused. */
  judge(tool: Tool, input: unknown): Promise<ToolRun>;
  run(call: ToolRun, given?: Partial<ToolContext>): Promise<Called>;
  call(tool: Tool, input: unknown, given?: Partial<ToolContext>): Promise<Called>;
}

/** Creates a bench. Its folders are removed when the test ends. */
export async function openBench(): Promise<Bench> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'tidemark-tools-')));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const [folder, outside] = [join(root, 'work'), join(root, 'outside')];
  await mkdir(folder);
  await mkdir(outside);
  return benchIn(folder, outside);
}

function benchIn(folder: string, outside: string): Bench {
  const seen = new Map<string, FileTouch>();
  const judge = async (tool: Tool, input: unknown): Promise<ToolRun> => {
    const read = await tool.read(input);
    if ('problem' in read) throw new Error(read.problem);
    return read;
  };
  const run = async (call: ToolRun, given: Partial<ToolContext> = {}): Promise<Called> => {
    try {
      const context = { ...contextOf(seen), ...given };
      const { page, pageFiles, ...output } = await call.run(context);
      const text = page === undefined ? {} : { text: await page(context.room(), async (words) => sizeOf(words)) };
      const files = [...(output.files ?? []), ...(pageFiles?.() ?? [])];
      for (const file of files) seen.set(file.path, file);
      return { text: '', ...output, ...text, ...(files.length > 0 && { files }), code: undefined };
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) throw error;
      return { text: error.message, code: error.code };
    }
  };
  return {
    folder,
    outside,
    confinement: createConfinement({ folder }),
    seen,
    judge,
    run,
    async put(name, content) {
      const path = join(folder, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
      return path;
    },
    content: (name) => readFile(join(folder, name), 'utf8'),
    async call(tool, input, given) {
      const read = await tool.read(input);
      return 'problem' in read ? { text: read.problem, code: 'problem' } : run(read, given);
    },
  };
}

function sizeOf(text: string): ResultRoom {
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  return { bytes: Buffer.byteLength(text), lines };
}

/** Returns the context of a call in a session that knows these files. */
export function contextOf(seen: ReadonlyMap<string, FileTouch>): ToolContext {
  return {
    session: sessionId('session-1'),
    call: callId('call_1'),
    notice: () => undefined,
    signal: new AbortController().signal,
    write: async () => undefined,
    progress: () => undefined,
    mask: async (text) => text,
    fileSeen: (path) => seen.get(path),
    skills: { preloaded: [], loaded: [] },
    room: () => ({ bytes: 51_200, lines: 2_000 }),
    output: () => undefined,
    history: NO_HISTORY,
  };
}
