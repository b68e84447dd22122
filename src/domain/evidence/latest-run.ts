/** Groups items by key, in their order. No group is empty. */
export function groupBy<T>(items: readonly T[], key: (item: T) => string): ReadonlyMap<string, readonly [T, ...T[]]> {
  const groups = new Map<string, [T, ...T[]]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group) group.push(item);
    else groups.set(key(item), [item]);
  }
  return groups;
}
