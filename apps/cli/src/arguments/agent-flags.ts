// Options of the commands that run an agent: declares them and reads their values.

import { defined } from '@tidemark/core';
import type { CacheOptions, CompactionOptions, AgentLimits, Mode, ProviderName, RewriteNotice } from '@tidemark/kit';
import { PROVIDERS } from '@tidemark/kit';
import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';

import { CliError } from '../frame/failure.ts';
import type { HeaderFlag } from './header-flag.ts';
import { headerOf } from './header-flag.ts';

/** Values of the agent options, as commander parses them. */
export interface AgentFlags {
  readonly model?: string;
  readonly inPlace?: true;
  readonly effort?: string;
  readonly agent?: string;
  readonly provider?: ProviderName | 'simulator';
  readonly baseUrl?: string;
  readonly header?: readonly HeaderFlag[];
  readonly transport?: 'http' | 'auto';
  readonly window?: number;
  readonly outputLimit?: number;
  readonly ttl?: NonNullable<CacheOptions['ttl']>;
  readonly scenario?: string;
  readonly mode?: Mode;
  readonly readOnly?: true;
  readonly ask?: true;
  readonly allowUnsandboxed?: true;
  readonly maxCost?: string;
  readonly maxSteps?: number;
  readonly maxTokens?: number;
  readonly rewriteNotice?: number;
  readonly padding?: 'auto' | 'always' | 'never';
  readonly compaction?: NonNullable<CompactionOptions['when']>;
  readonly compactionBy?: NonNullable<CompactionOptions['by']>;
  readonly pruning?: NonNullable<CompactionOptions['pruning']>;
  readonly trust?: true;
  readonly network?: 'off' | 'on';
  /**
   * Smallest cost of a rewrite, in dollars, for which a notice is printed. The value comes from the settings. No
   * command-line option sets it.
   */
  readonly rewriteCost?: string;
}

const MODES: readonly Mode[] = ['read-only', 'ask', 'accept-edits', 'auto'];

/** Declares the options of the commands that run an agent. */
export function declareAgentFlags(command: Command): Command {
  return declareLimits(declareContext(declareRun(declareModel(command))));
}

function declareModel(command: Command): Command {
  return command
    .option(
      '--model <model>',
      'model of the catalog, or a family such as `opus`, which selects its newest model. Default: the model of the session; for a new session, the newest Sonnet.',
    )
    .option(
      '--effort <level>',
      'reasoning effort of the model, such as `low` or `high`; `tidemark models` lists the values. Default: the effort of the session; for a new session, the default of the provider.',
    )
    .option(
      '--agent <agent>',
      'own agent of the session: its role, tools, model and effort; see `tidemark agents`. An existing session keeps its model.',
    )
    .option('--in-place', 'switch the model in the session itself. Default: continue in a fork.');
}

function declareRun(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--provider <name>',
        'provider that receives the requests; see `tidemark models`. Default: the provider of the model.',
      ).choices([...Object.keys(PROVIDERS), 'simulator']),
    )
    .option('--base-url <address>', 'address of the provider: a gateway, a server, or `tidemark simulate`')
    .option(
      "--header <'Name: value'>",
      'additional header of the requests; repeatable. Never a key: see `connection.headers` in `tidemark config`.',
      headerOf,
    )
    .addOption(
      new Option(
        '--transport <way>',
        'connection to OpenAI: `auto` uses a WebSocket where possible. Default: http.',
      ).choices(['http', 'auto']),
    )
    .option(
      '--window <tokens>',
      'context window of a model that is not in the catalog, in tokens: input and output together',
      countOf,
    )
    .option('--output-limit <tokens>', 'maximum tokens of one answer', countOf)
    .addOption(
      new Option('--ttl <life>', 'requested lifetime of cached prefixes. Default: auto.').choices(['auto', '5m', '1h']),
    )
    .option('--scenario <file>', 'JSON script of the answers; needs `--provider simulator`')
    .addOption(
      new Option('--mode <mode>', 'permission mode. Default: `ask` at a terminal, otherwise `read-only`.').choices(
        MODES,
      ),
    )
    .option('--read-only', 'short for `--mode read-only`')
    .option('--ask', 'short for `--mode ask`')
    .option('--allow-unsandboxed', 'in mode auto, run commands without asking even if no sandbox confines them')
    .addOption(
      new Option(
        '--network <state>',
        'network of sandboxed commands: `off` asks if a command needs the network, `on` allows it for all commands. Default: off.',
      ).choices(['off', 'on']),
    )
    .option(
      '--trust',
      'use the settings, hooks, skills, agents, slash commands and memory of the folder, for this run only',
    )
    .option(
      '--config <file>',
      "settings file that replaces the user's own settings: JSON, or TypeScript, which is executed",
    );
}

