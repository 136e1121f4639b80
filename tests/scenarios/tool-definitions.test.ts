import { createAgentTool } from '@tidemark/agent';
import { estimateTokens } from '@tidemark/context';
import { canonicalText } from '@tidemark/model';
import { createSkillLoadTool, createSkillSearchTool, createSkillShelf } from '@tidemark/tools-skills';
import { createPlanTool, workspaceTools } from '@tidemark/tools-workspace';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';

const shelf = createSkillShelf({ roots: [] });
const tools = [
  ...workspaceTools({ folder: tmpdir(), memory: true, environment: {} }),
  createPlanTool(),
  createSkillSearchTool(shelf),
  createSkillLoadTool(shelf),
  createAgentTool(),
];

/** Estimated tokens of the 15 definitions before their descriptions were reworded, at commit fcd7d0e7. */
const TOKENS_BEFORE = 2_684;

/** Estimated tokens of the arguments added since: `page` of `read`, `output` of `grep`, `edits` of `edit`, and `agent`. */
const TOKENS_ADDED = 170;

test('the 15 built-in tool definitions are at most 5% larger than before they were reworded, without later arguments', () => {
  const texts = tools.map(({ name, description, schema }) => canonicalText({ name, description, schema }));
  const tokens = texts.reduce((sum, text) => sum + estimateTokens(text), 0);
  expect(texts).toHaveLength(15);
  expect((tokens - TOKENS_ADDED) / TOKENS_BEFORE).toBeLessThan(1.05);
});

test('each description states what the tool does and what the call returns, and names only built-in tools', () => {
  const names = new Set(tools.map(({ name }) => name));
  for (const { name, description } of tools) {
    expect(description, name).toMatch(/^(?:[A-Z][a-z]+s) .*\.$/);
    expect(description, name).toMatch(/Returns|^Reads/);
    for (const [, named = ''] of description.matchAll(/(?:use|with|for) ([a-z]+_[a-z]+)/g))
      expect(names, name).toContain(named);
  }
});
