import { Button } from '@primer/react';
import { useEffect, useState, type FocusEvent, type PointerEvent, type ReactNode } from 'react';
import { holdRows } from './held-rows.js';
import classes from './live-table.module.css';
import { Table } from './table.js';
import { useSlidingRows } from './use-sliding-rows.js';

interface LiveTableProps<Row> {
  readonly caption: string;
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  readonly toId: (row: Row) => string;
  /** The filters and the page. Other filters show their result at once. */
  readonly filters: object;
  readonly isStale: boolean;
  /** The text of the button that shows the changes. */
  readonly changed: (count: number) => string;
  /** Renders a row with its key. A row that is gone is no longer part of the list, and must be `inert`. */
  readonly children: (row: Row, isGone: boolean) => ReactNode;
}

/** How long a list counts as in use after a touch. */
const TOUCH_MS = 15_000;

/** The table of a list that changes by itself. While the user is in it, no row moves: a new order waits behind a button. */
export function LiveTable<Row>({
  caption,
  columns,
  rows: current,
  toId,
  filters,
  isStale,
  changed,
  children,
}: LiveTableProps<Row>) {
  const moving = useSlidingRows();
  const { rows, changes, release, list } = useHeldRows(current, toId, JSON.stringify(filters), isStale);
  return (
    <div {...list} ref={moving} className={classes['list']}>
      {changes > 0 && (
        <div className={classes['changes']}>
          <Button onClick={release}>{changed(changes)}</Button>
        </div>
      )}
      <Table caption={caption} columns={columns} isStale={isStale}>
        {rows.map(({ row, isGone }) => children(row, isGone))}
      </Table>
    </div>
  );
}

/**
 * Keeps the order of a list while the user points at it or has the focus in it. `list` belongs on the element around the rows. `resetKey`
 * names the filters and the page: other filters show their result at once. As long as that is not there, the former rows are not kept for
 * it, because the pointer may come to lie on them when the window scrolls to the top.
 */
function useHeldRows<Row>(current: readonly Row[], toId: (row: Row) => string, resetKey: string, isStale: boolean) {
  const [listed, setListed] = useState({ rows: current, resetKey });
  const [hasPointer, setHasPointer] = useState(false);
  const [hasFocus, setHasFocus] = useState(false);
  const [touchedAt, setTouchedAt] = useState<number | null>(null);
  useEffect(() => {
    if (touchedAt === null) return undefined;
    const timer = setTimeout(() => setTouchedAt(null), TOUCH_MS);
    return () => clearTimeout(timer);
  }, [touchedAt]);
  const isInUse = (hasPointer || hasFocus || touchedAt !== null) && listed.resetKey === resetKey;
  if (!isInUse && !isStale && (listed.rows !== current || listed.resetKey !== resetKey))
    setListed({ rows: current, resetKey });
  const held = holdRows(isInUse ? listed.rows : current, current, toId);
  return {
    ...held,
    /** Shows the present result. Its button had the focus, and disappears without a message. */
    release: () => {
      setListed({ rows: current, resetKey });
      setHasFocus(false);
      setTouchedAt(null);
    },
    list: {
      onPointerEnter: () => setHasPointer(true),
      // A finger leaves the screen after each touch, while the user goes on reading.
      onPointerLeave: ({ pointerType }: PointerEvent) => {
        setHasPointer(false);
        if (pointerType === 'touch') setTouchedAt(Date.now());
      },
      onFocus: () => setHasFocus(true),
      onBlur: ({ currentTarget, relatedTarget }: FocusEvent<HTMLElement>) => {
        if (!currentTarget.contains(relatedTarget)) setHasFocus(false);
      },
    },
  };
}
