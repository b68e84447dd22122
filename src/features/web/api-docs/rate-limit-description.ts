import type { RateLimitName, RateLimitPolicy } from '../../../http/rate-limit/rate-limits.js';
import type { RateLimitDescription } from './described-operation.js';

const COUNTED: Readonly<Record<RateLimitName, string>> = {
  auth: 'client address',
  public: 'client address',
  'page-files': 'client address',
  session: 'user',
  upload: 'repository',
  gate: 'repository',
  key: 'API key',
};

/** A limit with whom it counts. */
export const limitOf = ({ name, limit, windowSeconds }: RateLimitPolicy): RateLimitDescription => ({
  name,
  limit,
  windowSeconds,
  per: COUNTED[name as RateLimitName],
});
