import { describe, expect, it } from '@jest/globals';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type ExcelJS from 'exceljs';
import * as fc from 'fast-check';
import { readZip } from '../../../test/support/read-zip.js';
import { type Value, WorkbookWriter, writeRow } from './exceljs-internals.js';

const TEXT = { numFmt: '@', alignment: { horizontal: 'left' } } as const;
const STYLES: readonly Partial<ExcelJS.Style>[] = [TEXT, { numFmt: '#,##0.0' }, {}, TEXT];

type Line = readonly (Value | null)[];

/** Returns the XML of the sheet and of the styles. `write` adds the rows, which begin with the second. */
async function writeParts(write: (sheet: ExcelJS.Worksheet) => void): Promise<readonly (string | undefined)[]> {
  const stream = new PassThrough();
  const workbook = new WorkbookWriter({ stream, useStyles: true });
  const sheet = workbook.addWorksheet('Rows');
  sheet.getRow(1).getCell(1).value = 'Heading';
  sheet.getRow(1).commit();
  write(sheet);
  const [file] = await Promise.all([buffer(stream), workbook.commit()]);
  const entries = await readZip(file);
  return ['xl/worksheets/sheet1.xml', 'xl/styles.xml'].map((part) => entries.get(part)?.toString('utf8'));
}

/** Writes the rows with public methods only. */
function writeByPublicApi(sheet: ExcelJS.Worksheet, lines: readonly Line[]): void {
  for (const line of lines) {
    const row = sheet.addRow([]);
    for (const [at, value] of line.entries()) {
      if (value === null) continue;
      const cell = row.getCell(at + 1);
      cell.value = value;
      cell.style = STYLES[at] ?? {};
    }
    row.commit();
  }
}

const VALUE: fc.Arbitrary<Value | null> = fc.oneof(
  fc.constant(null),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('<a href="x">&\'</a>', 'a\u0001b\u007F', ''),
  fc.double({ noDefaultInfinity: true, noNaN: true }),
  fc.integer(),
  fc.date({ noInvalidDate: true }),
  fc.string().map((text) => ({ richText: [{ text }] })),
);

describe('a row without the objects of exceljs', () => {
  it('is the same as one of the public API', async () => {
    const lines = fc.array(fc.array(VALUE, { maxLength: STYLES.length }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(lines, async (rows) => {
        const written = await writeParts((sheet) => {
          for (const [at, row] of rows.entries()) writeRow(sheet, at + 2, row, STYLES);
        });
        expect(written).toEqual(await writeParts((sheet) => writeByPublicApi(sheet, rows)));
      }),
      { numRuns: 25 },
    );
  });
});
