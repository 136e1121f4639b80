// Resolves a model name. The name is either in the catalog, or a family such as `sonnet`, which means the newest model
// of the family. A name that matches no model is refused before the command looks up a key, forks a session or sends a
// request.

import { nearestName } from '@tidemark/agent';
import type { ProviderName } from '@tidemark/kit';
import { isCompatible, isProviderName, PROVIDERS } from '@tidemark/kit';
import type { Capabilities, Catalog } from '@tidemark/model';
import {
  findAmong,
  findModel,
  normalModelName,
  readClaudeName,
  readShortClaudeName,
  rowOfShortName,
  rowsOfProvider,
  rowsWithWords,
  wordsOfModelName,
} from '@tidemark/model';

import type { AgentFlags } from './agent-flags.ts';
import type { ChosenSession } from './choose-session.ts';
import { CliError } from '../frame/failure.ts';
import { requireOwnName } from './foreign-name.ts';

/** Catalog and session that are used to resolve a model name. */
export interface ModelUse {
  /** Model catalog, with the user's changes applied. */
  readonly catalog: Catalog;
  /** Session that the run continues, or `undefined` for a new session. */
  readonly session: ChosenSession | undefined;
}

/** Short names of Claude models. Each means the newest model of its family. */
export const MODEL_FAMILIES = ['sonnet', 'opus', 'haiku', 'fable', 'mythos'] as const;

/** Maximum number of models that an error lists. */
const LISTED = 6;

/**
 * Returns the flags, with a family name replaced by the model name in the catalog. The name stays unchanged if it is
 * the session's current model, or if the requests go to a compatible server.
 *
 * @throws CliError `cli/refused` for a name that matches no model or several models, and for a model that Tidemark
 * cannot reach. Also for an unknown model in an existing session.
 */
export function resolveModel(flags: AgentFlags, use: ModelUse): AgentFlags {
  const { model, provider: flag } = flags;
  if (model === undefined || model === use.session?.model || isCompatible(flag ?? '')) return flags;
  requireOwnName(model, use.catalog);
  const named = flag === 'simulator' ? undefined : flag;
  const provider = named ?? (model.includes('/') ? 'openrouter' : undefined);
  const rows = rowsOfProvider(use.catalog, provider);
  if (findAmong(model, rows, use.catalog) !== undefined) return flags;
  const family = rowOfShortName(model, rows);
  if (family !== undefined) return { ...flags, model: family.model };
  // OpenRouter can serve models that are not in the catalog, so the name is accepted here. Another check requires
  // `--window` for such a model.
  const near = nearestName(model, [...namesOf(rows), ...MODEL_FAMILIES]);
  if (provider === 'openrouter' && (flags.window !== undefined || near === undefined)) return flags;
  requireReached(model, use.catalog, provider);
  requireUnambiguous(model, rows);
  if (provider !== 'openai' && provider !== 'openrouter' && mayBeNew(model))
    return requireNewSession(flags, model, use, near);
  throw unknown(model, near, { rows, catalog: use.catalog, routed: provider === 'openrouter' });
}

function namesOf(rows: readonly Capabilities[]): readonly string[] {
  return rows.flatMap(({ model, aliases }) => [model, ...aliases]);
}

/** @throws CliError `cli/refused` when another provider has the model, or when Tidemark cannot reach its maker. */
function requireReached(model: string, catalog: Catalog, provider: ProviderName | undefined): void {
  const row = findModel(catalog, model);
  if (row === undefined) return;
  const { provider: owner } = row;
  if (isProviderName(owner)) {
    const not = provider === undefined ? '' : `, not of ${PROVIDERS[provider].title}`;
    const remove = provider === undefined ? '' : 'remove `--provider`, or ';
    throw new CliError(
      'cli/refused',
      `${JSON.stringify(model)} is a model of ${PROVIDERS[owner].title}${not}`,
      `${remove}use \`--provider ${owner}\``,
    );
  }
  const maker = `${owner.slice(0, 1).toUpperCase()}${owner.slice(1)}`;
  throw new CliError(
    'cli/refused',
    `${row.model} is a model of ${maker}, which Tidemark does not support directly`,
    `use it through OpenRouter: --provider openrouter --model ${owner}/${row.model} --window ${row.window.tokens}`,
  );
}

