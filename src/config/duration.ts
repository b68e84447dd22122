const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000 } as const;
const MAX_MS = 24 * UNIT_MS.h;

/** Milliseconds of a duration such as `30s`, `15m` or `1h`: at least a second, at most a day. */
export function readDuration(text: string): number {
  const [, count, unit] = /^(\d{1,6})([smh])$/.exec(text) ?? [];
  const ms = Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  if (!(ms >= UNIT_MS.s && ms <= MAX_MS)) throw new Error('must be a duration from 1s to 24h, such as 30s, 15m or 1h');
  return ms;
}
