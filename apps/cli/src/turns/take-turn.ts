// Runs one turn for the command line. Opens an agent in a folder, sends a prompt or resumes a turn, and reports the end
// of the turn.

import { stat } from 'node:fs/promises';

import { defined } from '@tidemark/core';
import type { Agent, AgentOptions, FinishedTurn, AgentSession, Permissions, Turn } from '@tidemark/kit';
import { narrower } from '@tidemark/agent';
import { createAgent, createPlanTool } from '@tidemark/kit';
import { defaultCatalog, withOverrides } from '@tidemark/model';
import type { Settings } from '@tidemark/settings';
import { openGrants } from '@tidemark/settings';

import type { AgentFlags } from '../arguments/agent-flags.ts';
import { limitsIn, modeIn, rewriteNoticeIn } from '../arguments/agent-flags.ts';
import { askPerson } from '../present/ask-person.ts';
import { chooseProvider } from '../settings/choose-provider.ts';
import type { ChosenSession } from '../arguments/choose-session.ts';
import type { CommandContext } from '../frame/command.ts';
import type { ExitCode } from '../frame/exit-codes.ts';
import { CliError } from '../frame/failure.ts';
import { readOwnCatalog } from '../settings/own-catalog.ts';
import { presentSession } from '../present/present-session.ts';
import { reportTurn } from '../present/report-turn.ts';
import { resolveModel } from '../arguments/resolve-model.ts';
import { settingsIn } from '../settings/settings-in.ts';
import { skillBudgetIn, skillPlaces } from '../settings/skill-places.ts';
import { forkForModel, forksFor } from './switch-model.ts';
import { withSettings } from '../settings/with-settings.ts';

/** Request for `takeTurn` to run one turn. */
export interface TurnRequest {
  readonly flags: AgentFlags;
  /** Session for the turn. By default a new session in the current folder. */
  readonly session?: ChosenSession;
  readonly title?: string;
  /** True if an earlier command started the turn. A flag cannot give such a turn a wider permission mode. */
  readonly resumes?: true;
  /** Starts the turn in the opened session: sends a prompt, or resumes an interrupted turn. */
  begin(session: AgentSession): Turn;
}

/** Runs one turn, shows its events, and returns its exit code. */
export async function takeTurn(typed: TurnRequest, context: CommandContext): Promise<ExitCode> {
  const workspace = typed.session?.workspace ?? context.folder;
  await requireFolder(workspace);
  const changes = await readOwnCatalog(context.home);
  const catalog = changes === undefined ? defaultCatalog() : withOverrides(defaultCatalog(), changes);
  const { settings, trusted, brought } = await settingsIn(workspace, typed.flags, context);
  const newSession = typed.session === undefined;
  const use = { settings, newSession, person: hasPerson(context), catalog };
  const wanted = withSettings(typed.flags, use);
  const flags = resolveModel(wanted, { catalog, session: typed.session });
  if (flags.model !== wanted.model && context.output.watched)
    context.output.note(`"${wanted.model}" is ${flags.model}`);
  const request = { ...typed, flags };
  const person = await askerOf(request.flags, workspace, context);
  const { baseUrl: addresses, connection } = settings;
  const provider = await chooseProvider({ ...request, catalog, ...defined({ addresses, connection }) }, context);
  try {
    const agent = createAgent({
      ...provider.options,
      modelOptions: { ...provider.options.modelOptions, ...defined({ catalog: changes }) },
      store: await context.store(),
      workspace: {
        folder: workspace,
        forbidden: [context.home, context.configFolder],
        // A trusted workspace also uses its memory files. A setting can turn the memory off.
        trusted: trusted && settings.memory !== false,
        ...defined({
          agentsFile: settings.agentsFile,
          sandbox: flags.network === undefined ? undefined : { network: flags.network },
          protectedPaths: trusted ? brought?.named : undefined,
        }),
      },
      // An existing session keeps its own tools. If its list of tools changed, the whole history of the session would
      // be written to the cache again.
      tools: (settings.plan ?? typed.session?.plan ?? true) ? [createPlanTool()] : [],
      ...defined({ mcp: serversIn(settings) }),
      subagents: settings.subagents ?? {},
      host: { environment: context.environment, client: 'cli' },
      skills: {
        roots: await skillPlaces(context, { folder: workspace, trusted }, settings.skillRoots),
        budget: skillBudgetIn(settings),
      },
      limits: limitsIn(flags),
      cache: defined({ ttl: flags.ttl, padding: flags.padding, rewriteNotice: rewriteNoticeIn(flags) }),
      compaction: defined({ when: flags.compaction, by: flags.compactionBy, pruning: flags.pruning }),
      permissions: {
        ...person,
        allowUnsandboxed: flags.allowUnsandboxed === true,
        ...defined({ rules: settings.permissions?.rules }),
      },
    });
    try {
      return await turnIn(await openIn(agent, request, context), request, context);
    } finally {
      await agent.close();
    }
  } finally {
    await provider.close();
  }
}

