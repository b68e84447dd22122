import { Button } from '@primer/react';
import type { ReactNode } from 'react';
import { Table } from './table.js';
import { useHeldRows } from './use-held-rows.js';

interface LiveTableProps<Row> {
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  readonly idOf: (row: Row) => string;
  /** The filters and the page. Other filters show their result at once. */
  readonly filters: object;
  readonly isStale: boolean;
  /** The text of the button that shows the changes. */
  readonly changed: (count: number) => string;
  /** Renders a row with its key. A row that is gone is no longer part of the list, and must be `inert`. */
  readonly children: (row: Row, isGone: boolean) => ReactNode;
}

/** The table of a list that changes by itself. While the user is in it, no row moves: a new order waits behind a button. */
export function LiveTable<Row>({
  caption,
  columns,
  rows: current,
  idOf,
  filters,
  isStale,
  changed,
  children,
}: LiveTableProps<Row>) {
  const { rows, changes, release, list } = useHeldRows(current, idOf, JSON.stringify(filters));
  return (
    <div {...list}>
      {changes > 0 && (
        <Button block onClick={release}>
          {changed(changes)}
        </Button>
      )}
      <Table caption={caption} columns={columns} isStale={isStale}>
        {rows.map(({ row, isGone }) => children(row, isGone))}
      </Table>
    </div>
  );
}
