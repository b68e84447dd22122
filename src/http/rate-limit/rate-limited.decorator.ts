import { Reflector } from '@nestjs/core';
import type { RateLimitName } from './rate-limits.js';

/** Counts a route's requests against a limit of `RATE_LIMITS`, per client address, repository or user as it demands. */
export const RateLimited = Reflector.createDecorator<RateLimitName>();
