import type { Writable } from 'node:stream';
import type ExcelJS from 'exceljs';

/*
 * exceljs 4.4 has no public way to do these two things. `workbook-thread.service.workbook.spec.ts` fails when an upgrade changes what they rest on: its
 * tests of a slow reader and of the order of sheets.
 */

/** The stream of a sheet: it hands its XML to those of the zip, and never waits for them. */
interface SheetStream {
  readonly stream: { readonly pipes: readonly Writable[] };
}

const NOTHING = Buffer.alloc(0);

/** Resolves once the zip has taken the XML of a sheet, which it does as fast as the file is read. */
export async function passedOn(sheet: ExcelJS.Worksheet): Promise<void> {
  const { pipes } = (sheet as unknown as SheetStream).stream;
  // A stream calls back in the order of what was written to it.
  await Promise.all(pipes.map((pipe) => new Promise<void>((resolve) => void pipe.write(NOTHING, () => resolve()))));
}

/** Sheets by their numbers, which count from one: there is none at the beginning of the array. */
interface SheetList {
  readonly _worksheets: ExcelJS.Worksheet[];
}

/** Puts the first `count` sheets behind the others: they were written first, and are shown last. */
export function putLast(workbook: ExcelJS.stream.xlsx.WorkbookWriter, count: number): void {
  const { _worksheets: sheets } = workbook as unknown as SheetList;
  sheets.push(...sheets.splice(1, count));
}
