// A separate process that writes a session of a database.

import { sessionId } from '@tidemark/log';
import { answerLines } from '@tidemark/log/contract/answer-lines';
import { openFolderObjects } from '@tidemark/store-objects';

import { openDatabase, openPostgresStore } from '../src/index.ts';

const [url = '', folder = '', lease = '', session = ''] = process.argv.slice(2);
const database = openDatabase({ url, patience: 5_000 });
const store = openPostgresStore({ database, objects: openFolderObjects(folder), lease: Number(lease) });
await answerLines(store, sessionId(session));
await database.close();
