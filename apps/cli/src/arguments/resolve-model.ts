// The model that a name means: a name of the catalog, or a family such as `sonnet`, whose newest model it is. A name that means
// none is refused here, before a key is looked for, a session forked or a request sent.

import { nearestName } from '@tidemark/agent';
import type { ProviderName } from '@tidemark/kit';
import { isProviderName, PROVIDERS } from '@tidemark/kit';
import type { Capabilities, Catalog, ClaudeName } from '@tidemark/model';
import { findModel, normalModelName, readClaudeName } from '@tidemark/model';

import type { AgentFlags } from './agent-flags.ts';
import type { ChosenSession } from './choose-session.ts';
import { CliError } from '../frame/failure.ts';
import { requireOwnName } from './foreign-name.ts';

/** What a name is resolved with. */
export interface ModelUse {
  /** With the user's changes. */
  readonly catalog: Catalog;
  /** The session that goes on, if one does. */
  readonly session: ChosenSession | undefined;
}

/** Makers that are asked directly where no provider is named. */
const MAKERS: readonly ProviderName[] = ['anthropic', 'openai'];

/** What a line of Claude's is called. */
const FAMILIES = ['sonnet', 'opus', 'haiku', 'fable', 'mythos'] as const;

/** Most models that an error lists. */
const LISTED = 6;

/**
 * Returns the flags with the catalog's name of the model in the place of a family's. The model of the session itself, and
 * any name for a compatible server, stay as they are.
 *
 * @throws CliError `cli/refused` for a name that means no model, more than one, or one that is not reached; and for a model
 *   that the catalog does not know where a session is to go on with it.
 */
export function resolveModel(flags: AgentFlags, use: ModelUse): AgentFlags {
  const { model, provider: said } = flags;
  if (model === undefined || model === use.session?.model || said === 'compatible') return flags;
  requireOwnName(model, use.catalog);
  const named = said === 'simulator' ? undefined : said;
  const provider = named ?? (model.includes('/') ? 'openrouter' : undefined);
  const rows = rowsOf(use.catalog, provider);
  if (findIn(model, rows, use.catalog) !== undefined) return flags;
  const family = familyOf(model, rows);
  if (family !== undefined) return { ...flags, model: family.model };
  // Anybody may serve any model through the router: its window is asked for elsewhere.
  const near = nearestName(model, [...namesOf(rows), ...FAMILIES]);
  if (provider === 'openrouter' && (flags.window !== undefined || near === undefined)) return flags;
  requireReached(model, use.catalog, provider);
  requireUnambiguous(model, rows);
  if (provider !== 'openai' && provider !== 'openrouter' && mayBeNew(model))
    return requireNewSession(flags, model, use, near);
  throw unknown(model, near, { rows, catalog: use.catalog, routed: provider === 'openrouter' });
}

function rowsOf(catalog: Catalog, provider: ProviderName | undefined): readonly Capabilities[] {
  const asked: readonly string[] = provider === undefined ? MAKERS : [provider];
  return catalog.rows.filter((row) => asked.includes(row.provider));
}

function findIn(model: string, rows: readonly Capabilities[], catalog: Catalog): Capabilities | undefined {
  return findModel({ ...catalog, rows }, model);
}

function namesOf(rows: readonly Capabilities[]): readonly string[] {
  return rows.flatMap(({ model, aliases }) => [model, ...aliases]);
}

/** The newest model of a line of Claude's, or the only one that the words stand in. */
function familyOf(model: string, rows: readonly Capabilities[]): Capabilities | undefined {
  const claude = claudeIn(model);
  if (claude?.family !== undefined) {
    const { version } = claude;
    const [best] = familyRows(claude, rows).filter((one) => version === undefined || one.version === version);
    return best?.row;
  }
  const matching = rowsWith(model, rows);
  return matching.length === 1 ? matching[0] : undefined;
}

/** What a name says of a Claude model, `sonnet` and `opus 4.8` included; `undefined` where another word stands in it. */
function claudeIn(model: string): ClaudeName | undefined {
  const normal = normalModelName(model.trim().replaceAll(/[\s_]+/g, '-')).replaceAll('.', '-');
  const name = readClaudeName(normal.startsWith('claude') ? normal : `claude-${normal}`);
  const words = normal.split('-').filter((word) => word !== 'claude' && !/^\d+$/.test(word));
  return words.every((word) => word === name?.family) ? name : undefined;
}

