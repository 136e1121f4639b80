// Guide on background processes: the commands of the page run real processes and print what the page shows.

import { join } from 'node:path';
import { readPage } from './documents.ts';
import { ROOT } from './run-tidemark.ts';
import { testPage } from './test-page.ts';

const page = join('docs', 'guides', '09-background-processes.md');

testPage({ page, text: await readPage(ROOT, page), folder: 'counter', fewest: 5 });
