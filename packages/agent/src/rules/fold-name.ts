// One form for all spellings that some file system takes for the same name. For rules that forbid: they may match too much.

const IGNORED = /\p{Default_Ignorable_Code_Point}/gu;

/** Without letter case, ways of composing, look-alike forms of compatibility, and characters that nobody sees. */
export function foldName(name: string): string {
  // Through upper case: some letters, as the long s, only meet their twins there.
  return name.normalize('NFKC').replace(IGNORED, '').toUpperCase().toLowerCase().normalize('NFKC');
}
