import { useState } from 'react';
import { holdRows } from './held-rows.js';

/**
 * Keeps the order of a list while the user points at it or has the focus in it. `list` belongs on the element around the rows. `resetKey`
 * names the filters and the page: other filters show their result at once.
 */
export function useHeldRows<Row>(current: readonly Row[], idOf: (row: Row) => string, resetKey: string) {
  const [listed, setListed] = useState({ rows: current, resetKey });
  const [hasPointer, setHasPointer] = useState(false);
  const [hasFocus, setHasFocus] = useState(false);
  const isInUse = (hasPointer || hasFocus) && listed.resetKey === resetKey;
  if (!isInUse && (listed.rows !== current || listed.resetKey !== resetKey)) setListed({ rows: current, resetKey });
  const held = holdRows(isInUse ? listed.rows : current, current, idOf);
  return {
    ...held,
    /** Shows the present result. */
    release: () => setListed({ rows: current, resetKey }),
    list: {
      onPointerEnter: () => setHasPointer(true),
      onPointerLeave: () => setHasPointer(false),
      onFocus: () => setHasFocus(true),
      onBlur: ({ currentTarget, relatedTarget }: React.FocusEvent<HTMLElement>) => {
        if (!currentTarget.contains(relatedTarget)) setHasFocus(false);
      },
    },
  };
}
