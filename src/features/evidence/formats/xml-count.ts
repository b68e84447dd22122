import type { XmlAttributes, XmlRefusal } from './xml-reader.js';

const COUNT = /^\d+$/;

/** The whole number of an attribute; null where it is absent. Refuses what is no count, or cannot be held exactly. */
export function countIn(attributes: XmlAttributes, name: string, refusal: XmlRefusal): number | null {
  const digits = attributes.get(name);
  if (digits === undefined) return null;
  const count = Number(digits);
  if (!COUNT.test(digits)) throw refusal(`${name}: a count is expected`);
  if (!Number.isSafeInteger(count)) throw refusal(`${name}: a count beyond 2^53`);
  return count;
}

/** @throws also where the attribute is absent. */
export function requiredCountIn(attributes: XmlAttributes, name: string, refusal: XmlRefusal): number {
  const count = countIn(attributes, name, refusal);
  if (count === null) throw refusal(`${name} is missing`);
  return count;
}