function serversIn({ mcp }: Settings): AgentOptions['mcp'] {
  return mcp?.servers === undefined ? undefined : { servers: mcp.servers };
}

/**
 * Opens the session. If the model changes, opens it in a fork. A mode on the command line overrides the mode in the
 * log. For a resumed turn, the new mode can be narrower but not wider.
 */
async function openIn(agent: Agent, request: TurnRequest, context: CommandContext): Promise<AgentSession> {
  const { session, title, flags } = request;
  const live =
    session !== undefined && forksFor(agent, session, flags)
      ? await forkForModel(agent, session, context)
      : await agent.open(session?.id, title === undefined ? {} : { title });
  const asked = modeIn(flags);
  if (asked === undefined || asked === live.mode) return live;
  if (request.resumes === true && narrower(asked, live.mode) !== asked)
    throw new CliError(
      'cli/usage',
      `the turn began in mode ${live.mode}, and \`resume\` cannot widen it to mode ${asked}`,
      `resume without a mode; \`tidemark --continue --mode ${asked} "…"\` sets it for the next prompt`,
    );
  await live.setMode(asked);
  return live;
}

async function turnIn(session: AgentSession, request: TurnRequest, context: CommandContext): Promise<ExitCode> {
  const { output, signal } = context;
  if (output.json) output.event({ type: 'session.opened', session: session.id, mode: session.mode }, () => '');
  const presenter = presentSession(output, session.id, request.session?.answered);
  const finished = await untilEnded(session, request.begin(session), presenter.show, signal);
  presenter.rest();
  const { tokens, subagents } = presenter;
  return reportTurn({ session: session.id, finished, tokens, subagents }, output);
}

/** Shows the turn until its end. Ctrl-C interrupts the turn, and the log records the interruption. */
async function untilEnded(
  session: AgentSession,
  turn: Turn,
  show: ReturnType<typeof presentSession>['show'],
  signal: AbortSignal,
): Promise<FinishedTurn> {
  let interrupting: Promise<void> | undefined;
  const interrupt = (): void => {
    interrupting = session.interrupt();
    // Prevents an unhandled rejection. The error is thrown at the `await` of `interrupting`, after the turn has ended.
    interrupting.catch(() => undefined);
  };
  if (signal.aborted) interrupt();
  signal.addEventListener('abort', interrupt, { once: true });
  try {
    for await (const event of turn) show(event);
    return await turn;
  } finally {
    signal.removeEventListener('abort', interrupt);
    await interrupting;
  }
}

async function requireFolder(path: string): Promise<void> {
  const found = await stat(path).catch((error: unknown) => {
    throw new CliError(
      'cli/not-found',
      `the folder ${path} of the session does not exist`,
      'restore the folder',
      error,
    );
  });
  if (!found.isDirectory())
    throw new CliError('cli/refused', `${path}, the folder of the session, is not a folder`, 'restore the folder');
}

async function askerOf(flags: AgentFlags, workspace: string, context: CommandContext): Promise<Permissions> {
  const asked = modeIn(flags);
  if (asked === 'ask' && !hasPerson(context))
    throw new CliError(
      'cli/usage',
      context.input.piped
        ? 'mode ask needs a terminal, but stdin is a pipe'
        : 'mode ask needs a terminal, without `--json`',
      'use `--mode read-only` or `--mode auto`, or run the command in a terminal',
    );
  const grants = await openGrants(context.home, workspace);
  const both = defined({ mode: asked, grants });
  if (!hasPerson(context)) return both;
  return {
    ...both,
    ask: (question, signal) => askPerson(question, { input: context.input, signal }),
  };
}

function hasPerson({ input, output }: CommandContext): boolean {
  return input.terminal && !output.json;
}
