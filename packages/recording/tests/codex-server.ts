// Drives the app server of the Codex CLI, which speaks JSON-RPC in lines over standard input and output.

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: { readonly thread?: { readonly id: string }; readonly turn?: { readonly id: string } };
  readonly error?: { readonly message: string };
  readonly params?: { readonly turnId?: string; readonly turn?: { readonly id: string } };
}

/** App server of one process. Each function returns when the client has finished. */
export interface CodexServer {
  /** Starts a thread and returns its id. */
  start(options: object): Promise<string>;
  /** Runs one turn and returns its id. */
  turn(thread: string, text: string, options?: object, more?: readonly object[]): Promise<string>;
  /** Starts a turn, and interrupts it after the first text of the answer. */
  interruptedTurn(thread: string, text: string): Promise<void>;
  fork(thread: string): Promise<string>;
  compact(thread: string): Promise<void>;
  /** Removes a turn and all later turns from the thread. */
  revert(thread: string, turn: string): Promise<void>;
  close(): Promise<void>;
}

/** Starts the app server of a client. */
export async function startCodexServer(
  program: string,
  { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<CodexServer> {
  const client = spawn(program, ['app-server'], { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
  const closed = new Promise<void>((resolve) => void client.on('close', () => resolve()));
  const waiting = new Map<number, (message: Message) => void>();
  const seen: Message[] = [];
  let notice: () => void = () => undefined;
  createInterface({ input: client.stdout }).on('line', (line) => {
    const message: Message = JSON.parse(line);
    if (message.method === undefined && message.id !== undefined) waiting.get(message.id)?.(message);
    else seen.push(message);
    notice();
  });
  const send = (message: object): void => void client.stdin.write(`${JSON.stringify(message)}\n`);
  const request = (method: string, params: object): Promise<NonNullable<Message['result']>> =>
    new Promise((resolve, reject) => {
      const id = waiting.size + 1;
      waiting.set(id, ({ result, error }) =>
        error === undefined ? resolve(result ?? {}) : reject(new Error(`${method}: ${error.message}`)),
      );
      send({ id, method, params });
    });
  const until = (isFound: (message: Message) => boolean): Promise<void> =>
    new Promise((resolve) => {
      notice = () => (seen.some(isFound) ? resolve() : undefined);
      notice();
    });
  const ended = (turn: string) =>
    until(({ method, params }) => method === 'turn/completed' && params?.turn?.id === turn);
  const begin = async (thread: string, text: string, options: object = {}, more: readonly object[] = []) => {
    const input = [{ type: 'text', text, text_elements: [] }, ...more];
    const { turn } = await request('turn/start', { threadId: thread, input, ...options });
    return turn?.id ?? '';
  };
  await request('initialize', {
    clientInfo: { name: 'tidemark', title: 'Tidemark', version: '1' },
    capabilities: { experimentalApi: true },
  });
  send({ method: 'initialized' });
  return {
    start: async (options) => (await request('thread/start', options)).thread?.id ?? '',
    turn: async (thread, text, options, more) => {
      const turn = await begin(thread, text, options, more);
      await ended(turn);
      return turn;
    },
    interruptedTurn: async (thread, text) => {
      const turn = await begin(thread, text);
      await until(({ method, params }) => method === 'item/agentMessage/delta' && params?.turnId === turn);
      await request('turn/interrupt', { threadId: thread, turnId: turn });
      await ended(turn);
    },
    fork: async (thread) => (await request('thread/fork', { threadId: thread })).thread?.id ?? '',
    compact: async (thread) => {
      const before = seen.filter(({ method }) => method === 'turn/completed').length;
      await request('thread/compact/start', { threadId: thread });
      await until(() => seen.filter(({ method }) => method === 'turn/completed').length > before);
    },
    revert: async (thread, turn) => void (await request('thread/revert', { threadId: thread, beforeTurnId: turn })),
    close: async () => {
      client.stdin.end();
      await closed;
    },
  };
}
