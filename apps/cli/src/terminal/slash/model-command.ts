// `/model`: continues with another model, in a fork or in the session itself.

import { defined } from '@tidemark/core';
import { isProviderName } from '@tidemark/kit';
import type { AgentSession } from '@tidemark/kit';
import type { Capabilities, Catalog } from '@tidemark/model';
import { findModel } from '@tidemark/model';

import type { ChosenSession } from '../../arguments/choose-session.ts';
import { namedSession } from '../../arguments/choose-session.ts';
import { resolveModel } from '../../arguments/resolve-model.ts';
import { CliError } from '../../frame/failure.ts';
import { formatNumber } from '../../frame/numbers.ts';
import { withStyle } from '../../frame/shown.ts';
import { readCatalog } from '../../settings/own-catalog.ts';
import { chooseValue } from './choose-value.ts';
import { readFlags } from './read-flags.ts';
import { rewriteLines } from './session-size.ts';
import type { SlashCommand, SlashPlace } from './slash-command.ts';
import { idleSession, requireIdle } from './slash-command.ts';

/** Families that select their newest model. */
const FAMILIES = ['sonnet', 'opus', 'haiku'] as const;

/** Slash command `/model`. */
export const modelCommand: SlashCommand = {
  name: 'model',
  group: 'model',
  summary: 'continue with another model: in a fork, or in this session with `--in-place`',
  argument: '[model] [--in-place] [--provider <name>]',
  async complete({ context, controller }) {
    const { rows } = await readCatalog(context.home);
    const provider = controller.agent()?.capabilities.provider;
    return [...FAMILIES, ...rows.filter((row) => row.provider === provider).map(({ model }) => model)];
  },
  async run({ words: typed }, place) {
    const { values, words } = readFlags(typed, { flags: ['in-place'], texts: ['provider'] });
    requireIdle(place);
    const catalog = await readCatalog(place.context.home);
    const before = await modelBefore(place);
    const asked = words.length > 0 ? words.join(' ') : await chooseModel(catalog, before, place);
    if (asked === undefined) return;
    const target = targetOf(asked, values.get('provider'), { catalog, before });
    if (target.model === before?.model && !values.has('provider'))
      place.controller.print([`The session already uses ${target.model}.`]);
    else if (before?.model === undefined) await setFirst(target, place);
    else if (values.has('in-place')) await switchInPlace(target, before, place);
    else await continueInFork(target, before, place);
  },
};

/** Model to switch to. Its row is absent if the catalog does not list it. */
interface ModelTarget {
  readonly model: string;
  readonly provider?: string;
  readonly row: Capabilities | undefined;
}

async function modelBefore({ controller, context }: SlashPlace): Promise<ChosenSession | undefined> {
  const { session } = controller.state.get();
  return session === undefined ? undefined : namedSession(await context.store(), session);
}

function targetOf(
  asked: string,
  provider: string | true | undefined,
  { catalog, before }: { readonly catalog: Catalog; readonly before: ChosenSession | undefined },
): ModelTarget {
  if (provider !== undefined && (typeof provider !== 'string' || !isProviderName(provider)))
    throw new CliError(
      'cli/usage',
      `there is no provider ${JSON.stringify(provider)}`,
      '`/models` lists the providers',
    );
  const { model = asked } = resolveModel(defined({ model: asked, provider }), { catalog, session: before });
  return { model, ...defined({ provider }), row: findModel(catalog, model, provider) };
}

async function chooseModel(
  { rows }: Catalog,
  before: ChosenSession | undefined,
  { controller }: SlashPlace,
): Promise<string | undefined> {
  const { provider, model: first } = controller.agent()?.capabilities ?? {};
  const current = before?.model ?? first;
  const offered = rows.filter((row) => row.provider === (before?.provider ?? provider));
  const values = offered.map(({ model, window }) => [model, `${formatNumber(window.tokens)} tokens`] as const);
  return chooseValue(['Which model?'], { values, current }, controller);
}

/** Sets the model of a session that has sent no request. Nothing is lost, so there is no fork. */
async function setFirst({ model, provider }: ModelTarget, { controller }: SlashPlace): Promise<void> {
  const session = await controller.requireSession();
  await session.setModel(model, defined({ provider }));
  controller.refreshStatus();
  controller.print([`${model} is used from the first prompt on.`]);
}

async function continueInFork(
  { model, provider }: ModelTarget,
  before: ChosenSession,
  place: SlashPlace,
): Promise<void> {
  const session = idleSession(place);
  const fork = await session.fork({ model, ...defined({ provider }) });
  await place.controller.openSession({ open: 'live', session: fork });
  place.controller.print([
    withStyle('dim', `${model} continues in a fork. Session ${before.id} keeps ${before.model ?? ''} and its cache.`),
  ]);
}

/** Switches the session itself. The price is shown first. */
async function switchInPlace(target: ModelTarget, before: ChosenSession, place: SlashPlace): Promise<void> {
  const session = idleSession(place);
  const { controller } = place;
  const lines = await rewriteLines(before.id, target, place);
  const title = [`Switch this session from ${before.model ?? ''} to ${target.model}?`, ...lines];
  const options = [
    { label: 'switch here', key: 'y' },
    { label: 'continue in a fork', note: 'this session keeps its model and its cache', key: 'f' },
    { label: 'cancel', key: 'n' },
  ];
  // Enter alone changes nothing, because it can be meant for the editor.
  const index = await controller.choose(title, options, options.length - 1);
  if (index === 0) await setModel(session, target, place);
  if (index === 1) await continueInFork(target, before, place);
}

async function setModel(
  session: AgentSession,
  { model, provider }: ModelTarget,
  { controller }: SlashPlace,
): Promise<void> {
  await session.setModel(model, defined({ provider }));
  controller.refreshStatus();
  controller.print([`${model} is used from the next prompt on.`]);
}
