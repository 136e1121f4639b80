// Guide on skills, memory and MCP: the commands of the page run and print what the page shows. The MCP server is a real
// one, made by the authors of the protocol.

import { join } from 'node:path';
import { readPage } from './documents.ts';
import { ROOT } from './run-tidemark.ts';
import { testPage } from './test-page.ts';

const page = join('docs', 'guides', '04-skills-memory-mcp.md');
const server = 'mcp-server-everything';

testPage({
  page,
  text: await readPage(ROOT, page),
  folder: 'cafe',
  installed: { [server]: join('node_modules', '.bin', server) },
});
