import { createRequire } from 'node:module';
import type { Writable } from 'node:stream';
import type ExcelJS from 'exceljs';

/*
 * exceljs 4.4 has no public API for the following. Tests fail if an upgrade changes the internals: `quality-workbook.spec.ts` writes
 * workbooks, and tests a slow reader and the order of sheets. `exceljs-internals.spec.ts` compares rows with those of the public API.
 */

const load = createRequire(import.meta.url);

/** The streaming writer alone. The index of exceljs also loads its readers and its other writers, which need 8 MB more memory. */
export const WorkbookWriter = load(
  'exceljs/lib/stream/xlsx/workbook-writer.js',
) as typeof ExcelJS.stream.xlsx.WorkbookWriter;

type Style = Partial<ExcelJS.Style>;
/** The value of a cell that is not empty. */
export type Value = string | number | Date | ExcelJS.CellRichTextValue;

interface CellModel {
  readonly address: string;
  readonly type: ExcelJS.ValueType;
  readonly value: Value;
  readonly style: Style | undefined;
  /** The number of the style in the workbook. `prepare` sets it. */
  readonly styleId?: number;
}

interface RowModel {
  readonly number: number;
  readonly cells: readonly CellModel[];
  /** The first and the last column with a cell. */
  readonly min: number;
  readonly max: number;
  readonly style: Style;
}

interface XmlStream {
  writeXml(xml: string): void;
}

interface CellXform {
  render(xml: XmlStream, cell: CellModel): void;
}

interface RowXform {
  readonly map: { c: CellXform };
  prepare(row: RowModel, options: { readonly styles: unknown }): void;
  toXml(row: RowModel): string;
}

/** A sheet with its stream, which passes its XML to the zip without waiting. */
interface SheetStream {
  readonly workbook: { readonly styles: unknown };
  readonly stream: { readonly pipes: readonly Writable[]; write(xml: string): unknown };
}

const { ValueType } = load('exceljs/lib/doc/enums.js') as { readonly ValueType: typeof ExcelJS.ValueType };
const { xmlEncode } = load('exceljs/lib/utils/utils.js') as { xmlEncode(this: void, text: string): string };
const BaseCellXform = load('exceljs/lib/xlsx/xform/sheet/cell-xform.js') as new () => CellXform;
const RowXform = load('exceljs/lib/xlsx/xform/sheet/row-xform.js') as new () => RowXform;

/** Writes texts and numbers as one text, not as 16 that are joined later. This halves the time of a workbook. */
class FastCellXform extends BaseCellXform {
  override render(xml: XmlStream, cell: CellModel): void {
    const { address, styleId, value } = cell;
    if (styleId === undefined) super.render(xml, cell);
    else if (typeof value === 'string')
      xml.writeXml(`<c r="${address}" s="${styleId}" t="str"><v>${xmlEncode(value)}</v></c>`);
    else if (typeof value === 'number') xml.writeXml(`<c r="${address}" s="${styleId}"><v>${value}</v></c>`);
    else super.render(xml, cell);
  }
}

const rowXform = new RowXform();
rowXform.map.c = new FastCellXform();
/** One object for all rows, because exceljs converts an unknown style to XML. */
const NO_STYLE: Style = {};

/** Writes a row below the committed rows, without the objects of exceljs for the row and each cell. */
export function writeRow(
  sheet: ExcelJS.Worksheet,
  number: number,
  values: readonly (Value | null)[],
  styles: readonly Style[],
): void {
  const cells: CellModel[] = [];
  let [min, max] = [0, 0];
  for (const [at, value] of values.entries()) {
    if (value === null) continue;
    max = at + 1;
    if (min === 0) min = max;
    const address = sheet.getColumn(max).letter + String(number);
    cells.push({ address, type: detectType(value), value, style: styles[at] });
  }
  if (cells.length === 0) return;
  const row = { number, cells, min, max, style: NO_STYLE };
  const { workbook, stream } = sheet as unknown as SheetStream;
  rowXform.prepare(row, { styles: workbook.styles });
  stream.write(rowXform.toXml(row));
}

function detectType(value: Value): ExcelJS.ValueType {
  if (typeof value === 'string') return ValueType.String;
  if (typeof value === 'number') return ValueType.Number;
  return value instanceof Date ? ValueType.Date : ValueType.RichText;
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
