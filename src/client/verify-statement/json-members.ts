/** A string of a JSON text; the colon follows if it is the name of a member. */
const STRING = /"(?:[^"\\]|\\.)*"(\s*:)?/gs;

/**
 * Parses a JSON object in which no object has two members of one name. Readers disagree which of the two counts, so such a text could say
 * one thing to us and another thing to others. Returns null for any other text.
 */
export function parseUnambiguousObject(bytes: Uint8Array): Readonly<Record<string, unknown>> | null {
  let text: string;
  let value: unknown;
  try {
    // A byte order mark stays, which is no JSON, and a byte that is no UTF-8 throws.
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isRecord(value)) return null;
  // Parsing keeps one of two members with the same name, so they are fewer than those of the text.
  const names = [...text.matchAll(STRING)].filter(([, colon]) => colon !== undefined);
  return names.length === countMembers(value) ? value : null;
}

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function countMembers(root: unknown): number {
  let count = 0;
  // A loop and not a recursion, because the nesting of a foreign text has no limit.
  const waiting: unknown[] = [root];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (typeof value !== 'object' || value === null) continue;
    const members: readonly unknown[] = Object.values(value);
    if (!Array.isArray(value)) count += members.length;
    for (const member of members) waiting.push(member);
  }
  return count;
}
