/** The number of requests that one subject may send in a window, and the name in the `RateLimit` headers. */
export interface RateLimitPolicy {
  readonly name: string;
  readonly limit: number;
  readonly windowSeconds: number;
}

/** The limits of the service. All instances share each of them. */
export const RATE_LIMITS = {
  auth: { name: 'auth', limit: 20, windowSeconds: 60 },
  public: { name: 'public', limit: 60, windowSeconds: 60 },
  // A page loads fewer than ten files.
  'page-files': { name: 'page-files', limit: 600, windowSeconds: 60 },
  session: { name: 'session', limit: 300, windowSeconds: 60 },
  upload: { name: 'upload', limit: 300, windowSeconds: 60 },
  gate: { name: 'gate', limit: 300, windowSeconds: 60 },
  // One API key for all of its repositories: the sum of ten repositories.
  key: { name: 'key', limit: 3_000, windowSeconds: 60 },
} as const satisfies Record<string, RateLimitPolicy>;

export type RateLimitName = keyof typeof RATE_LIMITS;

/**
 * The limit of failed credentials: how often one credential, and how many different ones, may fail per address. It
 * limits guessing, not a route.
 */
export const FAILED_CREDENTIALS: RateLimitPolicy = { name: 'failed-credentials', limit: 30, windowSeconds: 60 };
