// `tidemark smoke`: checks with a few small calls whether a provider's cache works with the requests of this engine.

import { defined } from '@tidemark/core';
import { createMemoryStore } from '@tidemark/store-memory';
import { Option } from 'commander';

import type { Command, CommandContext, CommandOutcome } from '../frame/command.ts';
import { EXIT } from '../frame/exit-codes.ts';
import { dollars } from '../frame/numbers.ts';
import { ownCatalogPath } from '../settings/own-catalog.ts';
import type { SmokeEngine } from '../smoke/engine.ts';
import { keepPromotion } from '../smoke/keep-promotion.ts';
import { measureSmoke } from '../smoke/measure.ts';
import { createMeter } from '../smoke/meter.ts';
import type { SmokePlan } from '../smoke/plan.ts';
import { planSmoke } from '../smoke/plan.ts';
import { spentOn } from '../smoke/price.ts';
import { tryPromotion } from '../smoke/promotion.ts';
import { inAdvance, leftOutIn, promotionVerdict, smokeTable, verdictOf } from '../smoke/report.ts';
import type { OpenSubject, SmokeSubject, SubjectFlags } from '../smoke/subject.ts';
import { findSubject, openSubject } from '../smoke/subject.ts';
import type { SmokeWords } from '../smoke/words.ts';
import { smokeWords } from '../smoke/words.ts';

/** Command `tidemark smoke`. It checks with a few small calls whether a provider's cache works. */
export const smoke: Command = {
  name: 'smoke',
  summary: 'measure with a few small calls whether a provider reads back what it cached; costs at most $0.05',
  examples: [
    ['tidemark smoke --dry-run', 'report what would be sent, and its maximum price'],
    ['tidemark smoke', 'live, with the cheapest model of Anthropic; needs a key'],
    ['tidemark smoke --provider openai --json', 'every figure as one JSON object; needs a key'],
    ['tidemark smoke --provider simulator --model claude-opus-5-5', 'without a key, against the simulator'],
    ['tidemark smoke --promotion', 'measure whether a five-minute cache entry can be extended to an hour; waits'],
  ],
  declare: (command, run) =>
    void command
      .addOption(
        new Option('--provider <name>', 'provider to measure')
          .choices(['anthropic', 'openai', 'simulator'])
          .default('anthropic'),
      )
      .option('--model <model>', 'model of the catalog. Default: the cheapest model of the provider.')
      .option('--base-url <address>', 'address of the provider')
      .option('--dry-run', 'report what would be sent and its price, and send nothing')
      .option('--promotion', 'measure instead whether a long-lived cache marker extends a short-lived cache entry')
      .action((options: SmokeFlags) => run((context) => smokeWith(options, context))),
};

interface SmokeFlags extends SubjectFlags {
  readonly dryRun?: true;
  readonly promotion?: true;
}

/** Values of a smoke test that are known before the first call is sent, such as its subject and its plan. */
interface SettledSmoke {
  readonly subject: SmokeSubject;
  readonly words: SmokeWords;
  readonly plan: SmokePlan;
  readonly day: string;
}

async function smokeWith(options: SmokeFlags, context: CommandContext): Promise<CommandOutcome> {
  const settled = await settle(options, context);
  const { subject, plan } = settled;
  const { output } = context;
  output.note(inAdvance(subject.row.model, plan, options.promotion === true && !subject.simulated));
  const missing = leftOutIn(plan);
  if (missing !== undefined) output.note(missing);
  if (options.dryRun === true) {
    output.result({ ok: true, dryRun: true, model: subject.row.model, ...plan }, () => 'nothing was sent');
    return EXIT.ok;
  }
  const open = await openSubject(subject, options, context);
  try {
    return options.promotion === true ? await promote(settled, open, context) : await measure(settled, open, context);
  } finally {
    await open.close();
  }
}

async function settle(options: SmokeFlags, context: CommandContext): Promise<SettledSmoke> {
  const subject = await findSubject(options, context);
  const { row, simulated } = subject;
  const words = smokeWords(row.floor, crypto.randomUUID());
  const day = new Date().toISOString().slice(0, 10);
  const plan = planSmoke({ row, simulated, promotion: options.promotion === true, tokens: words.tokens, day });
  return { subject, words, plan, day };
}

function engineOf(
  { subject: { row, catalog }, words }: SettledSmoke,
  { provider, surroundings }: OpenSubject,
): SmokeEngine {
  return defined({
    meter: createMeter(provider),
    model: row.model,
    words,
    log: createMemoryStore(),
    surroundings,
    ttl: '5m',
    catalog,
  });
}

async function measure(settled: SettledSmoke, open: OpenSubject, { output }: CommandContext): Promise<CommandOutcome> {
  const { subject, plan, day } = settled;
  const engine = engineOf(settled, open);
  const result = await measureSmoke(engine, plan.calls);
  const spent = subject.simulated ? undefined : spentOn(subject.row, engine.meter.calls, day);
  const ok = result.transport === 'hit' && result.contract === 'hit';
  const { most, leftOut } = plan;
  const price = defined({ most, spent });
  const verdict = verdictOf(result);
  output.result({ ok, model: subject.row.model, ...result, leftOut, ...price }, () => verdict.join('\n'));
  output.table(smokeTable(result));
  if (spent !== undefined) output.line(`cost: ${dollars(spent)}`);
  return ok ? EXIT.ok : EXIT.difference;
}

async function promote(settled: SettledSmoke, open: OpenSubject, context: CommandContext): Promise<CommandOutcome> {
  const { subject, plan, day } = settled;
  const promotion = await tryPromotion(engineOf(settled, open), (ms) => open.pause(ms));
  if (context.signal.aborted) return EXIT.interrupted;
  const kept = subject.simulated
    ? false
    : await keepPromotion(promotion, { row: subject.row, day, home: context.home });
  const { most } = plan;
  const value = { ok: promotion.outcome === 'promotes', model: subject.row.model, ...promotion, kept };
  context.output.result({ ...value, ...defined({ most }) }, () => promotionVerdict(promotion));
  if (kept) context.output.line(`recorded in ${ownCatalogPath(context.home)}`);
  if (subject.simulated)
    context.output.line('measured on the simulator: the result is not evidence about the provider and is not recorded');
  return promotion.outcome === 'promotes' ? EXIT.ok : EXIT.difference;
}
