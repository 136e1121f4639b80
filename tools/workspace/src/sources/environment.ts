// Context source `environment`: shows the current date, and the platform and the shell of the commands.

import { existsSync } from 'node:fs';
import { defined } from '@tidemark/core';
import type { ContextSource } from '@tidemark/agent';
import { oneLine } from './one-line.ts';

/** Facts about the machine. The defaults are detected from this process. */
export interface EnvironmentOptions {
  /** IANA name of the time zone. It determines the date. */
  readonly timeZone?: string;
  /** Name of the platform, such as `Linux x64`. */
  readonly platform?: string;
  /** Name of the shell that runs commands, such as `bash`. */
  readonly shell?: string;
}

/**
 * Creates a context source that notes the date, time zone, platform and shell. When one of them changes, it creates
 * another note. The time of day is not included, because it would cause another note at each prompt.
 *
 * @throws RangeError when the time zone is unknown.
 */
export function environmentSource(options: EnvironmentOptions = {}): ContextSource {
  const { timeZone, platform = thisPlatform(), shell = existsSync('/bin/bash') ? 'bash' : 'sh' } = options;
  const days = new Intl.DateTimeFormat(NO_LOCALE, { ...DAY, ...defined({ timeZone }) });
  const zone = days.resolvedOptions().timeZone;
  return {
    name: 'environment',
    revision: ({ now }) => [dayOf(days, now)[0], zone, platform, shell].join(' '),
    render: ({ now }) =>
      `Date: ${dayOf(days, now).join(', ')} (${zone})\nPlatform: ${oneLine(platform)}\nShell: ${oneLine(shell)}`,
    affectedBy: () => false,
  };
}

/** Fixed locale. The date must not depend on the language of the machine. */
const NO_LOCALE = 'en-US-u-ca-gregory-nu-latn';
const DAY = { weekday: 'long', year: 'numeric', month: '2-digit', day: '2-digit' } as const;

/** Returns the date and the weekday, such as `2026-11-20` and `Friday`. */
function dayOf(days: Intl.DateTimeFormat, now: string): readonly [string, string] {
  const parts = new Map(days.formatToParts(new Date(now)).map(({ type, value }) => [type, value]));
  return [[parts.get('year'), parts.get('month'), parts.get('day')].join('-'), parts.get('weekday') ?? ''];
}

const PLATFORMS: Readonly<Record<string, string>> = { linux: 'Linux', darwin: 'macOS' };

function thisPlatform(): string {
  return `${PLATFORMS[process.platform] ?? process.platform} ${process.arch}`;
}
