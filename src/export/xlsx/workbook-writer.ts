import type { Writable } from 'node:stream';
import type ExcelJS from 'exceljs';
import { escapeFormula } from '../csv.js';
import { RowReader, CompressedTextBuffer } from '../row-buffers.js';
import type { ColumnKind, ColumnLayout, Line } from '../table.js';
import { awaitZip, putLast, type Value, WorkbookWriter, writeRow } from './exceljs-internals.js';

/** The name and the columns of a sheet. */
export interface SheetLayout {
  readonly name: string;
  readonly columns: readonly ColumnLayout[];
}

/** The sheet of the details of all rows. Each of its rows begins and ends with cells of the row that it details. */
interface DetailsLayout extends SheetLayout {
  /** The number of cells with which the rows begin. */
  readonly leading: number;
  /** The number of cells with which the rows end. */
  readonly trailing: number;
}

/** The content of a workbook besides its rows. */
export interface WorkbookLayout {
  readonly title: string;
  readonly createdAt: Date;
  readonly sheet: SheetLayout;
  readonly details: DetailsLayout | null;
}

/** A row of the sheet, and its details without the cells that they share with it. */
export type WorkbookRow = readonly [row: Line, details: readonly Line[]];

/** The limit of Excel, including the header row. */
const MAX_SHEET_ROWS = 1_048_576;
/** The number of rows between two pauses, in which the thread continues other workbooks. */
const BATCH = 125;
/** A low level suffices, because XML is repetitive, and compression uses the same processor. */
const ZIP = { zlib: { level: 1, chunkSize: 64 * 1024 } };

/**
 * Writes a workbook. Rows that do not fit on a sheet continue on another one. Details are written as they arrive. The rows that they
 * detail, which are fewer, wait in a compressed buffer and are written at the end.
 */
export async function writeWorkbook(
  { title, createdAt, sheet, details }: WorkbookLayout,
  rows: AsyncIterable<WorkbookRow>,
  output: Writable,
  maxRows = MAX_SHEET_ROWS,
): Promise<void> {
  const workbook = new WorkbookWriter({ stream: output, useStyles: true, zip: ZIP });
  workbook.title = title;
  workbook.creator = 'Shipgate';
  workbook.lastModifiedBy = 'Shipgate';
  workbook.created = createdAt;
  workbook.modified = createdAt;
  workbook.views = [{ x: 0, y: 0, width: 28_800, height: 17_000, firstSheet: 0, activeTab: 0, visibility: 'visible' }];
  const written = { workbook, maxRows };
  if (details === null) {
    await writeTable(
      written,
      sheet,
      RowReader.of(rows, ([row]) => [row]),
    );
  } else {
    const waiting = new CompressedTextBuffer();
    const sheets = await writeTable(
      written,
      details,
      RowReader.of(spooling(rows, waiting), (row) => toDetailLines(details, row)),
    );
    await writeTable(written, sheet, RowReader.of(waiting.drain(), spooledLines));
    putLast(workbook, sheets);
  }
  await workbook.commit();
}

async function* spooling(rows: AsyncIterable<WorkbookRow>, spool: CompressedTextBuffer): AsyncGenerator<WorkbookRow> {
  for await (const row of rows) {
    await spool.add(`${JSON.stringify(row[0])}\n`);
    yield row;
  }
}

const spooledLines = (block: string): readonly Line[] =>
  block
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);

function toDetailLines({ leading, trailing }: DetailsLayout, [row, details]: WorkbookRow): readonly Line[] {
  const [first, last] = [row.slice(0, leading), row.slice(row.length - trailing)];
  return details.map((detail) => [...first, ...detail, ...last]);
}

interface Written {
  readonly workbook: ExcelJS.stream.xlsx.WorkbookWriter;
  readonly maxRows: number;
}

/** Writes as many sheets as the rows need, and one without rows. Resolves with the number of sheets. */
async function writeTable(
  { workbook, maxRows }: Written,
  { name, columns }: SheetLayout,
  rows: RowReader<Line>,
): Promise<number> {
  let sheets = 0;
  do {
    sheets += 1;
    const sheet = startSheet(workbook, sheets === 1 ? name : `${name} ${sheets}`, columns);
    const styles = columns.map(({ kind }) => STYLES[kind]);
    let last = 1;
    let zipped = Promise.resolve();
    while (last < maxRows) {
      const batch = await rows.take(Math.min(BATCH, maxRows - last));
      if (batch.length === 0) break;
      for (const line of batch) writeRow(sheet, (last += 1), toValues(columns, line), styles);
      // The zip compresses a batch in another thread while the next one is written.
      await zipped;
      zipped = awaitZip(sheet);
    }
    await zipped;
    sheet.autoFilter = `A1:${columnName(columns.length - 1)}${last}`;
    sheet.commit();
  } while (await rows.hasMore());
  return sheets;
}

type Style = Partial<ExcelJS.Style>;
type Sheet = ExcelJS.Worksheet & { commit(): void };

