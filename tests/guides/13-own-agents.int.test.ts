// Guide on own agents and instructions: the commands of the page run and print what the page shows.

import { join } from 'node:path';
import { readPage } from './documents.ts';
import { ROOT } from './run-tidemark.ts';
import { testPage } from './test-page.ts';

const page = join('docs', 'guides', '13-own-agents.md');

testPage({ page, text: await readPage(ROOT, page), folder: 'bakery' });
