// Guide on the command: the commands of the page run and print what the page shows.

import { join } from 'node:path';
import { readPage } from './documents.ts';
import { ROOT } from './run-tidemark.ts';
import { testPage } from './test-page.ts';

const page = join('docs', 'guides', '14-the-command.md');

testPage({ page, text: await readPage(ROOT, page), folder: 'bakery' });
