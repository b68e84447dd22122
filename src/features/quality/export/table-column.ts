/** What stands in one cell of a table; null leaves it empty. */
export type Cell = string | number | Date | null;

/** How the cells of a column are written and aligned; an `id` is a text that is for programs, and not for paper. */
export type ColumnKind = 'text' | 'count' | 'decimal' | 'moment' | 'id';

/** One column of a table of rows. */
export interface TableColumn<Row> {
  readonly heading: string;
  readonly kind: ColumnKind;
  /** In characters, where the format has widths. */
  readonly width: number;
  readonly of: (row: Row) => Cell;
}
