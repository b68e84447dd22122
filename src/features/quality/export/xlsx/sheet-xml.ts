import type { RowSource } from '../row-source.js';
import type { Cell, ColumnKind, TableColumn } from '../table-column.js';
import { sheetText } from './sheet-text.js';
import { HEADING_STYLE, STYLES } from './styles-part.js';

/** Excel's limit, the line of headings included. */
export const MAX_SHEET_ROWS = 1_048_576;
const BATCH = 500;

const DAY_MS = 86_400_000;
/** 1 January 1970 as Excel counts days. */
const UNIX_EPOCH_DAY = 25_569;

/** A worksheet of as many of the rows as fit: headings that stay, filters, widths, and numbers and times as such. */
export async function* sheetXml<Row>(
  columns: readonly TableColumn<Row>[],
  rows: RowSource<Row>,
  maxRows = MAX_SHEET_ROWS,
): AsyncGenerator<string> {
  const written = columns.map((column, at) => ({ ...column, name: columnName(at) }));
  yield start(columns) + headingsRow(written);
  let last = 1;
  while (last < maxRows) {
    const batch = await rows.take(Math.min(BATCH, maxRows - last));
    if (batch.length === 0) break;
    const next = last + 1;
    yield batch.map((row, at) => rowXml(written, row, next + at)).join('');
    last += batch.length;
  }
  yield end(columns.length, last);
}

type WrittenColumn<Row> = TableColumn<Row> & { readonly name: string };

/** A, B, …, Z, AA, AB, … */
const columnName = (at: number): string =>
  (at < 26 ? '' : columnName(Math.floor(at / 26) - 1)) + String.fromCodePoint(65 + (at % 26));

/** All but the ids, which stand last: a page of them would be nothing to read. */
export const printedColumns = <Row>(columns: readonly TableColumn<Row>[]): string =>
  `$A:$${columnName(columns.filter(({ kind }) => kind !== 'id').length - 1)}`;

function start<Row>(columns: readonly TableColumn<Row>[]): string {
  const widths = columns.map(
    ({ width, kind }, at) =>
      `<col min="${at + 1}" max="${at + 1}" width="${width}" style="${STYLES[kind]}" customWidth="1"/>`,
  );
  return (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' +
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">' +
    '<sheetPr><pageSetUpPr fitToPage="1"/></sheetPr>' +
    '<sheetViews><sheetView workbookViewId="0">' +
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>' +
    '<selection pane="bottomLeft" activeCell="A2" sqref="A2"/></sheetView></sheetViews>' +
    `<sheetFormatPr defaultRowHeight="15"/><cols>${widths.join('')}</cols><sheetData>`
  );
}

const headingsRow = <Row>(columns: readonly WrittenColumn<Row>[]): string =>
  `<row r="1" ht="20" customHeight="1">${columns
    .map(({ name, heading, kind }) => textCell(`${name}1`, HEADING_STYLE[kind], heading))
    .join('')}</row>`;

const rowXml = <Row>(columns: readonly WrittenColumn<Row>[], row: Row, number: number): string =>
  `<row r="${number}">${columns.map(({ name, kind, of }) => cellXml(`${name}${number}`, kind, of(row))).join('')}</row>`;

function cellXml(address: string, kind: ColumnKind, cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'string') return textCell(address, STYLES[kind], cell);
  const value = cell instanceof Date ? cell.getTime() / DAY_MS + UNIX_EPOCH_DAY : cell;
  return `<c r="${address}" s="${STYLES[kind]}"><v>${value}</v></c>`;
}

const textCell = (address: string, style: number, text: string): string =>
  `<c r="${address}" s="${style}" t="inlineStr"><is><t xml:space="preserve">${sheetText(text)}</t></is></c>`;

const end = (columns: number, rows: number): string =>
  `</sheetData><autoFilter ref="A1:${columnName(columns - 1)}${rows}"/>` +
  '<pageMargins left="0.4" right="0.4" top="0.5" bottom="0.6" header="0.3" footer="0.3"/>' +
  // A4, as wide as one page and as long as it takes.
  '<pageSetup paperSize="9" orientation="landscape" fitToWidth="1" fitToHeight="0"/>' +
  '<headerFooter><oddFooter>&amp;L&amp;A&amp;R&amp;P / &amp;N</oddFooter></headerFooter></worksheet>';
