/** Whether there is a value anywhere in it: a text that is not blank, a number, true or false. */
export function saysSomething(value: unknown): boolean {
  if (typeof value === 'string') return value.trim() !== '';
  if (typeof value === 'object' && value !== null) return Object.values(value).some(saysSomething);
  return typeof value === 'number' || typeof value === 'boolean';
}
