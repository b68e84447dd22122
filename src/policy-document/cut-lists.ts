import type { PolicySchema } from './policy-schema.js';
import { pointerTo, ROOT } from './yaml-document.js';

/** A list with more entries than the schema allows. */
interface LongList {
  readonly pointer: string;
  readonly limit: number;
}

/** A value whose lists have no more entries than the schema allows. */
interface CutValue {
  readonly value: unknown;
  /** The lists that were cut. */
  readonly tooLong: readonly LongList[];
}

/**
 * Cuts the lists of a document to the lengths that the schema allows. The validator compares each entry of a list with each other
 * entry, and reads all entries of a list that is too long.
 */
export function cutLists(value: unknown, schema: PolicySchema): CutValue {
  const tooLong: LongList[] = [];
  const cut = (part: unknown, { properties, items, maxItems }: PolicySchema, pointer: string): unknown => {
    if (Array.isArray(part)) {
      if (maxItems !== undefined && part.length > maxItems) tooLong.push({ pointer, limit: maxItems });
      const first: readonly unknown[] = part.slice(0, maxItems);
      return items === undefined ? first : first.map((item, at) => cut(item, items, pointerTo(pointer, at)));
    }
    if (typeof part !== 'object' || part === null || properties === undefined) return part;
    return Object.fromEntries(
      Object.entries(part).map(([key, inner]) => {
        const own = Object.hasOwn(properties, key) ? properties[key] : undefined;
        return [key, own === undefined ? inner : cut(inner, own, pointerTo(pointer, key))];
      }),
    );
  };
  return { value: cut(value, schema, ROOT), tooLong };
}
