import { expect, test } from 'vitest';
import { isAgentFile } from './agent-files.ts';

test.each([
  'AGENTS.md',
  'packages/api/agents.MD',
  'CLAUDE.md',
  '.mcp.json',
  '.tidemark/config.json',
  '.tidemark/MEMORY.md',
  '.agents/commands/review.md',
  'packages/api/.agents/skills/x/SKILL.md',
])('agents take instructions or settings from %s', (path) => expect(isAgentFile(`/w/${path}`, '/w')).toBe(true));

test.each(['src/agents.ts', 'docs/AGENTS.md.txt', 'agents/a.md', 'mcp.json', 'a.tidemark/b'])(
  'agents take nothing from %s',
  (path) => expect(isAgentFile(`/w/${path}`, '/w')).toBe(false),
);

test('a folder above the workspace does not count', () => {
  expect(isAgentFile('/home/.agents/w/src/a.ts', '/home/.agents/w')).toBe(false);
});
