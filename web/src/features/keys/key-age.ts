const UNUSED_MS = 90 * 86_400_000;

interface KeyTimes {
  readonly createdAt: string;
  readonly lastUsedAt: string | null;
  readonly expiresAt: string | null;
}

/** Whether a key has ended, or was neither created nor used in the last 90 days. Null if neither is true. */
export function findKeyProblem(
  { createdAt, lastUsedAt, expiresAt }: KeyTimes,
  now: number,
): 'expired' | 'unused' | null {
  if (expiresAt !== null && Date.parse(expiresAt) <= now) return 'expired';
  return now - Date.parse(lastUsedAt ?? createdAt) >= UNUSED_MS ? 'unused' : null;
}
