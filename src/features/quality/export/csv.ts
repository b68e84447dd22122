import type { ReleaseGroupDto } from '../quality.dto.js';
import {
  type Cell,
  COMPARISON_COLUMNS,
  OWN_RESULT_COLUMNS,
  RELEASE_ID_COLUMN,
  RELEASE_NAME_COLUMNS,
  SCORECARD_COLUMNS,
  type TableColumn,
} from './columns.js';
import { isoMoment } from './iso-timestamp.js';

/**
 * What a spreadsheet may take for the beginning of a formula: the four characters that OWASP names under "CSV Injection", their
 * full-width and small forms, and the minus sign of typographers.
 */
const LEADS = '=+\\-@＝＋－＠﹦﹢﹣﹫−';
/** What some programs skip before they look: white space, control characters, and whatever shows nothing. */
const UNSEEN = '\\s\\p{Cc}\\p{Cf}\\p{Default_Ignorable_Code_Point}';

const BEGINS_A_FORMULA = new RegExp(`^[${UNSEEN}]*[\\t\\r\\n${LEADS}]`, 'u');
/**
 * Who reads a file with another separator sees cells begin in the middle of a text. A quotation mark there is doubled, which is
 * an empty text in quotes to them, and what follows it is taken as it stands.
 */
const BEGINS_A_FORMULA_ELSEWHERE = new RegExp(`[;|\\t\\r\\n](?=["${UNSEEN}]*[${LEADS}])`, 'gu');
const SEPARATES_ELSEWHERE = /[;|\t\r\n]/;

/** The text, behind an apostrophe where a spreadsheet might compute it: with that it is a text to every one of them. */
export const escapeFormula = (text: string): string => (BEGINS_A_FORMULA.test(text) ? `'${text}` : text);

/** The same for a file that is cut into cells only when it is opened, by whatever separator the reader's country has. */
export const escapeFormulaInField = (text: string): string => {
  const harmless = escapeFormula(text);
  return SEPARATES_ELSEWHERE.test(harmless) ? harmless.replace(BEGINS_A_FORMULA_ELSEWHERE, "$&'") : harmless;
};

/** Without it Excel takes the file for one in the code page of the reader's country. */
const BYTE_ORDER_MARK = '\uFEFF';
/** RFC 4180, section 2. */
const LINE_END = '\r\n';
const NEEDS_QUOTES = /[",\r\n]/;
/** Begins as no formula does, and holds nothing that would have to be quoted or could be taken for the end of a cell. */
const STANDS_AS_IT_IS = /^[0-9A-Za-z][^",;|\t\r\n]*$/;

const RELEASE_COLUMNS = [...RELEASE_NAME_COLUMNS, ...SCORECARD_COLUMNS, ...COMPARISON_COLUMNS, RELEASE_ID_COLUMN];
const HEADINGS = [...RELEASE_COLUMNS, ...OWN_RESULT_COLUMNS].map(({ heading }) => heading);

/** The results as CSV, each with what is told of its release, after a line of headings; a piece for each release. */
export async function* csvLines(groups: AsyncIterable<ReleaseGroupDto>): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + HEADINGS.map(fieldOf).join(',') + LINE_END;
  for await (const group of groups) {
    // Once for all of its lines, of which there are many.
    const release = fieldsOf(RELEASE_COLUMNS, group);
    let lines = '';
    for (const result of group.results) lines += `${release},${fieldsOf(OWN_RESULT_COLUMNS, result)}${LINE_END}`;
    yield lines;
  }
}

const fieldsOf = <Row>(columns: readonly TableColumn<Row>[], row: Row): string =>
  columns.map(({ of }) => fieldOf(of(row))).join(',');

function fieldOf(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return String(cell);
  if (typeof cell !== 'string') return isoMoment(cell);
  // Nearly all of them, for a fifth of what the closer look takes.
  if (STANDS_AS_IT_IS.test(cell)) return cell;
  const field = escapeFormulaInField(cell);
  return NEEDS_QUOTES.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}
