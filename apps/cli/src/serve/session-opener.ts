// Opens the sessions of the server, with the settings, keys and permissions of the user who started it.

import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve } from 'node:path';

import { defined } from '@tidemark/core';
import { isProviderName } from '@tidemark/kit';
import { effortsOf, findModel } from '@tidemark/model';
import type { ModelNames, SessionOpener } from '@tidemark/server';
import { ServerError } from '@tidemark/server';

import type { AgentFlags } from '../arguments/agent-flags.ts';
import { namedSession } from '../arguments/choose-session.ts';
import { resolveModel } from '../arguments/resolve-model.ts';
import type { CommandContext } from '../frame/command.ts';
import { readCatalog } from '../settings/own-catalog.ts';
import type { SharedSimulator } from '../settings/simulator-server.ts';
import { prepareAgent } from '../turns/open-agent.ts';
import { createFileRestorer } from './file-restorer.ts';

/** Choices of the user for the sessions of the server. */
export interface ServedSessions {
  /** Choices for new sessions. An existing session keeps its own. */
  readonly flags: AgentFlags;
  /** Absolute paths. New sessions work in one of these folders or below. The first one is the default. */
  readonly folders: readonly [string, ...string[]];
  /** Simulator of all sessions whose provider is `simulator`. A fork then reads the cache of its session. */
  readonly simulator: SharedSimulator;
}

/** Name of the server in the log, next to the prompts that came through it. */
const CLIENT = 'server';

/** Creates the opener of a server. */
export function createSessionOpener(
  { flags, folders, simulator }: ServedSessions,
  ofCommand: CommandContext,
): SessionOpener {
  const kept = keptFlags(flags);
  // A request must not wait for an answer in the terminal of the server, for example about the trust of a folder.
  const context = { ...ofCommand, input: { ...ofCommand.input, terminal: false } };
  return {
    models: modelNames(context),
    restorer: createFileRestorer(context),
    async create({ folder: named = folders[0], title, ...choices }, ask) {
      const folder = await servedFolder(named, folders);
      const request = { flags: { ...flags, ...choices }, client: CLIENT, simulator, recordModel: true } as const;
      const { agent, open, close } = await prepareAgent(request, { ...context, folder }, ask);
      const session = await opened(() => open(title), close);
      // The log then has the mode before the first turn too.
      if (choices.mode !== undefined) await session.session.setMode(choices.mode);
      const { model, provider } = agent.capabilities;
      return { ...session, model: { model, provider } };
    },
    async open(id, ask) {
      const session = await namedSession(await context.store(), id);
      const { open, close } = await prepareAgent({ flags: kept, session, client: CLIENT, simulator }, context, ask);
      return opened(open, close);
    },
    async fork(id, options, ask) {
      const session = await namedSession(await context.store(), id);
      const { agent, close } = await prepareAgent({ flags: kept, session, client: CLIENT, simulator }, context, ask);
      return opened(() => agent.fork(id, options), close);
    },
  };
}

/** Returns the names of models in the catalog of the user. */
function modelNames(context: CommandContext): ModelNames {
  return {
    async resolve(id, { model: named, provider: given }) {
      if (given !== undefined && !isProviderName(given))
        throw new ServerError('server/bad-request', `there is no provider ${given}`, 'see `tidemark models`');
      const session = await namedSession(await context.store(), id);
      const catalog = await readCatalog(context.home);
      const { model = named } = resolveModel(defined({ model: named, provider: given }), { catalog, session });
      return defined({ model, provider: given });
    },
    async efforts({ model, provider }) {
      const row = findModel(await readCatalog(context.home), model, provider);
      return row && effortsOf(row);
    },
  };
}

async function opened(
  open: () => ReturnType<Awaited<ReturnType<typeof prepareAgent>>['open']>,
  close: () => Promise<void>,
): ReturnType<SessionOpener['open']> {
  try {
    return { session: await open(), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Returns the flags that also apply to an existing session. Its model, effort, agent and mode are its own. */
function keptFlags({
  model: _model,
  effort: _effort,
  agent: _agent,
  mode: _mode,
  provider,
  ...rest
}: AgentFlags): AgentFlags {
  return { ...rest, ...defined({ provider: provider === 'simulator' ? provider : undefined }) };
}

/**
 * Returns the folder without symbolic links. A link inside a served folder can lead to another place.
 *
 * @throws ServerError `server/folder-refused`
 */
async function servedFolder(folder: string, folders: readonly string[]): Promise<string> {
  const next = `use ${folders.join(' or ')}, or start the server with \`--folder\``;
  if (!isAbsolute(folder)) throw new ServerError('server/folder-refused', `${folder} is not an absolute path`, next);
  // A folder elsewhere gets the same answer whether it exists or not.
  const refused = new ServerError('server/folder-refused', `this server does not serve ${folder}`, next);
  const real = await realpath(folder).catch(() => undefined);
  if (!folders.some((served) => isWithin(real ?? resolve(folder), served))) throw refused;
  const found = real === undefined ? undefined : await stat(real);
  if (real !== undefined && found?.isDirectory() === true) return real;
  throw new ServerError('server/folder-refused', `${folder} is not a folder`, next);
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === '' || (!way.startsWith('..') && !isAbsolute(way));
}
