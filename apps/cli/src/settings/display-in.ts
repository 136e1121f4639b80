// How things are shown, as it is set: known before a command runs, and the same for all of them.

import { defined } from '@tidemark/core';
import type { Display } from '@tidemark/settings';
import { readBroughtConfiguration, readSettings, SettingsError } from '@tidemark/settings';

import type { CommandContext } from '../frame/command.ts';
import type { Sink } from '../frame/output.ts';
import { settingsRequest } from './settings-in.ts';

/** Where settings are looked for. */
export type SettingsPlaces = Pick<CommandContext, 'environment' | 'configFolder' | 'configFile'>;

/** What is set, with the workspace's share. Whoever heeds the other settings says what is wrong with them. */
export async function displayIn(folder: string, places: SettingsPlaces): Promise<Display> {
  const brought = await readBroughtConfiguration(folder).catch(unlessUnusable);
  const request = { ...settingsRequest(places), ...defined({ brought }), trusted: false };
  const settled = await readSettings(request).catch(unlessUnusable);
  return settled?.settings.display ?? {};
}

function unlessUnusable(error: unknown): undefined {
  if (error instanceof SettingsError) return undefined;
  throw error;
}

/** The streams, with colours and as wide as it is set. */
export function asDisplayed<Streams extends { readonly out: Sink & { readonly columns: number }; readonly err: Sink }>(
  streams: Streams,
  { colour = 'auto', columns }: Display,
): Streams {
  const { out, err } = streams;
  const coloured = colour === 'auto' ? {} : { colour: colour === 'always' };
  return {
    ...streams,
    out: { ...out, ...coloured, ...defined({ columns }) },
    err: { ...err, ...coloured },
  };
}
