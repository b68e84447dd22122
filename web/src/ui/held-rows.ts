/** A row of a list in use. A row that is gone is no longer part of the result; it stays until the user asks for the new order. */
export interface HeldRow<Row> {
  readonly row: Row;
  readonly isGone: boolean;
}

/**
 * Puts new data into the order of the listed rows, so that nothing moves under the pointer or the focus. Returns the rows, and how many were
 * added, removed or would move. Rows that were not listed are left out.
 */
export function holdRows<Row>(
  listed: readonly Row[],
  current: readonly Row[],
  toId: (row: Row) => string,
): { readonly rows: readonly HeldRow<Row>[]; readonly changes: number } {
  const known = new Set(listed.map(toId));
  const found = new Map(current.map((row) => [toId(row), row]));
  const rows = listed.map((row) => {
    const update = found.get(toId(row));
    return { row: update ?? row, isGone: update === undefined };
  });
  const added = current.filter((row) => !known.has(toId(row))).length;
  const removed = rows.filter(({ isGone }) => isGone).length;
  const remaining = listed.map(toId).filter((id) => found.has(id));
  const order = current.map(toId).filter((id) => known.has(id));
  const moved = order.filter((id, at) => remaining[at] !== id).length;
  return { rows, changes: added + removed + moved };
}
