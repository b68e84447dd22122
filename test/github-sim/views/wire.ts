/** A time as GitHub writes it: UTC, to the second. */
export function isoDate(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

export function isoDateOrNull(date: Date | null): string | null {
  return date === null ? null : isoDate(date);
}

/** GraphQL's id of a thing: opaque, and as unlike the number as GitHub's own. */
export function nodeId(type: string, id: number | string): string {
  return Buffer.from(`${type}:${id}`).toString('base64url');
}