function declareContext(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--padding <when>',
        "pad a front that is too short for the model's cache: `auto` pads if this is expected to save cost. Default: auto.",
      ).choices(['auto', 'always', 'never']),
    )
    .addOption(
      new Option(
        '--compaction <policy>',
        'when a checkpoint replaces older history: `preflight` when the window is nearly full or the next turn is expected to fill it; `auto` earlier; `manual` only by `tidemark compact`. Default: preflight.',
      ).choices(['manual', 'preflight', 'auto']),
    )
    .addOption(
      new Option(
        '--compaction-by <writer>',
        'how the checkpoint is written: `deterministic` from the log, without a model; `model` by the model, which pays for reading the history; `auto` by the model only if the history is in the cache. Default: auto.',
      ).choices(['auto', 'deterministic', 'model']),
    )
    .addOption(
      new Option(
        '--pruning <when>',
        'shorten old tool results that were superseded, or that are unused when the window is half full: `auto` if this saves cost, or `never`. Default: auto.',
      ).choices(['auto', 'never']),
    );
}

function declareLimits(command: Command): Command {
  return command
    .option('--max-cost <dollars>', 'end the turn before it costs more than this, in US dollars', dollarsOf)
    .option('--max-steps <number>', 'end the turn after this many answers', countOf)
    .option(
      '--max-tokens <number>',
      'end the turn before it uses more tokens than this, input and output together',
      countOf,
    )
    .option(
      '--rewrite-notice <tokens>',
      'print a notice before a step that pays at least this many tokens again; in mode ask, ask first. Default: 50,000 tokens or $0.20.',
      countOf,
    );
}

/**
 * Returns the requested mode, or `undefined` if no option names one.
 *
 * @throws CliError `cli/usage` when the options name different modes.
 */
export function modeIn({ mode, readOnly, ask }: AgentFlags): Mode | undefined {
  const modes = new Set<Mode>([
    ...(mode === undefined ? [] : [mode]),
    ...(readOnly === undefined ? [] : ['read-only' as const]),
    ...(ask === undefined ? [] : ['ask' as const]),
  ]);
  if (modes.size > 1)
    throw new CliError('cli/usage', `the options set different modes: ${[...modes].join(' and ')}`, 'use one of them');
  const [only] = modes;
  return only;
}

/** Returns the turn limits that the options set. */
export function limitsIn({ maxCost, maxSteps, maxTokens }: AgentFlags): AgentLimits {
  return defined({ maxCost, maxSteps, maxTokens });
}

/**
 * Returns the thresholds for a rewrite notice: `tokens`, and `cost` in dollars. If neither the options nor the settings
 * set a threshold, returns `undefined`.
 */
export function rewriteNoticeIn(flags: AgentFlags, changesAgent = false): RewriteNotice | undefined {
  const { rewriteNotice, rewriteCost, inPlace, effort } = flags;
  // With `--in-place` and `--effort`, and with another agent for an existing session, the user always sees the price of
  // the change before it is paid. The default threshold is therefore one token.
  const tokens = rewriteNotice ?? (inPlace === true || effort !== undefined || changesAgent ? 1 : undefined);
  const notice = defined({ tokens, cost: rewriteCost });
  return Object.keys(notice).length === 0 ? undefined : notice;
}

function dollarsOf(text: string): string {
  const amount = text.replace(/^\$/, '');
  if (/^\d{1,9}(\.\d{1,9})?$/.test(amount)) return amount;
  throw new InvalidArgumentError('Expected US dollars, such as 0.50.');
}

function countOf(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected a whole number above 0.');
}