const COLOR = { argb: 'FF18212B' };
const FONT: Partial<ExcelJS.Font> = { size: 11, color: COLOR, name: 'Calibri', family: 2 };
const LEFT = { horizontal: 'left', indent: 1 } as const;
/** Text cells have the text format, so that an edited cell stays text. */
const TEXT: Style = { numFmt: '@', font: FONT, alignment: LEFT };
/** All cells of a kind share one style object, because exceljs caches a style by its object and converts an unknown object to XML. */
const STYLES: Readonly<Record<ColumnKind, Style>> = {
  text: TEXT,
  id: TEXT,
  count: { numFmt: '#,##0', font: FONT },
  decimal: { numFmt: '#,##0.0', font: FONT },
  moment: { numFmt: String.raw`yyyy\-mm\-dd\ hh:mm:ss`, font: FONT, alignment: LEFT },
};
const heading = (alignment: Partial<ExcelJS.Alignment>): Style => ({
  numFmt: '@',
  font: { ...FONT, bold: true },
  fill: { type: 'pattern', pattern: 'solid', fgColor: { argb: 'FFEEF1F5' }, bgColor: { indexed: 64 } as never },
  border: { bottom: { style: 'thin', color: { argb: 'FF55606D' } } },
  alignment: { ...alignment, vertical: 'middle' },
});
const OF_TEXT = heading(LEFT);
const OF_NUMBERS = heading({ horizontal: 'right' });
/** A heading has the alignment of its column. */
const HEADING_STYLES: Readonly<Record<ColumnKind, Style>> = {
  text: OF_TEXT,
  id: OF_TEXT,
  count: OF_NUMBERS,
  decimal: OF_NUMBERS,
  moment: OF_TEXT,
};

/** Adds a sheet with frozen headings and column widths. It is printed on A4, one page wide, on as many pages as it needs. */
function startSheet(
  workbook: ExcelJS.stream.xlsx.WorkbookWriter,
  name: string,
  columns: readonly ColumnLayout[],
): Sheet {
  // The ids, which are the last columns, are not printed, because they are for programs.
  const printed = columns.filter(({ kind }) => kind !== 'id').length;
  const sheet = workbook.addWorksheet(name, {
    views: [{ state: 'frozen', ySplit: 1, topLeftCell: 'A2', activeCell: 'A2' }],
    pageSetup: {
      paperSize: 9,
      orientation: 'landscape',
      fitToPage: true,
      fitToWidth: 1,
      fitToHeight: 0,
      printTitlesRow: '1:1',
      printArea: `A:${columnName(printed - 1)}`,
      margins: { left: 0.4, right: 0.4, top: 0.5, bottom: 0.6, header: 0.3, footer: 0.3 },
    },
    headerFooter: { oddFooter: '&L&A&R&P / &N' },
  }) as Sheet;
  sheet.columns = columns.map(({ width, kind }) => ({ width, style: STYLES[kind] }));
  const headings = sheet.getRow(1);
  headings.height = 20;
  columns.forEach((column, at) => {
    const cell = headings.getCell(at + 1);
    cell.value = column.heading;
    cell.style = HEADING_STYLES[column.kind];
  });
  headings.commit();
  return sheet;
}

/** A, B, …, Z, AA, AB, … */
const columnName = (at: number): string =>
  (at < 26 ? '' : columnName(Math.floor(at / 26) - 1)) + String.fromCodePoint(65 + (at % 26));

const toValues = (columns: readonly ColumnLayout[], line: Line): readonly (Value | null)[] =>
  line.map((value, at) => {
    if (typeof value === 'string') return textValue(value);
    return value !== null && columns[at]?.kind === 'moment' ? new Date(value) : value;
  });

/** Excel's limit of a cell, in UTF-16 units. */
const MAX_LENGTH = 32_767;
const CUT = '…';

/** Every character that XML cannot contain (XML 1.0, 2.2). */
const NO_CHARACTER = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;
/** An escape that readers decode to a character, which might be an equals sign (ISO/IEC 29500-1, 22.9.2.19). */
const NUMBERED_CHARACTER = /_(?=x[0-9A-Fa-f]{4}_)/g;
const REPLACEMENT = '\uFFFD';

/** Printable ASCII that cannot begin a formula, does not end with a space and contains no such escape. */
const STANDS_AS_IT_IS = /^[0-9A-Za-z](?:[ -^`-~]|_(?!x))*(?<! )$/;
/** Programs drop such spaces unless XML preserves them, which exceljs does for rich text only. */
const HAS_OUTER_SPACE = /^\s|\s$|\n/;

/** Returns the value of a text cell: the same text as far as a cell can contain it, and never a formula. */
function textValue(text: string): string | ExcelJS.CellRichTextValue {
  // This check suffices for nearly all texts and takes a fraction of the time.
  if (text.length <= MAX_LENGTH && STANDS_AS_IT_IS.test(text)) return text;
  const shortened = cut(escapeFormula(text))
    .replace(NUMBERED_CHARACTER, '_x005F_')
    // XML parsers read a carriage return as a line feed.
    .replaceAll('\r', '_x000D_')
    // exceljs drops this character.
    .replaceAll('\u007F', '_x007F_')
    .replace(NO_CHARACTER, REPLACEMENT);
  return HAS_OUTER_SPACE.test(shortened) ? { richText: [{ text: shortened }] } : shortened;
}

function cut(text: string): string {
  if (text.length <= MAX_LENGTH) return text;
  // Does not cut within a surrogate pair.
  const shortened = text.slice(0, MAX_LENGTH - CUT.length).replace(/[\uD800-\uDBFF]$/, '');
  return shortened + CUT;
}
