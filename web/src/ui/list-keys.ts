/**
 * Pairs each item with a key for its element: the kind of the item, and how many of this kind are before it. A sentence is no key,
 * because the element must stay the same when the sentence changes, and because two items may have the same sentence.
 */
export function withKeys<Item>(
  items: readonly Item[],
  toKind: (item: Item) => string = () => 'item',
): readonly (readonly [key: string, item: Item])[] {
  const counts = new Map<string, number>();
  return items.map((item) => {
    const kind = toKind(item);
    const count = counts.get(kind) ?? 0;
    counts.set(kind, count + 1);
    return [`${kind} ${count}`, item];
  });
}
