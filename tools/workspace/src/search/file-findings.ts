// Findings of a search that shows only the names of the files with matches, or the number of matching lines of each
// file. The first matching line of each file is kept, so that the file can be confirmed like a line.

import { showName } from '../confine/show-name.ts';
import { PAGE_BYTES } from '../page/take-page.ts';
import { hashOf } from './confirm-found.ts';
import type { SearchFindings, ShownLine } from './findings.ts';
import { SUMMARY_BYTES } from './findings.ts';
import type { GrepLine } from './grep-record.ts';

/** Content of the result: names of files, or names with counts. */
export type FileOutput = 'files' | 'counts';

/** Maximum number of matching lines that are counted. A count of this many lines takes a few seconds. */
const MAX_COUNTED = 100_000;

/** Bytes of the separator, the count and the line end of a row. */
const ROW_BYTES = 10;

/**
 * Creates empty findings.
 *
 * @param limit Maximum number of files to show.
 */
export function gatherFiles(limit: number, output: FileOutput): SearchFindings {
  const rows: ShownLine[] = [];
  const counts = new Map<string, number>();
  let room = PAGE_BYTES - SUMMARY_BYTES;
  let counted = 0;
  let tooLong = 0;
  return {
    add(line) {
      counted += 1;
      const before = counts.get(line.path);
      counts.set(line.path, (before ?? 0) + 1);
      const size = Buffer.byteLength(showName(line.path)) + ROW_BYTES;
      if (before !== undefined || rows.length >= limit || rows.length + 1 < counts.size || size > room) return;
      room -= size;
      rows.push(rowOf(line));
    },
    addTooLong() {
      tooLong += 1;
    },
    enough: () => counted >= MAX_COUNTED,
    rows,
    describe(place, notes, confirmed) {
      const gone = rows.length - confirmed.length;
      const all = [
        summary({ counted, files: counts.size, shown: rows.length, place, output }),
        ...notes,
        ...(tooLong === 0
          ? []
          : [
              `${tooLong} matching ${tooLong === 1 ? 'line' : 'lines'} longer than 1 MiB not counted: files may be missing`,
            ]),
        ...(gone === 0 ? [] : [`${gone} of the found files are omitted, because they changed during the search`]),
      ];
      const names = confirmed.map(({ path }) =>
        output === 'files' ? showName(path) : `${showName(path)}: ${counts.get(path)}`,
      );
      return [all.map((note) => `[${note}]`).join('\n'), ...names].join('\n');
    },
  };
}

function rowOf({ path, line, raw, offset }: GrepLine): ShownLine {
  return { path, offset, bytes: raw.length, digest: hashOf(raw), line, matches: true, text: '' };
}

interface FilesFound {
  readonly counted: number;
  readonly files: number;
  readonly shown: number;
  readonly place: string;
  readonly output: FileOutput;
}

function summary({ counted, files, shown, place, output }: FilesFound): string {
  if (counted === 0) return `no line matches in ${place}`;
  const many = counted >= MAX_COUNTED ? 'at least ' : '';
  const amount = `${files} ${files === 1 ? 'file' : 'files'}`;
  const found =
    output === 'files' ? `${many}${amount}` : `${many}${counted} ${counted === 1 ? 'line' : 'lines'} in ${amount}`;
  if (shown === files) return found;
  return `${found}, the first ${shown} files are shown: use a narrower pattern, path or glob, or a higher limit`;
}
