// `tidemark compact`: replaces older history with a checkpoint, or reports what a compaction would save and cost.

import { defined } from '@tidemark/core';
import type { Compacting, CompactionReport } from '@tidemark/agent';
import {
  compactSession,
  compactionPriceAtRest,
  createSecrets,
  openSession,
  readFold,
  secretsOf,
  startAfresh,
  THIS_MACHINE,
} from '@tidemark/agent';
import type { State } from '@tidemark/context';
import { createAgent, PROVIDERS } from '@tidemark/kit';
import type { SessionId } from '@tidemark/log';
import { defaultCatalog, withOverrides } from '@tidemark/model';
import { InvalidArgumentError, Option } from 'commander';

import type { AgentFlags } from '../arguments/agent-flags.ts';
import { chooseProvider } from '../settings/choose-provider.ts';
import { namedSession } from '../arguments/choose-session.ts';
import type { Command, CommandContext, CommandOutcome } from '../frame/command.ts';
import { EXIT } from '../frame/exit-codes.ts';
import { CliError } from '../frame/failure.ts';
import { compactionInWords } from '../reports/compaction-report.ts';
import { encoders } from '../reports/encoders.ts';
import { readOwnCatalog } from '../settings/own-catalog.ts';
import { rowInForce } from '../settings/row-in-force.ts';
import type { SessionFlags } from '../arguments/session-argument.ts';
import { declareSession, requiredSession } from '../arguments/session-argument.ts';
import { settingsIn } from '../settings/settings-in.ts';
import { withSettings } from '../settings/with-settings.ts';

/**
 * Command `tidemark compact`. It replaces older history with a checkpoint, or reports what a compaction would save and
 * cost.
 */
export const compact: Command = {
  name: 'compact',
  summary: 'replace older history with a checkpoint; the log stays complete',
  examples: [
    ['tidemark compact <session> --dry-run --json', 'report what it would save and cost; change nothing'],
    ['tidemark compact <session>', 'write the checkpoint from the log, without a model'],
    ['tidemark compact <session> --tail-tokens 5000', 'keep at most 5,000 tokens of history after it'],
    ['tidemark compact <session> --checkpoint-tokens 8000', 'limit the checkpoint to 8,000 tokens'],
    ['tidemark compact <session> --compaction-by model', 'let the model add what the log alone does not show'],
    ['tidemark compact <session> --fresh', 'start again in a fork that contains only a summary'],
  ],
  declare: (command, run) =>
    void declareSession(command)
      .option('--tail-tokens <tokens>', 'maximum tokens of history to keep after the checkpoint', tokensOf)
      .option(
        '--checkpoint-tokens <tokens>',
        'maximum tokens of the checkpoint. Default: the smaller of a tenth of the window and a quarter of the history that it replaces, at least 4000.',
        checkpointTokensOf,
      )
      .addOption(
        new Option(
          '--compaction-by <writer>',
          'how the checkpoint is written: from the log, or by the model. Default: deterministic.',
        ).choices(['deterministic', 'model']),
      )
      .option('--fresh', 'create a fork that contains only the checkpoint; the session stays unchanged')
      .addOption(
        new Option('--provider <name>', 'provider of the model; needs `--compaction-by model`').choices([
          ...Object.keys(PROVIDERS),
          'simulator',
        ]),
      )
      .option('--base-url <address>', 'address of the provider; needs `--compaction-by model`')
      .option('--dry-run', 'report the expected result and change nothing')
      .action((name: string | undefined, flags: CompactFlags) =>
        run(async (context) => report(await requiredSession(name, flags, context), flags, context)),
      ),
};

interface CompactFlags extends SessionFlags {
  readonly tailTokens?: number;
  readonly checkpointTokens?: number;
  readonly compactionBy?: 'deterministic' | 'model';
  readonly fresh?: true;
  readonly provider?: AgentFlags['provider'];
  readonly baseUrl?: string;
  readonly dryRun?: true;
}

async function report(id: SessionId, flags: CompactFlags, context: CommandContext): Promise<CommandOutcome> {
  requireTogether(flags);
  const asks = flags.compactionBy === 'model' && flags.dryRun !== true;
  const byLog = flags.fresh === true ? startByLog : compactByLog;
  const made = await (asks ? askModel(id, flags, context) : byLog(id, flags, context));
  context.output.result({ session: id, ...made }, () => compactionInWords(id, made, flags.fresh === true));
  return made.outcome === 'refused' ? EXIT.difference : undefined;
}

function requireTogether({ fresh, tailTokens, provider, baseUrl, compactionBy }: CompactFlags): void {
  const next = 'remove one of the two options';
  if (fresh === true && tailTokens !== undefined)
    throw new CliError(
      'cli/usage',
      '`--fresh` cannot be combined with `--tail-tokens`: a fresh fork contains only the checkpoint',
      next,
    );
  const who = provider === undefined ? '--base-url' : '--provider';
  if ((provider !== undefined || baseUrl !== undefined) && compactionBy !== 'model') {
    const ask = `add \`--compaction-by model\`, or remove \`${who}\``;
    throw new CliError(
      'cli/usage',
      `\`${who}\` has no effect here: without \`--compaction-by model\`, no model is asked`,
      ask,
    );
  }
}

