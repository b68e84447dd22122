import type { Cell, ColumnKind, TableColumn } from '../columns.js';
import { harmlessText } from '../csv.js';
import type { RowSource } from '../row-buffers.js';

/** Excel's limit of a cell, in UTF-16 units. */
const MAX_LENGTH = 32_767;
const CUT = '…';

/** XML 1.0, 2.2: all that is no character there. */
const NO_CHARACTER = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu;
/** ISO/IEC 29500-1, 22.9.2.19: what stands for a character by its number, and might be an equals sign. */
const NUMBERED_CHARACTER = /_(?=x[0-9A-Fa-f]{4}_)/g;
const REPLACEMENT = '\uFFFD';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
};

/** Printable ASCII that begins as no formula does, and of which nothing is written otherwise in XML or means something else there. */
const STANDS_AS_IT_IS = /^[0-9A-Za-z](?:[ !#-%'-;=?-^`-~]|_(?!x))*$/;

/** A text as it stands in a sheet's XML: itself to whoever opens it, as far as a cell can hold it, and computed by nobody. */
function sheetText(text: string): string {
  // Nearly all of them, for a fraction of what the closer look takes.
  if (text.length <= MAX_LENGTH && STANDS_AS_IT_IS.test(text)) return text;
  return xmlText(cut(harmlessText(text)).replace(NUMBERED_CHARACTER, '_x005F_'));
}

/** A text as it stands in XML. */
export const xmlText = (text: string): string =>
  text.replace(NO_CHARACTER, REPLACEMENT).replace(/[&<>"\r]/g, (character) => ENTITIES[character] ?? character);

function cut(text: string): string {
  if (text.length <= MAX_LENGTH) return text;
  // Not through the middle of a character of two units.
  const kept = text.slice(0, MAX_LENGTH - CUT.length).replace(/[\uD800-\uDBFF]$/, '');
  return kept + CUT;
}

/** By their places in `cellXfs` below. */
const STYLES: Readonly<Record<ColumnKind, number>> = { text: 1, id: 1, count: 2, decimal: 3, moment: 4 };
/** A heading stands where its numbers do. */
const HEADING_STYLE: Readonly<Record<ColumnKind, number>> = { text: 5, id: 5, count: 6, decimal: 6, moment: 5 };

const format = (numFmt: number, alignment = ''): string =>
  `<xf numFmtId="${numFmt}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"` +
  (alignment === '' ? '/>' : ` applyAlignment="1"><alignment ${alignment}/></xf>`);
const heading = (horizontal: string): string =>
  '<xf numFmtId="49" fontId="1" fillId="2" borderId="1" xfId="0" applyNumberFormat="1" applyFont="1" applyFill="1" ' +
  `applyBorder="1" applyAlignment="1"><alignment ${horizontal} vertical="center"/></xf>`;

/**
 * ISO/IEC 29500-1, 18.8. Text has the format of text (49), so that it stays one when somebody edits its cell. Formats of our
 * own begin at 164.
 */
export const STYLES_PART =
  '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' +
  '<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">' +
  '<numFmts count="2"><numFmt numFmtId="164" formatCode="#,##0.0"/>' +
  '<numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts>' +
  '<fonts count="2"><font><sz val="11"/><color rgb="FF18212B"/><name val="Calibri"/><family val="2"/></font>' +
  '<font><b/><sz val="11"/><color rgb="FF18212B"/><name val="Calibri"/><family val="2"/></font></fonts>' +
  '<fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>' +
  '<fill><patternFill patternType="solid"><fgColor rgb="FFEEF1F5"/><bgColor indexed="64"/></patternFill></fill></fills>' +
  '<borders count="2"><border><left/><right/><top/><bottom/><diagonal/></border>' +
  '<border><left/><right/><top/><bottom style="thin"><color rgb="FF55606D"/></bottom><diagonal/></border></borders>' +
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
  `<cellXfs count="7"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>${format(49, 'horizontal="left" indent="1"')}${format(
    3,
  )}${format(164)}${format(165, 'horizontal="left" indent="1"')}${heading('horizontal="left" indent="1"')}${heading('horizontal="right"')}</cellXfs>` +
  '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>';

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
