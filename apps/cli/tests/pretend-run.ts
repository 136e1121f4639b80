// Runs the command line inside a test, with two texts as the output streams and a home or store chosen by the test.

import type { TriedPromise } from '@tidemark/kit';
import { tryPromises } from '@tidemark/kit';
import type { Keyring } from '@tidemark/settings';
import { SettingsError } from '@tidemark/settings';
import type { NdjsonStore } from '@tidemark/store-ndjson';
import { openNdjsonStore } from '@tidemark/store-ndjson';

import type { Command } from '../src/frame/command.ts';
import type { Input } from '../src/frame/input.ts';
import type { Sink } from '../src/frame/output.ts';
import type { ProcessEnvironment } from '../src/run.ts';
import { run } from '../src/run.ts';

/** Result of a run. */
export interface Ran {
  readonly exit: number;
  readonly out: string;
  readonly err: string;
}

/** Values that a test can choose. Each of them has a simple default. */
export interface Choices {
  readonly commands?: readonly Command[];
  readonly environment?: ProcessEnvironment['environment'];
  readonly store?: NdjsonStore;
  readonly signal?: AbortSignal;
  /** Keyring of the system. By default it cannot be used. */
  readonly keyring?: Keyring;
  readonly colour?: boolean;
  /** Folder in which the command runs. By default a folder that does not exist. */
  readonly folder?: string;
  readonly piped?: string | Uint8Array;
  /**
   * User at a terminal, who answers questions. The argument is all text shown since the last answer, with the question
   * at the end.
   */
  readonly person?: (question: string) => string;
  /** Rows of the terminal. The default of 1,000 avoids paging. */
  readonly rows?: number;
}

/**
 * Result of the sandbox tests for this machine. The first run that needs the result starts the tests, and later runs
 * use the same result. The result depends only on the machine, and the tests take one second.
 */
let tried: Promise<readonly TriedPromise[]> | undefined;

/** Runs one command line. If `colour` is set, the output is a terminal. Otherwise it is piped. */
export async function pretendRun(args: readonly string[], choices: Choices = {}): Promise<Ran> {
  const out = textSink(choices.colour === true);
  const err = textSink(choices.colour === true);
  const surroundings: ProcessEnvironment = {
    environment: choices.environment ?? {},
    folder: choices.folder ?? '/nobody/nowhere',
    input: inputOf(choices),
    userFolder: '/nobody',
    out: { ...out, columns: 80 },
    err,
    keyring: choices.keyring ?? NO_KEYRING,
    tryPromises: () => (tried ??= tryPromises()),
    signal: choices.signal ?? new AbortController().signal,
    version: '1.2.3',
    openStore: async (home) => choices.store ?? openNdjsonStore({ home }),
  };
  const exit = await run(args, surroundings, choices.commands);
  return { exit, out: out.text(), err: err.text() };
}

async function noKeyring(): Promise<never> {
  throw new SettingsError('settings/no-keyring', 'the system keyring cannot be used: it is a test');
}

const NO_KEYRING: Keyring = { get: noKeyring, set: noKeyring, remove: noKeyring };

function inputOf({ piped, person, rows = 1_000 }: Choices): Input {
  let shown = '';
  return {
    rows,
    columns: 80,
    show: (text) => {
      shown += text;
    },
    terminal: person !== undefined,
    piped: piped !== undefined,
    bytes: async () => Buffer.from(piped ?? ''),
    along: async () => Buffer.from(piped ?? ''),
    ask: async (question) => {
      const seen = `${shown}${question}`;
      shown = '';
      return person?.(seen) ?? '';
    },
  };
}

function textSink(terminal: boolean): Sink & { text(): string } {
  let written = '';
  const write = (text: string): void => {
    written += text;
  };
  return { write, terminal, colour: terminal, text: () => written };
}

/** Returns an empty store. All its methods except `sessions` throw. `parts` replaces single methods. */
export function pretendStore(parts: Partial<NdjsonStore> = {}): NdjsonStore {
  const never = (): never => {
    throw new Error('this test gives the store no such method');
  };
  const artifacts = { put: never, get: never, has: never };
  const nothing = async (): ReturnType<NdjsonStore['sessions']> => ({ sessions: [], unreadable: [] });
  return {
    create: never,
    open: never,
    isOpen: never,
    read: never,
    tail: never,
    artifacts,
    getSnapshot: never,
    putSnapshot: never,
    sessions: nothing,
    home: '/nobody/.tidemark',
    ...parts,
  };
}
