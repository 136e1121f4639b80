// An order desk whose orders are files. The tools that read them are those of an MCP server.

import { mkdir, writeFile } from 'node:fs/promises';
import { createAgent } from '@tidemark/kit';

await mkdir('orders', { recursive: true });
await writeFile('orders/A-17.txt', 'A blue lamp. Paid: 39 euros.');

const agent = createAgent({
  model: 'claude-sonnet-5-5',
  host: { environment: process.env },
  baseURL: process.env['ANTHROPIC_BASE_URL'] ?? 'https://api.anthropic.com',
  mcp: {
    servers: {
      files: {
        command: 'mcp-server-filesystem',
        args: ['orders'],
        effect: { read_text_file: 'read', list_directory: 'read' },
      },
    },
    waitMs: 30_000,
  },
});
const session = await agent.open();
const { outcome, text, error } = await session.prompt('What was paid for order A-17?');
console.log(outcome === 'completed' ? text : error?.message);
await agent.close();
