import { SaxesParser } from 'saxes';
import { readZip } from './read-zip.js';

/** An element of a part of a workbook. */
interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

export type ReadValue = string | number | Date | null;

interface ReadCell {
  readonly value: ReadValue;
  readonly format: string;
  readonly isBold: boolean;
}

export interface ReadSheet {
  readonly name: string;
  /** The element of the whole sheet, for parts other than cells. */
  readonly xml: Element;
  /** By address. A cell that is not in the file is missing. */
  readonly cells: ReadonlyMap<string, ReadCell>;
  /** The rows below the first, by its headings. */
  readonly rows: readonly Readonly<Record<string, ReadValue>>[];
}

export interface ReadWorkbook {
  readonly sheets: readonly ReadSheet[];
  readonly definedNames: readonly string[];
  /** Of `docProps/core.xml`. */
  readonly properties: Readonly<Record<string, string>>;
}

/** Reads a workbook according to ISO/IEC 29500-1, without the library that wrote it. */
export async function readWorkbook(file: Buffer): Promise<ReadWorkbook> {
  const entries = await readZip(file);
  const part = (path: string): Element => {
    const content = entries.get(path);
    if (content === undefined) throw new Error(`The workbook has no ${path}.`);
    return parsed(content.toString('utf8'));
  };
  const workbook = part('xl/workbook.xml');
  const targets = new Map(
    part('xl/_rels/workbook.xml.rels').children.map(({ attributes }) => [attributes['Id'], attributes['Target']]),
  );
  const styles = stylesOf(part('xl/styles.xml'));
  return {
    sheets: all(workbook, 'sheets', 'sheet').map(({ attributes }) =>
      sheetOf(attributes['name'] ?? '', part(`xl/${targets.get(attributes['r:id'])}`), styles),
    ),
    definedNames: all(workbook, 'definedNames', 'definedName').map(
      ({ attributes, text }) => `${attributes['name']} ${attributes['localSheetId']} ${text}`,
    ),
    properties: Object.fromEntries(part('docProps/core.xml').children.map(({ name, text }) => [name, text])),
  };
}

/** All elements at the end of a path of names. */
export const all = (element: Element, ...[first, ...rest]: readonly string[]): readonly Element[] =>
  first === undefined
    ? [element]
    : element.children.filter(({ name }) => name === first).flatMap((child) => all(child, ...rest));

function parsed(xml: string): Element {
  const root: Element = { name: '', attributes: {}, children: [], text: '' };
  const open = [root];
  const parser = new SaxesParser();
  parser.on('opentag', ({ name, attributes }) => {
    const element = { name, attributes, children: [], text: '' };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('text', (text) => {
    const element = open.at(-1);
    if (element) element.text += text;
  });
  parser.on('closetag', () => void open.pop());
  parser.write(xml).close();
  const [element] = root.children;
  if (element === undefined) throw new Error('A part of the workbook is empty.');
  return element;
}

type Style = Pick<ReadCell, 'format' | 'isBold'>;

/** ISO/IEC 29500-1, 18.8.30: some of the formats that a file need not state. */
const BUILT_IN_FORMATS: Readonly<Record<string, string>> = { 0: 'General', 3: '#,##0', 49: '@' };

function stylesOf(styles: Element): readonly Style[] {
  const formats = new Map(
    all(styles, 'numFmts', 'numFmt').map(({ attributes }) => [attributes['numFmtId'], attributes['formatCode']]),
  );
  const bold = all(styles, 'fonts', 'font').map((font) => all(font, 'b').length > 0);
  return all(styles, 'cellXfs', 'xf').map(({ attributes }) => ({
    format: formats.get(attributes['numFmtId']) ?? BUILT_IN_FORMATS[attributes['numFmtId'] ?? '0'] ?? '',
    isBold: bold[Number(attributes['fontId'])] ?? false,
  }));
}

function sheetOf(name: string, xml: Element, styles: readonly Style[]): ReadSheet {
  const lines = all(xml, 'sheetData', 'row').map((row) => {
    const cells = all(row, 'c');
    return new Map(cells.map((cell) => [cell.attributes['r'] ?? '', cellOf(cell, styles)]));
  });
  const [headings = new Map<string, ReadCell>(), ...rest] = lines;
  const columns = [...headings].map(([address, { value }]) => [address.replace(/1$/, ''), String(value)] as const);
  return {
    name,
    xml,
    cells: new Map(lines.flatMap((line) => [...line])),
    rows: rest.map((line, at) =>
      Object.fromEntries(columns.map(([column, heading]) => [heading, line.get(`${column}${at + 2}`)?.value ?? null])),
    ),
  };
}

const DAY_MS = 86_400_000;
/** 1 January 1970 as a serial date of spreadsheets. */
const UNIX_EPOCH_DAY = 25_569;

function cellOf(cell: Element, styles: readonly Style[]): ReadCell {
  const style = styles[Number(cell.attributes['s'] ?? 0)] ?? { format: '', isBold: false };
  return { ...style, value: valueOf(cell, style.format) };
}

function valueOf(cell: Element, format: string): ReadValue {
  const [formula] = all(cell, 'f');
  if (formula) throw new Error(`A cell is computed by ${formula.text}.`);
  const type = cell.attributes['t'];
  const [stated] = all(cell, 'v');
  if (type === 'str') return stated ? textOf(stated) : '';
  if (type === 'inlineStr') {
    return [...all(cell, 'is', 't'), ...all(cell, 'is', 'r', 't')].map(textOf).join('');
  }
  if (type !== undefined && type !== 'n') throw new Error(`A cell is of the type "${type}".`);
  if (stated === undefined) return null;
  const number = Number(stated.text);
  return format.includes('yyyy') ? new Date(Math.round((number - UNIX_EPOCH_DAY) * DAY_MS)) : number;
}

/** A text as a spreadsheet shows it: without outer white space that is not preserved, and with decoded characters. */
const textOf = ({ text, attributes }: Element): string =>
  (attributes['xml:space'] === 'preserve' ? text : text.replaceAll(/^[ \t\n\r]+|[ \t\n\r]+$/g, '')).replaceAll(
    /_x([0-9A-Fa-f]{4})_/g,
    (_, digits: string) => String.fromCodePoint(Number.parseInt(digits, 16)),
  );
