/** The value of a cell; null is an empty cell. */
export type Cell = string | number | Date | null;

/** The type of a column, which decides format and alignment. An `id` is a text for programs, is not printed and comes last. */
export type ColumnKind = 'text' | 'count' | 'decimal' | 'moment' | 'id';

/** The heading, type and width of a column. */
export interface ColumnLayout {
  readonly heading: string;
  readonly kind: ColumnKind;
  /** In characters, for formats with column widths. */
  readonly width: number;
}

/** One column of a table of rows. */
export interface TableColumn<Row> extends ColumnLayout {
  readonly of: (row: Row) => Cell;
}

/** The cells of a row, in the order of its columns. A time is a number of milliseconds, so that JSON can hold the row. */
export type Line = readonly Exclude<Cell, Date>[];

export const toLine = <Row>(columns: readonly TableColumn<Row>[], row: Row): Line =>
  columns.map(({ of }) => {
    const cell = of(row);
    return cell instanceof Date ? cell.getTime() : cell;
  });
