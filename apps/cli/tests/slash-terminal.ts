// Terminal for tests of the slash commands: a scripted model, a store on disk, and the commands of `tidemark`.

import { defined } from '@tidemark/core';
import type { Permissions } from '@tidemark/kit';
import { createSimulator } from '@tidemark/simulator';
import { openNdjsonStore } from '@tidemark/store-ndjson';
import { onTestFinished } from 'vitest';

import type { AgentFlags } from '../src/arguments/agent-flags.ts';
import type { ChosenSession } from '../src/arguments/choose-session.ts';
import { prepareAgent } from '../src/turns/open-agent.ts';
import { COMMANDS } from '../src/commands.ts';
import type { Command, CommandContext } from '../src/frame/command.ts';
import { rowsOf } from '../src/terminal/drawing/rows.ts';
import { render } from '../src/frame/shown.ts';
import type { Dispatcher } from '../src/terminal/state/controller.ts';
import type { SlashCommands } from '../src/terminal/slash/slash-commands.ts';
import { createSlashCommands } from '../src/terminal/slash/slash-commands.ts';
import { pretendRun } from './pretend-run.ts';
import type { Stage } from './scenario.ts';
import { openStage } from './scenario.ts';
import type { ScriptedTerminal, ScriptedTerminalOptions } from './scripted-terminal.ts';
import { draftOf, openScriptedTerminal } from './scripted-terminal.ts';

/** Terminal with slash commands. */
export interface SlashTerminal extends ScriptedTerminal {
  readonly stage: Stage;
  readonly slash: SlashCommands;
  /** Control sequences that were written to the terminal. */
  readonly sequences: readonly string[];
  /** Files that were opened in the editor of the user. From the second one on, the editor fails. */
  readonly edited: readonly string[];
  /** Sends a text as the user does. */
  type(text: string): void;
  /** Resolves with all lines that Tidemark printed, when they match. */
  untilLines(matches: RegExp): Promise<string>;
  /** Chooses an option of the open list, and returns its title. */
  choose(label: RegExp): Promise<string>;
  /** Closes the viewer, and returns its text. */
  viewed(): Promise<string>;
}

/** Choices of a test. */
export interface SlashTerminalOptions extends Omit<ScriptedTerminalOptions, 'store' | 'dispatch'> {
  readonly environment?: CommandContext['environment'];
  /** True for a terminal that was started with `--trust`. */
  readonly trusted?: boolean;
  /** Rows of the terminal. The default of 1,000 avoids the viewer. */
  readonly rows?: number;
  readonly stage?: Stage;
  /** True for an agent as the command opens it, against the simulator of Anthropic. `answers` are then not used. */
  readonly simulated?: boolean;
  /** Effort of new sessions of a simulated agent. */
  readonly effort?: string;
}

/** Opens a terminal whose session has one turn. */
export async function terminalAfterTurn(options: SlashTerminalOptions = {}): Promise<SlashTerminal> {
  const terminal = await openSlashTerminal(options);
  terminal.type('hello');
  await terminal.until(({ running, session }) => !running && session !== undefined);
  return terminal;
}

/** Returns the id of the shown session. */
export function sessionOf({ controller }: SlashTerminal): string {
  return controller.state.get().session ?? '';
}