/** Creates the checkpoint for `--fresh` without a model. Takes no lock, because the function only reads the session. */
async function startByLog(id: SessionId, flags: CompactFlags, context: CommandContext): Promise<CompactionReport> {
  const log = await context.store();
  const { fold } = await readFold(log, id);
  const runtime = await runtimeOf(id, fold.state, context);
  const secrets = createSecrets({ values: secretsOf(context.environment) });
  const price = await priceOf({ ...fold, log }, runtime);
  return startAfresh({ log, session: id, secrets, runtime, ...defined({ price }) }, settingsOf(flags));
}

/**
 * Compacts the session without a model. No provider is needed, because the capabilities that the session last used
 * contain the limits.
 */
async function compactByLog(id: SessionId, flags: CompactFlags, context: CommandContext): Promise<CompactionReport> {
  const store = await context.store();
  const session = await openSession(store, id, createSecrets({ values: secretsOf(context.environment) }));
  try {
    const runtime = await runtimeOf(id, session.state, context);
    const price = await priceOf(session, runtime);
    return await compactSession(
      { session, runtime, ...defined({ price }) },
      { trigger: 'manual', ...settingsOf(flags) },
    );
  } finally {
    await session.writer.close();
  }
}

async function runtimeOf(id: SessionId, { epoch }: State, context: CommandContext): Promise<Compacting['runtime']> {
  if (epoch === undefined)
    throw new CliError('cli/refused', `session ${id} has sent no request yet`, 'there is nothing to compact');
  const { artifacts } = await context.store();
  const capabilities = await rowInForce(artifacts, epoch.opened, context.home);
  if (capabilities === undefined)
    throw new CliError(
      'cli/refused',
      `the context window of session ${id} is unknown: its model ${epoch.opened.model} is not in the catalog`,
      'add a row for the model to catalog.json in the Tidemark home, then compact again',
    );
  const outputLimit = Math.min(OUTPUT_LIMIT, capabilities.outputLimit);
  return { capabilities, outputLimit, surroundings: THIS_MACHINE };
}

/** Returns the function that prices the compaction, if this version knows the encoder of the last request. */
async function priceOf(
  session: Parameters<typeof compactionPriceAtRest>[0],
  runtime: Compacting['runtime'],
): Promise<Compacting['price']> {
  const encoder = encoders(session.state.streams['main']?.accepted?.prepared.encoder ?? '');
  return encoder && compactionPriceAtRest(session, runtime, encoder);
}

/** Maximum number of output tokens that a turn requests. This part of the window must remain free for the answer. */
const OUTPUT_LIMIT = 32_000;

async function askModel(id: SessionId, flags: CompactFlags, context: CommandContext): Promise<CompactionReport> {
  const store = await context.store();
  const session = await namedSession(store, id);
  const changes = await readOwnCatalog(context.home);
  const catalog = changes === undefined ? defaultCatalog() : withOverrides(defaultCatalog(), changes);
  const { provider: named, baseUrl } = flags;
  const typed: AgentFlags = defined({ provider: named, baseUrl });
  const { settings } = await settingsIn(session.workspace, {}, context);
  const asked = withSettings(typed, { settings, newSession: false, person: false, catalog });
  const { baseUrl: addresses, connection } = settings;
  const request = { flags: asked, session, catalog, ...defined({ addresses, connection }) };
  const provider = await chooseProvider(request, context);
  try {
    const agent = createAgent({
      ...provider.options,
      modelOptions: { ...provider.options.modelOptions, ...defined({ catalog: changes }) },
      store,
      host: { environment: context.environment, client: 'cli' },
    });
    try {
      const live = await agent.open(id);
      const { tail, checkpoint, dryRun } = settingsOf(flags);
      return await live.compact({
        by: 'model',
        ...defined({ tailTokens: tail, checkpointTokens: checkpoint }),
        ...(flags.fresh === true && { fresh: true }),
        ...defined({ dryRun }),
      });
    } finally {
      await agent.close();
    }
  } finally {
    await provider.close();
  }
}

function settingsOf({ tailTokens, checkpointTokens, dryRun }: CompactFlags): CompactionFlags {
  return defined({ tail: tailTokens, checkpoint: checkpointTokens, dryRun });
}

interface CompactionFlags {
  readonly tail?: number;
  readonly checkpoint?: number;
  readonly dryRun?: boolean;
}

function tokensOf(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected a whole number of tokens.');
}

/** Smallest allowed checkpoint, in tokens. The fixed text of a checkpoint needs about this many tokens. */
const MIN_CHECKPOINT = 600;

function checkpointTokensOf(text: string): number {
  const tokens = tokensOf(text);
  if (tokens >= MIN_CHECKPOINT) return tokens;
  throw new InvalidArgumentError(
    `Expected at least ${MIN_CHECKPOINT} tokens: the fixed text of a checkpoint needs that many.`,
  );
}
