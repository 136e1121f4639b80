// Line in place of the editor while the session is open in another process.

import { Box, Text, useInput } from 'ink';
import type { ReactElement } from 'react';
import { createElement as h } from 'react';

import { KEYS_ELSEWHERE, OPEN_ELSEWHERE, pressElsewhere } from '../control/open-elsewhere.ts';
import type { Controller } from '../state/controller.ts';

/** Properties of the line. */
export interface ReadOnlyViewProperties {
  readonly controller: Controller;
  readonly columns: number;
}

/** Line that explains why nothing can be typed, and its keys. */
export function ReadOnlyView({ controller }: ReadOnlyViewProperties): ReactElement {
  useInput((input, key) => {
    if (key.ctrl && (input === 'c' || input === 'd')) controller.leave();
    else if (!key.ctrl) void pressElsewhere(controller, input);
  });
  return h(
    Box,
    { flexDirection: 'column', marginTop: 1 },
    h(Text, { wrap: 'truncate' }, OPEN_ELSEWHERE),
    h(Text, { dimColor: true, wrap: 'truncate' }, KEYS_ELSEWHERE),
  );
}
