// `/effort`: sets how much the model reasons, and reports if the change loses the cache.

import type { Capabilities } from '@tidemark/model';
import { effortsOf, findModel } from '@tidemark/model';

import { namedSession } from '../../arguments/choose-session.ts';
import { CliError } from '../../frame/failure.ts';
import { readCatalog } from '../../settings/own-catalog.ts';
import { chooseValue } from './choose-value.ts';
import { rewriteLines } from './session-size.ts';
import type { SlashCommand, SlashPlace } from './slash-command.ts';
import { requireFewWords } from './slash-command.ts';

/** Slash command `/effort`. */
export const effortCommand: SlashCommand = {
  name: 'effort',
  group: 'model',
  summary: 'set how much the model reasons, from the next request on',
  argument: '[value]',
  complete: async (place) => (await effortOf(place))?.values ?? [],
  async run({ words }, place) {
    requireFewWords('effort', words, 1);
    const [typed] = words;
    const { controller } = place;
    const effort = await effortOf(place);
    if (effort === undefined)
      throw new CliError('cli/refused', 'the model of this session has no effort', '`/model` chooses another model');
    const value = typed ?? (await chooseEffort(effort, place));
    if (value === undefined) return;
    if (!effort.values.includes(value))
      throw new CliError('cli/usage', `there is no effort ${JSON.stringify(value)}`, `use ${effort.values.join(', ')}`);
    if (!(await isAccepted(effort, value, place))) return;
    const session = await controller.requireSession();
    session.setReasoning({ effort: value });
    controller.print([`The effort is ${value} from the next request on.`]);
  },
};

/** Effort of a model: its values, and the model that is asked. */
interface ModelEffort {
  readonly values: readonly string[];
  readonly row: Capabilities;
  /** True if the change is appended to the context, so that the cache is kept. */
  readonly keepsCache: boolean;
  /** Effort of the session or of the settings, if it was set. */
  readonly current: string | undefined;
}

async function effortOf({ controller, context }: SlashPlace): Promise<ModelEffort | undefined> {
  const { session, status } = controller.state.get();
  const chosen = session === undefined ? undefined : await namedSession(await context.store(), session);
  const catalog = await readCatalog(context.home);
  const first = controller.agent()?.capabilities;
  const row = chosen?.model === undefined ? first : (findModel(catalog, chosen.model, chosen.provider) ?? first);
  if (row === undefined) return undefined;
  const values = effortsOf(row) ?? [];
  return values.length === 0
    ? undefined
    : { values, row, keepsCache: row.appends.includes('reasoning'), current: chosen?.effort ?? status.effort };
}

function chooseEffort({ values, current, row }: ModelEffort, { controller }: SlashPlace): Promise<string | undefined> {
  const unset = current === undefined ? [`No effort is set, so the default of ${row.model} applies.`] : [];
  const title = ['How much should the model reason?', ...unset];
  return chooseValue(title, { values: values.map((value) => [value]), current }, controller);
}

/** Asks the user if the change loses the cache of a session that has sent a request. */
async function isAccepted({ row, keepsCache }: ModelEffort, value: string, place: SlashPlace): Promise<boolean> {
  const { session } = place.controller.state.get();
  if (session === undefined || keepsCache) return true;
  const lines = await rewriteLines(session, { row, reasoning: { effort: value } }, place);
  if (lines.length === 0) return true;
  const title = [`${row.model} loses its cache when the effort changes.`, ...lines];
  const options = [
    { label: 'change the effort', key: 'y' },
    { label: 'cancel', key: 'n' },
  ];
  // Enter alone changes nothing, because it can be meant for the editor.
  const index = await place.controller.choose(title, options, options.length - 1);
  return index === 0;
}
