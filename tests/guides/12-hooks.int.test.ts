// Guide on hooks: the commands of the page run and print what the page shows, with the programs of the page as hooks.

import { join } from 'node:path';
import { readPage } from './documents.ts';
import { ROOT } from './run-tidemark.ts';
import { testPage } from './test-page.ts';

const page = join('docs', 'guides', '12-hooks.md');

testPage({ page, text: await readPage(ROOT, page), folder: 'shop' });
