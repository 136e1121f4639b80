// The context source `environment`: which day it is, and what commands run on.

import { existsSync } from 'node:fs';
import { defined } from '@tidemark/core';
import type { ContextSource } from '@tidemark/agent';
import { oneLine } from './one-line.ts';

/** What the source says of the machine; by default what this process finds. */
export interface EnvironmentOptions {
  /** IANA name: the day is the one of this zone. */
  readonly timeZone?: string;
  /** `Linux x64`. */
  readonly platform?: string;
  /** The shell that runs commands: `bash`. */
  readonly shell?: string;
}

/**
 * Notes the date, platform and shell once a day. Never the time of day: that would be another note at each prompt.
 *
 * @throws RangeError when there is no such time zone.
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

/** Fixed, so that the language of the machine does not show. */
const NO_LOCALE = 'en-US-u-ca-gregory-nu-latn';
const DAY = { weekday: 'long', year: 'numeric', month: '2-digit', day: '2-digit' } as const;

/** `2026-11-20` and `Friday`. */
function dayOf(days: Intl.DateTimeFormat, now: string): readonly [string, string] {
  const parts = new Map(days.formatToParts(new Date(now)).map(({ type, value }) => [type, value]));
  return [[parts.get('year'), parts.get('month'), parts.get('day')].join('-'), parts.get('weekday') ?? ''];
}

const PLATFORMS: Readonly<Record<string, string>> = { linux: 'Linux', darwin: 'macOS' };

function thisPlatform(): string {
  return `${PLATFORMS[process.platform] ?? process.platform} ${process.arch}`;
}
