// Reads the display settings. They are known before a command runs, and they apply to every command.

import { defined } from '@tidemark/core';
import type { Display } from '@tidemark/settings';
import { readBroughtConfiguration, readSettings, SettingsError } from '@tidemark/settings';

import type { CommandContext } from '../frame/command.ts';
import type { Sink } from '../frame/output.ts';
import { settingsRequest } from './own-settings.ts';

/** Places where settings are searched. */
export type SettingsPlaces = Pick<CommandContext, 'environment' | 'configFolder' | 'configFile'>;

/**
 * Returns the display settings, including those of the workspace. Invalid settings are ignored here. They are reported
 * by the commands that use the other settings.
 */
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

/** Returns the streams with the colours and the width from the settings. */
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
