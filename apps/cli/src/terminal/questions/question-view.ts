// View of a question of the runtime: everything that the call would do, and the answers.

import { Box, Text, useInput } from 'ink';
import type { ReactElement } from 'react';
import { createElement as h, useState } from 'react';

import { questionText } from '../../present/question-text.ts';
import { readReply } from '../../present/read-reply.ts';
import type { QuestionPanel } from '../state/terminal-state.ts';

/** Properties of a question view. */
export interface QuestionViewProperties {
  readonly panel: QuestionPanel;
  readonly columns: number;
  readonly colour: boolean;
}

/** View of a question. The user types the answer and presses Enter. */
export function QuestionView({ panel, columns }: QuestionViewProperties): ReactElement {
  const [typed, setTyped] = useState('');
  const text = questionText(panel.question, columns);
  useInput((input, key) => {
    if (key.return) {
      const { question } = panel;
      const reply = question.about === 'call' ? readReply(question, typed) : 'unclear';
      if (reply !== 'unclear' && 'answer' in reply) panel.answer(reply.answer);
      setTyped('');
    } else if (key.backspace || key.delete) setTyped(typed.slice(0, -1));
    else if (!key.ctrl && !key.meta && !key.escape) setTyped(typed + input);
  });
  const rows = [...text.head, ...text.body, ...text.answers, `${text.prompt}${typed}`];
  return h(Box, null, h(Text, null, rows.join('\n')));
}
