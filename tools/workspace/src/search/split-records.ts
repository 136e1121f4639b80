// Splits a stream of bytes into records. For each record, the number of bytes in memory never exceeds the limit.

/**
 * Yields each record as text, without its delimiter. If a record is above the limit, yields `undefined`. Invalid UTF-8
 * is replaced.
 */
export async function* splitRecords(
  stream: AsyncIterable<unknown>,
  delimiter: number,
  mostBytes: number,
): AsyncGenerator<string | undefined> {
  let held: Buffer[] = [];
  let size = 0;
  const take = (bytes: Buffer): void => {
    size += bytes.length;
    if (size <= mostBytes) held.push(bytes);
    else held = [];
  };
  const whole = (): string | undefined => {
    const record = size <= mostBytes ? Buffer.concat(held).toString('utf8') : undefined;
    held = [];
    size = 0;
    return record;
  };
  for await (const chunk of stream) {
    if (!Buffer.isBuffer(chunk)) continue;
    let from = 0;
    for (let at = chunk.indexOf(delimiter); at !== -1; at = chunk.indexOf(delimiter, from)) {
      take(chunk.subarray(from, at));
      yield whole();
      from = at + 1;
    }
    if (from < chunk.length) take(chunk.subarray(from));
  }
  if (size > 0) yield whole();
}
