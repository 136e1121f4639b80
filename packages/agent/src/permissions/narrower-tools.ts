// Tools that a grant of another tool covers. A grant for `write` in a file or a folder allows any content there, so it
// also covers `edit`, which can do less.

/** Tools by the tool whose grant for a file or a folder also covers them. */
const NARROWER_TOOLS: ReadonlyMap<string, readonly string[]> = new Map([['write', ['edit']]]);

/** Returns the tools that a grant of a tool for files or folders covers, the tool itself first. */
export function toolsOfPlaceGrant(tool: string): readonly string[] {
  return [tool, ...(NARROWER_TOOLS.get(tool) ?? [])];
}

/** Returns the tool whose grants also cover a tool, or the tool itself. */
export function widerTool(tool: string): string {
  return [...NARROWER_TOOLS].find(([, narrower]) => narrower.includes(tool))?.[0] ?? tool;
}
