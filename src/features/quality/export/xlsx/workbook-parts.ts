import { STYLES_PART, xmlText } from './sheet.js';

/** Whose workbook it is, and of when. */
export interface WorkbookSubject {
  readonly org: string;
  readonly madeAt: Date;
}

/** A worksheet as the workbook knows it. */
export interface Sheet {
  readonly name: string;
  /** Of its part in the package. */
  readonly part: string;
  /** The columns that are printed, as `$A:$Z`. */
  readonly printed: string;
}

/** One part of the package: an entry of the zip. */
interface Part {
  readonly path: string;
  readonly xml: string;
}

const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const DOCUMENT = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const SPREADSHEET = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** What makes worksheets, in the order of their tabs, a workbook (ISO/IEC 29500-1, 12 and 18.2; 29500-2). */
export const workbookParts = (sheets: readonly Sheet[], { org, madeAt }: WorkbookSubject): readonly Part[] => [
  { path: 'xl/workbook.xml', xml: workbook(sheets) },
  { path: 'xl/_rels/workbook.xml.rels', xml: workbookRelations(sheets) },
  { path: 'xl/styles.xml', xml: STYLES_PART },
  { path: 'docProps/core.xml', xml: properties(`Release quality of ${org}`, madeAt) },
  {
    path: '_rels/.rels',
    xml: relations([
      [`${DOCUMENT}/officeDocument`, 'xl/workbook.xml'],
      [`${PACKAGE}/relationships/metadata/core-properties`, 'docProps/core.xml'],
    ]),
  },
  { path: '[Content_Types].xml', xml: contentTypes(sheets) },
];

const workbook = (sheets: readonly Sheet[]): string =>
  `${DECLARATION}<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${DOCUMENT}">` +
  '<bookViews><workbookView xWindow="0" yWindow="0" windowWidth="28800" windowHeight="17000"/></bookViews><sheets>' +
  sheets.map(({ name }, at) => `<sheet name="${xmlText(name)}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`).join('') +
  `</sheets><definedNames>${sheets.map(definedNames).join('')}</definedNames></workbook>`;

/** What is printed, and that its headings come again on every page. */
const definedNames = ({ name, printed }: Sheet, at: number): string =>
  `<definedName name="_xlnm.Print_Area" localSheetId="${at}">'${xmlText(name)}'!${printed}</definedName>` +
  `<definedName name="_xlnm.Print_Titles" localSheetId="${at}">'${xmlText(name)}'!$1:$1</definedName>`;

const workbookRelations = (sheets: readonly Sheet[]): string =>
  relations([
    ...sheets.map(({ part }) => [`${DOCUMENT}/worksheet`, part.replace(/^xl\//, '')] as const),
    [`${DOCUMENT}/styles`, 'styles.xml'],
  ]);

const relations = (targets: readonly (readonly [type: string, target: string])[]): string =>
  `${DECLARATION}<Relationships xmlns="${PACKAGE}/relationships">${targets
    .map(([type, target], at) => `<Relationship Id="rId${at + 1}" Type="${type}" Target="${target}"/>`)
    .join('')}</Relationships>`;

const contentTypes = (sheets: readonly Sheet[]): string =>
  `${DECLARATION}<Types xmlns="${PACKAGE}/content-types">` +
  '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
  '<Default Extension="xml" ContentType="application/xml"/>' +
  override('xl/workbook.xml', `${SPREADSHEET}.sheet.main+xml`) +
  sheets.map(({ part }) => override(part, `${SPREADSHEET}.worksheet+xml`)).join('') +
  override('xl/styles.xml', `${SPREADSHEET}.styles+xml`) +
  override('docProps/core.xml', 'application/vnd.openxmlformats-package.core-properties+xml') +
  '</Types>';

const override = (part: string, type: string): string => `<Override PartName="/${part}" ContentType="${type}"/>`;

const properties = (title: string, madeAt: Date): string =>
  `${DECLARATION}<cp:coreProperties xmlns:cp="${PACKAGE}/metadata/core-properties" ` +
  'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" ' +
  `xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><dc:title>${xmlText(title)}</dc:title>` +
  `<dc:creator>Shipgate</dc:creator><dcterms:created xsi:type="dcterms:W3CDTF">${madeAt.toISOString()}</dcterms:created>` +
  '</cp:coreProperties>';
