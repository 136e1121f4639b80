// Files that check the version of Node, and therefore may run under any version. They may contain only syntax that Node
// 12 can parse.

import type { Node } from 'oxc-parser';

import { parseFile, walk } from './imports.ts';
import type { Tree, Violation } from './tree.ts';

/** Paths of the files that an old Node may run. */
export const READ_BY_OLD_NODES: readonly string[] = ['scripts/bootstrap.cjs', 'apps/cli/bin/tidemark.cjs'];

const AFTER_NODE_12 = new Set(['ChainExpression', 'PropertyDefinition', 'PrivateIdentifier', 'StaticBlock']);

/** Returns the syntax in the files of `READ_BY_OLD_NODES` that is newer than Node 12. */
export function newSyntax(tree: Tree): readonly Violation[] {
  return READ_BY_OLD_NODES.flatMap((file) => {
    const found: Violation[] = [];
    walk(parseFile(file, tree.get(file) ?? ''), (node) => {
      if (isNew(node)) found.push({ file, problem: `${node.type} is newer than Node 12` });
    });
    return found;
  });
}

function isNew(node: Node): boolean {
  if (node.type === 'LogicalExpression') return node.operator === '??';
  if (node.type === 'AssignmentExpression') return ['??=', '||=', '&&='].includes(node.operator);
  return AFTER_NODE_12.has(node.type);
}
