// One run of each name at a time, shared by all who asked for it before it began.

/** Whoever comes while one is on is answered by the next, which begins when that one is over. */
export function shareRuns(run: (name: string) => Promise<void>): (name: string) => Promise<void> {
  const running = new Map<string, Promise<void>>();
  const next = new Map<string, Promise<void>>();
  const begin = (name: string): Promise<void> => {
    next.delete(name);
    const mine = run(name).finally(() => running.get(name) === mine && running.delete(name));
    running.set(name, mine);
    return mine;
  };
  return (name) => {
    const waiting = next.get(name);
    if (waiting !== undefined) return waiting;
    const before = running.get(name);
    if (before === undefined) return begin(name);
    const mine = before.catch(() => undefined).then(() => begin(name));
    next.set(name, mine);
    return mine;
  };
}
