// Terminal for tests: a controller with a scripted provider and a store in memory. A test can hold the answers back.

import type { ForkPlan } from '@tidemark/agent';
import type { AgentOptions, Permissions, RestoreOptions } from '@tidemark/kit';
import { createAgent, createConfinement } from '@tidemark/kit';
import type { AbortSignalLike, Log, Recorded, SessionId } from '@tidemark/log';
import type { Provider } from '@tidemark/model';
import type { ScriptedAnswer } from '@tidemark/provider-scripted';
import { createScriptedProvider } from '@tidemark/provider-scripted';
import { createMemoryStore } from '@tidemark/store-memory';
import { onTestFinished } from 'vitest';

import type { ChosenSession } from '../src/arguments/choose-session.ts';
import type { PreparedAgent } from '../src/turns/open-agent.ts';
import type { ControllerOptions, OwnedController } from '../src/terminal/control/create-controller.ts';
import { createController } from '../src/terminal/control/create-controller.ts';
import type { Draft } from '../src/terminal/state/draft.ts';
import type { TerminalState } from '../src/terminal/state/terminal-state.ts';

/** Terminal for tests. */
export interface ScriptedTerminal {
  readonly controller: OwnedController;
  readonly log: Log;
  /** Returns the bodies of the requests that the provider received, as text. */
  requests(): readonly string[];
  /** Holds every later answer back until `release` is called. */
  hold(): void;
  release(): void;
  /** Resolves when the state matches. */
  until(matches: (state: TerminalState) => boolean): Promise<TerminalState>;
  /** Returns the kinds of the records of the shown session. */
  kinds(): Promise<readonly string[]>;
  /** Text of the blocks that were printed. */
  printed(): string;
  /** Resolves when a block contains the text. */
  untilPrinted(text: string): Promise<TerminalState>;
}

/** Choices of a test. Each of them has a simple default. */
export interface ScriptedTerminalOptions extends Omit<ControllerOptions, 'sessions'> {
  /** Answers of the model. The last one is repeated. */
  readonly answers?: readonly ScriptedAnswer[];
  readonly store?: Log;
  /** Mode of new sessions. */
  readonly mode?: Permissions['mode'];
  readonly hooks?: AgentOptions['hooks'];
  /** Limits of subagents. Without them, the agent has no subagents. */
  readonly subagents?: AgentOptions['subagents'];
  /** Absolute path of an existing folder in which the agent works with its tools. Without it, the agent has no tools. */
  readonly folder?: string;
  /** Prepares an agent in place of the scripted one. */
  readonly prepare?: (session: ChosenSession | undefined, ask: Permissions['ask']) => Promise<PreparedAgent>;
}

/** Returns an answer of the model with this text. */
export function says(text: string): ScriptedAnswer {
  return { parts: [{ type: 'text', text }] };
}

/** Returns a draft without attachments. */
export function draftOf(text: string): Draft {
  return { text, attached: [] };
}

/** Opens a terminal with a new session that is not created yet. */
export async function openScriptedTerminal(options: ScriptedTerminalOptions = {}): Promise<ScriptedTerminal> {
  const {
    answers = [says('Yes.')],
    store = createMemoryStore(),
    mode = 'auto',
    folder,
    hooks = [],
    subagents = false,
    prepare,
    ...rest
  } = options;
  const gate = createGate();
  const scripted = createScriptedProvider({ respond: ({ index }) => answers[index] ?? answers.at(-1) ?? says('') });
  const provider: Provider = {
    ...scripted,
    async *send(outgoing) {
      await gate.pass(outgoing.signal);
      yield* scripted.send(outgoing);
    },
  };
  const controller: OwnedController = createController({
    ...rest,
    sessions: {
      log: store,
      folder: folder ?? '/nobody',
      ...(folder !== undefined && { restoring: (plan) => restoringIn(folder, store, plan) }),
      prepare: async (session) => {
        if (prepare !== undefined) return prepare(session, controller.ask);
        const permissions: Permissions = { ...(session === undefined && { mode }), ask: controller.ask };
        const workspace = folder === undefined ? {} : { workspace: { folder } };
        const given = { provider, store, permissions, hooks, subagents, ...workspace };
        const agent = createAgent({ model: 'claude-sonnet-5-5', ...given });
        return {
          agent,
          flags: { mode },
          open: (title) => agent.open(session?.id, title === undefined ? {} : { title }),
          close: () => agent.close(),
        };
      },
    },
  });
  onTestFinished(() => controller.close());
  await controller.openSession({ open: 'new' });
  return {
    controller,
    log: store,
    requests: () => scripted.sent.map(({ body }) => Buffer.from(body).toString()),
    hold: gate.hold,
    release: gate.release,
    until: (matches) => untilState(controller, matches),
    kinds: () => kindsOf(store, controller.state.get().session),
    printed: () => printedIn(controller.state.get()),
    untilPrinted: (text) => untilState(controller, (state) => printedIn(state).includes(text)),
  };
}

function printedIn({ conversation }: TerminalState): string {
  return JSON.stringify(conversation.blocks.from(0));
}

async function restoringIn(folder: string, log: Log, plan: ForkPlan): Promise<RestoreOptions | undefined> {
  if (plan.left === undefined) return undefined;
  const confinement = createConfinement({ folder, forbidden: [], home: folder, environment: {} });
  return { log, session: plan.of, from: plan.left.from, confinement, signal: new AbortController().signal };
}

async function kindsOf(log: Log, session: SessionId | undefined): Promise<readonly Recorded['kind'][]> {
  if (session === undefined) return [];
  return (await Array.fromAsync(log.read(session))).map(({ kind }) => kind);
}

function untilState({ state }: OwnedController, matches: (state: TerminalState) => boolean): Promise<TerminalState> {
  return new Promise((resolve) => {
    const check = (): void => {
      if (!matches(state.get())) return;
      unsubscribe();
      resolve(state.get());
    };
    const unsubscribe = state.subscribe(check);
    check();
  });
}

interface Gate {
  hold(): void;
  release(): void;
  pass(signal: AbortSignalLike | undefined): Promise<void>;
}

function createGate(): Gate {
  let closed: PromiseWithResolvers<void> | undefined;
  return {
    hold() {
      closed ??= Promise.withResolvers<void>();
    },
    release() {
      closed?.resolve();
      closed = undefined;
    },
    async pass(signal) {
      const aborted = new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve()));
      await Promise.race([closed?.promise, aborted]);
    },
  };
}
