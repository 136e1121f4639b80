import { canonicalText } from '@tidemark/model';
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { openBench } from '../tests/bench.ts';
import { createEditTool } from './edit/edit-tool.ts';
import { createHistoryReadTool } from './history/history-read-tool.ts';
import { createHistorySearchTool } from './history/history-search-tool.ts';
import { createLsTool } from './ls/ls-tool.ts';
import { createOutputReadTool } from './output-read/output-read-tool.ts';
import { createReadTool } from './read/read-tool.ts';
import { WORKSPACE_ERRORS } from './workspace-error.ts';
import { workspaceTools } from './workspace-tools.ts';
import { createWriteTool } from './write/write-tool.ts';

test('`workspaceTools` returns the tools in a fixed order, each with its effect class', async () => {
  const { folder } = await openBench();
  expect(workspaceTools({ folder }).map(({ name, effect }) => `${name} ${effect}`)).toEqual([
    'read read',
    'write write',
    'edit write',
    'ls read',
    'grep read',
    'find read',
    'bash execute',
    'output_read none',
    'history_read none',
    'history_search none',
  ]);
});

/**
 * A new digest makes every user's cached prefix invalid one time. Change a definition only if the benefit is worth that
 * cost.
 */
test('the tools have definitions with unchanged bytes, because users have these bytes in their prompt caches', async () => {
  const { confinement } = await openBench();
  const tools = [
    createReadTool(confinement),
    createWriteTool(confinement),
    createEditTool(confinement),
    createLsTool(confinement),
    createOutputReadTool(),
    createHistoryReadTool(),
    createHistorySearchTool(),
  ];
  const digests = tools.map(({ name, description, schema }) => [
    name,
    createHash('sha256').update(canonicalText({ name, description, schema })).digest('hex').slice(0, 16),
  ]);
  expect(Object.fromEntries(digests)).toEqual({
    read: '389ce78f1fda6d9b',
    write: '3f168fc4837b03c3',
    edit: '94a7fe3befbfb88e',
    ls: '6e2c2263ea043642',
    output_read: '780c9e700be5f57a',
    history_read: '817147497efd009e',
    history_search: 'e7df1842c5959f83',
  });
});

test('`workspaceTools` refuses a workspace that is not a folder', () =>
  expect(() => workspaceTools({ folder: '/no/such/folder' })).toThrow('use an existing folder'));

test('`WORKSPACE_ERRORS` contains every error code with its sort', () =>
  expect(WORKSPACE_ERRORS).toEqual({
    'workspace/no-folder': 'refused',
    'workspace/file-system': 'refused',
    'workspace/moved': 'conflict',
    'workspace/not-a-file': 'refused',
    'workspace/not-text': 'refused',
    'workspace/too-large': 'refused',
    'workspace/unread': 'conflict',
    'workspace/changed': 'conflict',
    'workspace/no-match': 'refused',
    'workspace/many-matches': 'refused',
    'workspace/overlap': 'refused',
    'workspace/past-the-end': 'refused',
    'workspace/no-output': 'refused',
    'workspace/no-record': 'refused',
    'workspace/secret-variable': 'refused',
    'workspace/bad-search': 'refused',
    'workspace/no-ripgrep': 'refused',
    'workspace/memory-full': 'refused',
    'workspace/not-restorable': 'refused',
    'workspace/port': 'refused',
    'workspace/no-process': 'refused',
  }));
