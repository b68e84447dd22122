/**
 * Whether what is stored lets a release be deployed. `ready`: it may be, and only this counts. `not_ready`: it may not be.
 * `pending`: it is being thought over. `unknown`: a fact could not be read. `expired`: its facts are too old to rest on.
 */
export const READINESS_STATUSES = ['ready', 'not_ready', 'pending', 'unknown', 'expired'] as const;
export type ReadinessStatus = (typeof READINESS_STATUSES)[number];

/** What readiness is told from. */
export interface ReadinessQuestion {
  /** Null before its first verdict. */
  readonly evaluatedAt: Date | null;
  /** A fact that the verdict rests on was never read. */
  readonly unread: boolean;
  /** Until when the verdict holds; the distant past where a fact of it is known to have changed. */
  readonly validUntil: Date | number;
  /** Until when its gate stands open, by facts that are fresh until then and by no freeze before; null is closed. */
  readonly readyUntil: Date | number | null;
  readonly now: Date;
}

export function readinessOf(question: ReadinessQuestion): ReadinessStatus {
  const { evaluatedAt, unread, validUntil, readyUntil, now } = question;
  if (evaluatedAt === null) return 'pending';
  if (unread) return 'unknown';
  if (Number(validUntil) === Number.NEGATIVE_INFINITY) return 'pending';
  if (Number(validUntil) <= now.getTime()) return 'expired';
  return readyUntil !== null && Number(readyUntil) > now.getTime() ? 'ready' : 'not_ready';
}