/** Opens a terminal with slash commands. */
export async function openSlashTerminal(options: SlashTerminalOptions = {}): Promise<SlashTerminal> {
  const {
    environment = {},
    rows = 1_000,
    stage = newStage(),
    simulated = false,
    trusted = false,
    effort,
    ...rest
  } = options;
  const simulator = simulated ? await openAnthropic() : undefined;
  const store = openNdjsonStore({ home: stage.home });
  const context = await contextIn(stage, store, environment);
  const sequences: string[] = [];
  const edited: string[] = [];
  const late: { dispatch: Dispatcher } = { dispatch: () => false };
  const scripted = await openScriptedTerminal({
    ...rest,
    store,
    folder: stage.folder,
    dispatch: (draft) => late.dispatch(draft),
    ...(simulator !== undefined && {
      prepare: (session: ChosenSession | undefined, ask: Permissions['ask']) =>
        prepareAgent(
          { flags: { ...simulator.flags, mode: 'auto', ...defined({ effort }) }, ...defined({ session }) },
          context,
          ask,
        ),
    }),
  });
  const { controller } = scripted;
  const slash = createSlashCommands({
    controller,
    context,
    trusted,
    size: () => ({ columns: 80, rows }),
    editFile: async (path) => {
      edited.push(path);
      return edited.length > 1 ? 'the editor `vi` was not found' : undefined;
    },
    writeSequence: (sequence) => void sequences.push(sequence),
  });
  late.dispatch = slash.dispatch;
  const linesShown = (): string =>
    controller.state
      .get()
      .conversation.blocks.from(0)
      .flatMap((block) => (block.kind === 'lines' ? rowsOf(block.lines, 1_000, false) : []))
      .join('\n');
  return {
    ...scripted,
    ...(simulator !== undefined && { requests: () => simulator.requests }),
    stage,
    slash,
    sequences,
    edited,
    type: (text) => controller.send(draftOf(text)),
    async untilLines(matches) {
      await scripted.until(() => matches.test(linesShown()));
      return linesShown();
    },
    async choose(label) {
      const { panel } = await scripted.until((state) => state.panel?.kind === 'choice');
      if (panel?.kind !== 'choice') throw new Error('no list is open');
      const index = panel.options.findIndex((option) => label.test(option.label));
      if (index === -1) throw new Error(`no option matches ${label}: ${JSON.stringify(panel.options)}`);
      panel.choose(index);
      return panel.title.map((line) => render(line, false)).join('\n');
    },
    async viewed() {
      const { panel } = await scripted.until((state) => state.panel?.kind === 'viewer');
      if (panel?.kind !== 'viewer') throw new Error('no viewer is open');
      panel.close();
      const entry = panel.entries[panel.first];
      const source = await entry?.open(80);
      const lines = (await source?.read(0, source.length)) ?? [];
      return [entry?.title, ...rowsOf(lines, 1_000, false)].join('\n');
    },
  };
}

interface OpenedSimulator {
  readonly flags: AgentFlags;
  readonly requests: readonly string[];
}

async function openAnthropic(): Promise<OpenedSimulator> {
  const requests: string[] = [];
  const simulator = createSimulator({
    onRequest: ({ body }) => {
      requests.push(JSON.stringify(body));
      return undefined;
    },
  });
  const door = await simulator.listen();
  onTestFinished(() => door.close());
  return { flags: { provider: 'anthropic', model: 'claude-sonnet-5-5', baseUrl: door.url }, requests };
}

function newStage(): Stage {
  const stage = openStage();
  onTestFinished(() => stage.clear());
  return stage;
}

/** Returns the context of a command that runs until the end of the test. */
async function contextIn(
  stage: Stage,
  store: NonNullable<Parameters<typeof pretendRun>[1]>['store'],
  environment: CommandContext['environment'],
): Promise<CommandContext> {
  const ready = Promise.withResolvers<CommandContext>();
  const over = Promise.withResolvers<void>();
  const waits: Command = {
    name: 'wait-for-test',
    summary: 'waits',
    examples: [['tidemark wait-for-test', 'waits']],
    declare: (command, run) =>
      void command.action(() =>
        run(async (context) => {
          ready.resolve(context);
          await over.promise;
          return undefined;
        }),
      ),
  };
  const ran = pretendRun(['wait-for-test'], {
    commands: [...COMMANDS, waits],
    environment: {
      PATH: process.env['PATH'],
      TIDEMARK_HOME: stage.home,
      XDG_CONFIG_HOME: `${stage.home}-own`,
      ANTHROPIC_API_KEY: 'key-for-the-simulator-0123456789',
      ...environment,
    },
    folder: stage.folder,
    ...(store !== undefined && { store }),
  });
  onTestFinished(async () => {
    over.resolve();
    await ran;
  });
  return ready.promise;
}
