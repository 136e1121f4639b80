import { expect, test } from 'vitest';

import { checkOptions } from './check-options.ts';
import { workspaceOptions } from './choose-tools.ts';

test('`protectedPaths` reaches the workspace tools as absolute paths', () => {
  const workspace = { folder: '/work', protectedPaths: ['/work/tools/server.js', 'tools/mcp'] };
  expect(workspaceOptions(workspace, { model: 'any' }).protectedPaths).toEqual([
    '/work/tools/server.js',
    '/work/tools/mcp',
  ]);
  expect(workspaceOptions({ folder: '/work' }, { model: 'any' })).not.toHaveProperty('protectedPaths');
});

test('`protectedPaths` with an empty path is refused', () => {
  expect(() => checkOptions({ model: 'any', workspace: { folder: '/work', protectedPaths: [''] } })).toThrow(
    'workspace.protectedPaths.0: expected a string that is not empty',
  );
});