/** The rows of a line, newest first. */
function familyRows(
  { family }: ClaudeName,
  rows: readonly Capabilities[],
): readonly { readonly row: Capabilities; readonly version: number }[] {
  return rows
    .flatMap((row) => {
      const name = readClaudeName(normalModelName(row.model));
      return name?.family === family && name?.version !== undefined ? [{ row, version: name.version }] : [];
    })
    .toSorted((a, b) => b.version - a.version);
}

/** Rows in whose name all words of this one stand. Numbers alone mean nothing. */
function rowsWith(model: string, rows: readonly Capabilities[]): readonly Capabilities[] {
  const wanted = wordsOf(model);
  if (!wanted.some((word) => /[a-z]/.test(word))) return [];
  return rows.filter((row) => {
    const words = new Set(wordsOf(row.model));
    return wanted.every((word) => words.has(word));
  });
}

function wordsOf(model: string): readonly string[] {
  return model
    .trim()
    .toLowerCase()
    .split(/[-_/\s]+/)
    .filter((word) => word !== '');
}

/** @throws CliError where another provider has it, or a maker that is not reached. */
function requireReached(model: string, catalog: Catalog, provider: ProviderName | undefined): void {
  const row = findModel(catalog, model);
  if (row === undefined) return;
  const { provider: owner } = row;
  if (isProviderName(owner)) {
    const asked = provider === undefined ? 'no provider' : PROVIDERS[provider].title;
    throw new CliError(
      'cli/refused',
      `${asked} has no model ${JSON.stringify(model)}: it is asked of ${PROVIDERS[owner].title}`,
      `leave out --provider, or say --provider ${owner}`,
    );
  }
  const maker = `${owner.slice(0, 1).toUpperCase()}${owner.slice(1)}`;
  throw new CliError(
    'cli/refused',
    `${row.model} is made by ${maker}, which Tidemark does not reach`,
    `ask it through OpenRouter: --provider openrouter --model ${owner}/${row.model} --window ${row.window.tokens}`,
  );
}

/** @throws CliError where the words stand in the names of several models. */
function requireUnambiguous(model: string, rows: readonly Capabilities[]): void {
  const claude = claudeIn(model);
  const matching =
    claude === undefined || claude.family !== undefined
      ? rowsWith(model, rows)
      : [
          ...new Set(
            rows.flatMap((row) => familyOf(readClaudeName(normalModelName(row.model))?.family ?? '', rows) ?? []),
          ),
        ];
  if (matching.length < 2) return;
  throw new CliError(
    'cli/refused',
    `${JSON.stringify(model)} could be ${nameModels(matching)}`,
    `name one of them: --model ${matching[0]?.model}`,
  );
}

/** Of a known line and with a version, such as `claude-sonnet-7`: the catalog may be older than the model. */
function mayBeNew(model: string): boolean {
  const normal = normalModelName(model);
  const name = readClaudeName(normal);
  return (
    name?.family !== undefined &&
    name.version !== undefined &&
    claudeIn(model) !== undefined &&
    normal.startsWith('claude-')
  );
}

/** @throws CliError where a session is to go on with it: a fork, or an epoch, would stay behind where there is no such model. */
function requireNewSession(
  flags: AgentFlags,
  model: string,
  { session }: ModelUse,
  near: string | undefined,
): AgentFlags {
  if (session === undefined) return flags;
  throw new CliError(
    'cli/refused',
    `the catalog knows no model ${JSON.stringify(model)}, and ${session.id} would keep what it is begun with`,
    `${near === undefined ? '' : `did you mean ${near}? `}${NEWER}, or try it in a new session first`,
  );
}

const NEWER = 'If it is newer than the catalog, add its row to catalog.json in the home';

/** What can be asked in its place. */
interface Others {
  readonly rows: readonly Capabilities[];
  readonly catalog: Catalog;
  /** Through the router, which serves more than the catalog lists. */
  readonly routed: boolean;
}

function unknown(model: string, near: string | undefined, { rows, catalog, routed }: Others): CliError {
  const meant = near ?? nearestName(model, namesOf(catalog.rows));
  const isAlike = (row: Capabilities): boolean => wordsOf(row.model)[0] === wordsOf(model)[0];
  const [alike = []] = [rows.filter(isAlike), catalog.rows.filter(isAlike)].filter((some) => some.length > 0);
  const others = `name another, such as ${nameModels(alike.length > 0 ? alike : makersInTurn(rows))}.`;
  const next = meant !== undefined ? `did you mean ${meant}?` : others;
  const newer = routed ? 'Else say how many tokens it takes, input and output together: --window 32768' : NEWER;
  return new CliError('cli/refused', `the catalog knows no model ${JSON.stringify(model)}`, `${next} ${newer}`);
}

/** The first model of each maker, then the second of each, and so on. */
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
