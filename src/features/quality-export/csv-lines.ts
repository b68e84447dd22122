import type { ReleaseGroup } from '../quality/release-group.js';
import { harmlessField } from './harmless-text.js';
import { COMPARISON_COLUMNS, RELEASE_ID_COLUMN, RELEASE_NAME_COLUMNS, SCORECARD_COLUMNS } from './release-columns.js';
import { OWN_RESULT_COLUMNS } from './result-columns.js';
import type { Cell, TableColumn } from './table-column.js';

/** Without it Excel takes the file for one in the code page of the reader's country. */
const BYTE_ORDER_MARK = '\uFEFF';
/** RFC 4180, section 2. */
const LINE_END = '\r\n';
const NEEDS_QUOTES = /[",\r\n]/;

const RELEASE_COLUMNS = [...RELEASE_NAME_COLUMNS, ...SCORECARD_COLUMNS, ...COMPARISON_COLUMNS, RELEASE_ID_COLUMN];
const HEADINGS = [...RELEASE_COLUMNS, ...OWN_RESULT_COLUMNS].map(({ heading }) => heading);

/** The results as CSV, each with what is told of its release, after a line of headings; a piece for each release. */
export async function* csvLines(groups: AsyncIterable<ReleaseGroup>): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + HEADINGS.map(fieldOf).join(',') + LINE_END;
  for await (const group of groups) {
    // Once for all of its lines, of which there are many.
    const release = fieldsOf(RELEASE_COLUMNS, group);
    yield group.results.map((result) => `${release},${fieldsOf(OWN_RESULT_COLUMNS, result)}${LINE_END}`).join('');
  }
}

const fieldsOf = <Row>(columns: readonly TableColumn<Row>[], row: Row): string =>
  columns.map(({ of }) => fieldOf(of(row))).join(',');

function fieldOf(cell: Cell): string {
  if (cell === null) return '';
  if (cell instanceof Date) return cell.toISOString();
  if (typeof cell === 'number') return String(cell);
  const field = harmlessField(cell);
  return NEEDS_QUOTES.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}
