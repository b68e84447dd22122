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
  idOf: (row: Row) => string,
): { readonly rows: readonly HeldRow<Row>[]; readonly changes: number } {
  const known = new Set(listed.map(idOf));
  const found = new Map(current.map((row) => [idOf(row), row]));
  const rows = listed.map((row) => {
    const update = found.get(idOf(row));
    return { row: update ?? row, isGone: update === undefined };
  });
  const added = current.filter((row) => !known.has(idOf(row))).length;
  const removed = rows.filter(({ isGone }) => isGone).length;
  const remaining = listed.map(idOf).filter((id) => found.has(id));
  const order = current.map(idOf).filter((id) => known.has(id));
  const moved = order.filter((id, at) => remaining[at] !== id).length;
  return { rows, changes: added + removed + moved };
}
