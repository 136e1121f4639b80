// Prompts that wait for the end of the running turn, shown above the editor.

import { Box, Text } from 'ink';
import type { ReactElement } from 'react';
import { createElement as h } from 'react';

import { plainText } from '../../frame/plain-text.ts';
import type { Draft } from '../state/draft.ts';

/** Maximum number of prompts that are shown. */
const MOST = 3;

/** Prompts that wait, one row each. The newest ones are shown. */
export function Queue({ queued }: { readonly queued: readonly Draft[] }): ReactElement | undefined {
  if (queued.length === 0) return undefined;
  const more = queued.length - MOST;
  const rows = queued.slice(-MOST).map(({ text }) => `queued: ${plainText(text.replaceAll(/\s+/g, ' '))}`);
  const lines = [...(more > 0 ? [`queued: ${more} more`] : []), ...rows];
  return h(
    Box,
    { flexDirection: 'column', flexShrink: 0 },
    ...lines.map((line, index) => h(Text, { key: index, dimColor: true, wrap: 'truncate' }, line)),
  );
}
