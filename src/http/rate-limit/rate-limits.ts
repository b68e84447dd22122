/** What one caller may do in a window, and under which name the `RateLimit` fields speak of it. */
export interface RateLimitPolicy {
  readonly name: string;
  readonly limit: number;
  readonly windowSeconds: number;
}

/** The limits of the service; each is shared by all of its instances. */
export const RATE_LIMITS = {
  auth: { name: 'auth', limit: 20, windowSeconds: 60 },
  public: { name: 'public', limit: 60, windowSeconds: 60 },
  // Whoever may open a page may load its files, of which none has ten.
  'page-files': { name: 'page-files', limit: 600, windowSeconds: 60 },
  session: { name: 'session', limit: 300, windowSeconds: 60 },
  upload: { name: 'upload', limit: 300, windowSeconds: 60 },
  gate: { name: 'gate', limit: 300, windowSeconds: 60 },
  // Of one API key for all of its repositories: as many as ten of them may have.
  key: { name: 'key', limit: 3_000, windowSeconds: 60 },
} as const satisfies Record<string, RateLimitPolicy>;

export type RateLimitName = keyof typeof RATE_LIMITS;

/**
 * Credentials that failed: how often one may fail from one address, and how many different ones may, before failures of the
 * address are refused. Not a limit of a route but of guessing.
 */
export const FAILED_CREDENTIALS: RateLimitPolicy = { name: 'failed-credentials', limit: 30, windowSeconds: 60 };
