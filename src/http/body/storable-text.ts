const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Why a text can be kept by nobody behind this service, or null. Postgres refuses both in `text` and `jsonb` (22021,
 * 22P05, 22P02), and neither has a meaning in a name, a version or a report.
 */
export function unstorable(text: string): string | null {
  if (text.includes('\0')) return 'a NUL character';
  if (LONE_SURROGATE.test(text)) return 'half of a surrogate pair';
  return null;
}
