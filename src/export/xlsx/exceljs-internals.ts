import { createRequire } from 'node:module';
import type { Writable } from 'node:stream';
import type ExcelJS from 'exceljs';

/*
 * exceljs 4.4 has no public API for the following. `quality-workbook.spec.ts` fails if an upgrade changes the internals: it writes workbooks,
 * and tests a slow reader and the order of sheets.
 */

/** The streaming writer alone. The index of exceljs also loads its readers and its other writers, which need 8 MB more memory. */
export const WorkbookWriter = createRequire(import.meta.url)(
  'exceljs/lib/stream/xlsx/workbook-writer.js',
) as typeof ExcelJS.stream.xlsx.WorkbookWriter;

/** The stream of a sheet. It passes its XML to the zip without waiting. */
interface SheetStream {
  readonly stream: { readonly pipes: readonly Writable[] };
}

const NOTHING = Buffer.alloc(0);

/** Resolves when the zip has accepted the XML of a sheet. The zip accepts it only as fast as the file is read. */
export async function awaitZip(sheet: ExcelJS.Worksheet): Promise<void> {
  const { pipes } = (sheet as unknown as SheetStream).stream;
  // A stream runs its callbacks in the order of the writes.
  await Promise.all(pipes.map((pipe) => new Promise<void>((resolve) => void pipe.write(NOTHING, () => resolve()))));
}

/** The sheets by number. Numbers start at one, so the first element of the array is empty. */
interface SheetList {
  readonly _worksheets: ExcelJS.Worksheet[];
}

/** Moves the first `count` sheets behind the others, because they are written first and displayed last. */
export function putLast(workbook: ExcelJS.stream.xlsx.WorkbookWriter, count: number): void {
  const { _worksheets: sheets } = workbook as unknown as SheetList;
  sheets.push(...sheets.splice(1, count));
}
