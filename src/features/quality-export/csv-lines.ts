import { stringify } from 'csv-stringify/sync';
import { harmlessField } from './harmless-text.js';
import type { RowSource } from './row-source.js';
import type { Cell, TableColumn } from './table-column.js';

/** Without it Excel takes the file for one in the code page of the reader's country. */
const BYTE_ORDER_MARK = '\uFEFF';
/** RFC 4180, section 2: lines end with CRLF. */
const OPTIONS = { record_delimiter: 'windows', quote_record_delimiter: true } as const;
/** Enough that the library's preparations do not count, and few enough that nobody else waits. */
const BATCH = 200;

/** The rows as CSV, after a line of headings. */
export async function* csvLines<Row>(
  columns: readonly TableColumn<Row>[],
  rows: RowSource<Row>,
): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + stringify([columns.map(({ heading }) => heading)], OPTIONS);
  for (let batch = await rows.take(BATCH); batch.length > 0; batch = await rows.take(BATCH)) {
    yield stringify(
      batch.map((row) => columns.map(({ of }) => fieldOf(of(row)))),
      OPTIONS,
    );
  }
}

function fieldOf(cell: Cell): string {
  if (cell === null) return '';
  if (cell instanceof Date) return cell.toISOString();
  return typeof cell === 'number' ? String(cell) : harmlessField(cell);
}
