// Options of the commands that run an agent: declares them and reads their values.

import { defined } from '@tidemark/core';
import type { CacheOptions, CompactionOptions, TurnLimits, Mode, ProviderName, RewriteNotice } from '@tidemark/kit';
import { PROVIDERS } from '@tidemark/kit';
import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';

import { CliError } from '../frame/failure.ts';

/** Values of the agent options, as commander parses them. */
export interface AgentFlags {
  readonly model?: string;
  readonly inPlace?: true;
  readonly provider?: ProviderName | 'simulator';
  readonly baseUrl?: string;
  readonly transport?: 'http' | 'auto';
  readonly window?: number;
  readonly outputLimit?: number;
  readonly ttl?: NonNullable<CacheOptions['ttl']>;
  readonly scenario?: string;
  readonly mode?: Mode;
  readonly readOnly?: true;
  readonly ask?: true;
  readonly unconfined?: true;
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
   * Cost in dollars from which a notice about a rewrite is printed. It comes from the settings; there is no
   * command-line option for it.
   */
  readonly rewriteCost?: string;
}

const MODES: readonly Mode[] = ['read-only', 'ask', 'auto'];

/** Declares the options of the commands that run an agent. */
export function declareAgentFlags(command: Command): Command {
  return declareLimits(declareContext(declareRun(command)));
}

function declareRun(command: Command): Command {
  return command
    .option(
      '--model <name>',
      'a model of the catalog, or a family such as `opus`: its newest; by default the newest Sonnet',
    )
    .option('--in-place', 'take another model in the session itself; unless said, it goes on in a fork')
    .addOption(
      new Option('--provider <name>', 'whom to ask: by default whose model it is').choices([
        ...Object.keys(PROVIDERS),
        'simulator',
      ]),
    )
    .option('--base-url <address>', 'where the provider listens: a gateway, a server, or `tidemark simulate`')
    .addOption(
      new Option('--transport <way>', 'how OpenAI is reached: `auto` is over a WebSocket where that can be').choices([
        'http',
        'auto',
      ]),
    )
    .option('--window <tokens>', 'what a model that no catalog knows takes, input and output together', countOf)
    .option('--output-limit <tokens>', 'most tokens of one answer', countOf)
    .addOption(new Option('--ttl <life>', 'how long cached prefixes are asked to live').choices(['auto', '5m', '1h']))
    .option('--scenario <file>', 'with the simulator: a JSON script of its answers')
    .addOption(
      new Option('--mode <mode>', 'what may be done: at a terminal `ask` unless said, else `read-only`').choices(MODES),
    )
    .option('--read-only', 'short for --mode read-only')
    .option('--ask', 'short for --mode ask')
    .option('--unconfined', 'in mode auto run commands unasked even where no sandbox holds them')
    .addOption(
      new Option(
        '--network <state>',
        'of sandboxed commands: `off`, the default, asks where a command needs the network; `on` gives it to all of them',
      ).choices(['off', 'on']),
    )
    .option('--trust', 'for this once, use what the folder brings along: its settings, skills and memory')
    .option('--config <file>', "settings in the place of the user's own: JSON, or TypeScript, which runs");
}

/** Declares the options that control the size of the context: padding, compaction and pruning. */
function declareContext(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--padding <when>',
        "fill a front below the model's floor: `auto` where it is expected to pay",
      ).choices(['auto', 'always', 'never']),
    )
    .addOption(
      new Option(
        '--compaction <policy>',
        'when older history gives way to a checkpoint: `preflight` (the default) where the window is nearly full, or a turn that begins is expected to fill it; `auto` earlier; `manual` by `tidemark compact` alone',
      ).choices(['manual', 'preflight', 'auto']),
    )
    .addOption(
      new Option(
        '--compaction-by <writer>',
        'who writes the checkpoint: `auto`, unless said, is the model where it reads the history from the cache, else the log alone; `model` pays for the reading; `deterministic` asks no model',
      ).choices(['auto', 'deterministic', 'model']),
    )
    .addOption(
      new Option(
        '--pruning <when>',
        'shorten old tool results that were superseded, or that nothing uses in a half full window: `auto` (the default) where that pays, or `never`',
      ).choices(['auto', 'never']),
    );
}

function declareLimits(command: Command): Command {
  return command
    .option('--max-cost <dollars>', 'end the turn before it costs more', dollarsOf)
    .option('--max-steps <number>', 'end the turn after so many answers', countOf)
    .option('--max-tokens <number>', 'end the turn before it takes more tokens, in and out', countOf)
    .option(
      '--rewrite-notice <tokens>',
      'say a step first that pays so many tokens again, and in mode ask ask about it; from 50,000 or $0.20 unless said',
      countOf,
    );
}

/**
 * Returns the requested mode, or `undefined` if no option names one.
 *
 * @throws CliError `cli/usage` when the options name different modes.
 */
export function modeIn({ mode, readOnly, ask }: AgentFlags): Mode | undefined {
  const said = new Set<Mode>([
    ...(mode === undefined ? [] : [mode]),
    ...(readOnly === undefined ? [] : ['read-only' as const]),
    ...(ask === undefined ? [] : ['ask' as const]),
  ]);
  if (said.size > 1)
    throw new CliError('cli/usage', `one mode at a time, not ${[...said].join(' and ')}`, 'name one of them');
  const [only] = said;
  return only;
}

/** Returns the turn limits that the options set. */
export function limitsIn({ maxCost, maxSteps, maxTokens }: AgentFlags): TurnLimits {
  return defined({ cost: maxCost, steps: maxSteps, tokens: maxTokens });
}

/**
 * Returns the thresholds for a rewrite notice. Returns an empty object if neither the options nor the settings set one.
 */
export function rewriteNoticeIn(flags: AgentFlags): RewriteNotice | undefined {
  const { rewriteNotice, rewriteCost, inPlace } = flags;
  // With `--in-place`, the price of the model switch is always reported before the user pays it, so the threshold is
  // one token.
  const tokens = rewriteNotice ?? (inPlace === true ? 1 : undefined);
  const notice = defined({ tokens, cost: rewriteCost });
  return Object.keys(notice).length === 0 ? undefined : notice;
}

function dollarsOf(text: string): string {
  const amount = text.replace(/^\$/, '');
  if (/^\d{1,9}(\.\d{1,9})?$/.test(amount)) return amount;
  throw new InvalidArgumentError('Name US dollars, such as 0.50.');
}

function countOf(text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Name a whole number above 0.');
}
