// Removes the file names from a unified diff whose title shows the name already.

/** Returns the diff without its first two lines, if they name only this file. Otherwise returns the diff as it is. */
export function withoutFileNames(diff: string, name: string): string {
  const [was = '', is = '', ...rest] = diff.split('\n');
  const isNamed = [`--- ${name}`, '--- /dev/null'].includes(was) && [`+++ ${name}`, '+++ /dev/null'].includes(is);
  return isNamed ? rest.join('\n') : diff;
}