/** @throws CliError `cli/refused` when the name matches several models. */
function requireUnambiguous(model: string, rows: readonly Capabilities[]): void {
  const claude = readShortClaudeName(model);
  const matching =
    claude === undefined || claude.family !== undefined
      ? rowsWithWords(model, rows)
      : [
          ...new Set(
            rows.flatMap((row) => rowOfShortName(readClaudeName(normalModelName(row.model))?.family ?? '', rows) ?? []),
          ),
        ];
  if (matching.length < 2) return;
  throw new CliError(
    'cli/refused',
    `${JSON.stringify(model)} matches several models: ${nameModels(matching)}`,
    `use one of them, such as --model ${matching[0]?.model}`,
  );
}

/**
 * Returns true for a name with a known Claude family and a version, such as `claude-sonnet-7`. The catalog may be older
 * than such a model.
 */
function mayBeNew(model: string): boolean {
  const normal = normalModelName(model);
  const name = readClaudeName(normal);
  return (
    name?.family !== undefined &&
    name.version !== undefined &&
    readShortClaudeName(model) !== undefined &&
    normal.startsWith('claude-')
  );
}

/**
 * Accepts a name that is not in the catalog only for a new session.
 *
 * @throws CliError `cli/refused` when the run continues an existing session. If the model does not exist, a useless
 * fork or epoch would remain in that session.
 */
function requireNewSession(
  flags: AgentFlags,
  model: string,
  { session }: ModelUse,
  near: string | undefined,
): AgentFlags {
  if (session === undefined) return flags;
  throw new CliError(
    'cli/refused',
    `the catalog has no model ${JSON.stringify(model)}, and only a new session can use such a model`,
    `${near === undefined ? '' : `did you mean ${near}? `}${NEWER}, or use it in a new session first`,
  );
}

const NEWER = 'If the model is newer than the catalog, add its row to catalog.json in the Tidemark home';

/** Rows and catalog from which an error suggests other models. */
interface Others {
  readonly rows: readonly Capabilities[];
  readonly catalog: Catalog;
  /** True if the request goes through OpenRouter, which serves more models than the catalog lists. */
  readonly routed: boolean;
}

function unknown(model: string, near: string | undefined, { rows, catalog, routed }: Others): CliError {
  const meant = near ?? nearestName(model, namesOf(catalog.rows));
  const isAlike = (row: Capabilities): boolean => wordsOfModelName(row.model)[0] === wordsOfModelName(model)[0];
  const [alike = []] = [rows.filter(isAlike), catalog.rows.filter(isAlike)].filter((some) => some.length > 0);
  const others = `use another model, such as ${nameModels(alike.length > 0 ? alike : makersInTurn(rows))}.`;
  const next = meant !== undefined ? `did you mean ${meant}?` : others;
  const newer = routed
    ? 'Otherwise set its context window in tokens, input and output together: --window 32768'
    : NEWER;
  return new CliError('cli/refused', `the catalog has no model ${JSON.stringify(model)}`, `${next} ${newer}`);
}

/** Sorts the rows so that the first model of each maker comes first, then the second model of each maker, and so on. */
function makersInTurn(rows: readonly Capabilities[]): readonly Capabilities[] {
  const seen = new Map<string, number>();
  const turns = rows.map((row) => {
    const turn = seen.get(row.provider) ?? 0;
    seen.set(row.provider, turn + 1);
    return { row, turn };
  });
  return turns.toSorted((a, b) => a.turn - b.turn).map(({ row }) => row);
}

function nameModels(rows: readonly Capabilities[]): string {
  const names = rows.slice(0, LISTED).map(({ model }) => model);
  return `${names.join(', ')}${rows.length > LISTED ? ', …' : ''}`;
}
