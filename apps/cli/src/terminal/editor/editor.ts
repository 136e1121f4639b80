// Editor of the prompt.

import { Box, Text, useInput } from 'ink';
import type { ReactElement } from 'react';
import { createElement as h, useState } from 'react';

import type { Controller } from '../state/controller.ts';

/**
 * Properties of the editor. `rows` is the maximum height. While a panel has the keyboard, the editor is not `active`: it
 * is hidden, ignores keys and keeps its text.
 */
export interface EditorProperties {
  readonly controller: Controller;
  readonly active: boolean;
  readonly columns: number;
  readonly rows: number;
}

/** Editor of the prompt. Enter sends the text, and Tab queues it. */
export function Editor({ controller, active }: EditorProperties): ReactElement {
  const [text, setText] = useState('');
  useInput(
    (input, key) => {
      if (key.return && text.trim() !== '') {
        controller.send({ text, attached: [] });
        setText('');
      } else if (key.backspace || key.delete) setText(text.slice(0, -1));
      else if (!key.ctrl && !key.meta && !key.escape && !key.tab && !key.return) setText(text + input);
    },
    { isActive: active },
  );
  return h(Box, { marginTop: 1 }, h(Text, null, `> ${text}`));
}
