// Each thread that this project answers about sessions, compaction and the log is a test under its name: who reads a thread
// finds what is promised by its number.

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const ROOMS = '{packages,stores,providers,tools,apps,tests}/**/*.test.ts';

const THREADS = {
  'poisoned sessions': [
    'anthropics/claude-code#3639, #1894, #5989',
    'aaif-goose/goose#2951',
    'mastra-ai/mastra#2667, #16981',
    'vercel/ai#7099, #8379',
    'anthropics/claude-code#63229, #63293, anomalyco/opencode#6418',
    'code-yeongyu/senpi#302',
    'anthropics/claude-code#37418, #83206',
  ],
  compaction: [
    'anomalyco/opencode#27924, openclaw#10613, riba2534/happyclaw#300, NousResearch/hermes-agent#53008',
    'anomalyco/opencode#16882',
    'openai/codex#13279',
    'Kilo-Org/kilocode#10888',
    'anthropics/claude-code#8050, #14274, elidickinson/pi-claude-bridge#18',
    'openai/codex#38861',
    'anthropics/claude-code#82863, openclaw#99843, cloudflare/agents#1580',
    'anthropics/claude-code#13919, #74990, #19471',
    'earendil-works/pi#2608',
    'earendil-works/pi#6879, #7821',
  ],
  'the log': [
    'anthropics/claude-code#49876, #50347',
    'github/copilot-cli#4098, PrimeIntellect-ai/prime-agent#1785',
    'QwenLM/qwen-code#3606',
    'can1357/oh-my-pi#12624, bug-ops/zeph#5487',
    'anthropics/claude-code#79196, #72667',
    'langchain-ai/langgraph#4168, #7094',
    'QwenLM/qwen-code#9471',
    'anthropics/claude-code#86707, gsd-build/gsd-2#4547',
  ],
} as const;

/** Threads that stand in a title, as `owner/name#number`. */
function named(): ReadonlySet<string> {
  const files = globSync(ROOMS, { cwd: ROOT, exclude: (path) => path.includes('node_modules') });
  const titles = files
    .filter((file) => !file.endsWith('pains-named.test.ts'))
    .flatMap((file) => readFileSync(join(ROOT, file), 'utf8').match(/(['"`])(?:(?!\1).)*#\d+(?:(?!\1).)*\1/g) ?? []);
  return new Set(titles.flatMap(threadsIn));
}

/** `a/b#1, #2` names two threads of one project. */
function threadsIn(text: string): readonly string[] {
  let project = '';
  return [...text.matchAll(/([\w./-]*)#(\d+)/g)].map(([, owner = '', number = '']) => {
    if (owner !== '') project = owner;
    return `${project}#${number}`;
  });
}

it.each(Object.entries(THREADS))('each thread about %s is a test under its name', (_, threads) => {
  const found = named();
  expect(threads.flatMap(threadsIn).filter((thread) => !found.has(thread))).toEqual([]);
});
