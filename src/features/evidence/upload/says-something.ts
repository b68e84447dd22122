/** A character that can be seen: none that Unicode calls blank, ignorable or a control, and no byte that is no text. */
const SEEN = /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800\uFFFD]/u;

/** Whether there is a value anywhere in it: a text in which something can be seen, a number, true or false. */
export function saysSomething(value: unknown): boolean {
  if (typeof value === 'string') return SEEN.test(value);
  if (typeof value === 'object' && value !== null) return Object.values(value).some(saysSomething);
  return typeof value === 'number' || typeof value === 'boolean';
}
