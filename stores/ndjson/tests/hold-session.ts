// A separate process that writes a session of a home.

import { sessionId } from '@tidemark/log';
import { answerLines } from '@tidemark/log/contract/answer-lines';

import { openNdjsonStore } from '../src/store.ts';

const [home = '', session = ''] = process.argv.slice(2);
await answerLines(openNdjsonStore({ home }), sessionId(session));
