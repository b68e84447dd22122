/** A time in GitHub's format: UTC, in whole seconds. */
export function isoDate(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

export function isoDateOrNull(date: Date | null): string | null {
  return date === null ? null : isoDate(date);
}

/** The GraphQL id of an object: opaque, and different from the numeric id, as at GitHub. */
export function nodeId(type: string, id: number | string): string {
  return Buffer.from(`${type}:${id}`).toString('base64url');
}
