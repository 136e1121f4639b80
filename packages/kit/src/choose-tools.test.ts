import { expect, test } from 'vitest';

import { checkOptions } from './agent-options.ts';
import { workspaceOptions } from './choose-tools.ts';

test('`protectedPaths` reaches the tools of the workspace, each path absolute', () => {
  const options = { model: 'any', protectedPaths: ['/work/tools/server.js', 'tools/mcp'] };
  expect(workspaceOptions('/work', options).protectedPaths).toEqual(['/work/tools/server.js', '/work/tools/mcp']);
  expect(workspaceOptions('/work', { model: 'any' })).not.toHaveProperty('protectedPaths');
});

test('`protectedPaths` with an empty path is refused', () => {
  expect(() => checkOptions({ model: 'any', protectedPaths: [''] })).toThrow('protectedPaths.0: expected some text');
});
