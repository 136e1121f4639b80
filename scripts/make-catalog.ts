// Generates `packages/model/data/catalog.json` from the collected facts (`../shared/facts/models.json`, next to the
// clone) and the rules in `catalog/`. The generated file is committed. The facts are needed only to generate it again.
//
// - `node scripts/make-catalog.ts` writes the file.
// - `node scripts/make-catalog.ts --check` fails if the committed file differs.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';

import { type Capabilities, type Catalog, parseCatalog } from '@tidemark/model';

import { anthropicRow } from './catalog/anthropic.ts';
import type { Fact } from './catalog/fact.ts';
import { deepseekRow, googleRow, openaiRow } from './catalog/others.ts';
import { openrouterRows } from './catalog/openrouter.ts';
import { RETIRED } from './catalog/retired.ts';

const FACTS = new URL('../../shared/facts/models.json', import.meta.url);
const CATALOG = new URL('../packages/model/data/catalog.json', import.meta.url);
const COLLECTED = '2026-11-20';

const ROWS: Readonly<Record<Fact['provider'], (fact: Fact) => Capabilities>> = {
  anthropic: anthropicRow,
  openai: openaiRow,
  google: googleRow,
  deepseek: deepseekRow,
};

process.exitCode = main(process.argv.includes('--check'));

function main(check: boolean): number {
  if (!existsSync(FACTS)) {
    console.error('../shared/facts/models.json does not exist next to this clone. The committed catalog is unchanged.');
    return check ? 0 : 1;
  }
  const catalog = makeCatalog(JSON.parse(readFileSync(FACTS, 'utf8')));
  if (!check) {
    writeFileSync(CATALOG, `${JSON.stringify(catalog, null, 2)}\n`);
    console.log(`${catalog.rows.length} rows written.`);
    return 0;
  }
  const same = isDeepStrictEqual(catalog, parseCatalog(JSON.parse(readFileSync(CATALOG, 'utf8'))));
  console.log(same ? 'The catalog matches the facts.' : 'The catalog differs: run node scripts/make-catalog.ts');
  return same ? 0 : 1;
}

function makeCatalog(facts: readonly Fact[]): Catalog {
  const anthropic = facts.filter((fact) => fact.provider === 'anthropic');
  const others = facts.filter((fact) => fact.provider !== 'anthropic');
  const rows = [...anthropic, ...RETIRED, ...others].map((fact) => ROWS[fact.provider](fact));
  return parseCatalog({ revision: 1, asOf: COLLECTED, rows: [...rows, ...openrouterRows(rows)] });
}
