// Names of types: each type name is declared once, so that a reader knows which type it means, and a search finds one
// declaration.

import { parseFile } from './imports.ts';
import { roomOf, roomsOf } from './rooms.ts';
import type { Tree, Violation } from './tree.ts';
import { isSource, isTest } from './tree.ts';

/** Returns each type name that is declared more than once in the source files. */
export function namesDeclaredTwice(tree: Tree): readonly Violation[] {
  return [...typesIn(tree)].flatMap(([name, files]) =>
    files.length < 2
      ? []
      : files.map((file) => ({ file, problem: `the type ${name} is declared in ${files.length} files` })),
  );
}

/**
 * Returns the paths of the files that declare a type at their top level, by type name. Only files in the `src` folders
 * of packages are read, without tests.
 */
export function typesIn(tree: Tree): ReadonlyMap<string, readonly string[]> {
  const rooms = roomsOf(tree);
  const found = new Map<string, string[]>();
  for (const [file, text] of tree) {
    const room = roomOf(file, rooms);
    if (room === undefined || !isSource(file) || isTest(file) || !file.startsWith(`${room.folder}/src/`)) continue;
    for (const name of typesOf(file, text)) found.set(name, [...(found.get(name) ?? []), file]);
  }
  return found;
}

function typesOf(file: string, text: string): readonly string[] {
  const program = parseFile(file, text);
  if (program.type !== 'Program') return [];
  return program.body.flatMap((statement) => {
    const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    switch (declared?.type) {
      case 'TSInterfaceDeclaration':
      case 'TSTypeAliasDeclaration':
      case 'TSEnumDeclaration':
      case 'ClassDeclaration':
        return declared.id === null ? [] : [declared.id.name];
      default:
        return [];
    }
  });
}
