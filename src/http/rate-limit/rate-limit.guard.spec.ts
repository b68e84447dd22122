import { afterEach, describe, expect, it } from '@jest/globals';
import { Controller, Get, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { type Probe, startProbe } from '../../../test/support/probe-app.js';
import { SetClock } from '../../../test/support/set-clock.js';
import { FailedCredentials } from './failed-credentials.js';
import { RateLimitGuard } from './rate-limit.guard.js';
import type { RateLimitName } from './rate-limit.policy.js';
import { RateLimitSubject } from './rate-limit-subject.js';
import { RateLimited } from './rate-limited.decorator.js';
import { RequestLimits } from './request-limits.js';
import { TokenLeases } from './token-leases.js';

@Controller()
class CountedController {
  @Get('auth')
  @RateLimited('auth')
  auth(): object {
    return {};
  }

  @Get('gate')
  @RateLimited('gate')
  gate(): object {
    return {};
  }

  @Get('free')
  free(): object {
    return {};
  }
}

class QuerySubject extends RateLimitSubject {
  of(name: RateLimitName, { query }: FastifyRequest): string | null {
    return name === 'gate' ? (query as { repo: string }).repo : null;
  }
}

/** Gives out every token that is asked for, up to the limit of a window that never ends. */
const generous = (): TokenLeases => {
  const used = new Map<string, number>();
  const store = {
    take: async (key: string, { limit }: { limit: number }, wanted: number) => {
      const before = used.get(key) ?? 0;
      const granted = Math.min(wanted, limit - before);
      used.set(key, before + granted);
      return { granted, used: before + granted, resetsInMs: 30_000 };
    },
  };
  return new TokenLeases(store, new SetClock(), () => undefined);
};

@Module({
  controllers: [CountedController],
  providers: [
    { provide: TokenLeases, useFactory: generous },
    { provide: RateLimitSubject, useClass: QuerySubject },
    { provide: APP_GUARD, useClass: RateLimitGuard },
    FailedCredentials,
    RequestLimits,
  ],
})
class CountedModule {}

let probe: Probe;

afterEach(() => probe.app.close());

const ask = async (path: string, forwardedFor?: string): Promise<Response> =>
  fetch(`${probe.url}${path}`, forwardedFor === undefined ? {} : { headers: { 'x-forwarded-for': forwardedFor } });

const statuses = async (times: number, path: string, forwardedFor?: string): Promise<number[]> => {
  const seen: number[] = [];
  for (let time = 0; time < times; time++) seen.push((await ask(path, forwardedFor)).status);
  return seen;
};

describe('a counted route', () => {
  it('says what is left, and refuses beyond it with when to come back', async () => {
    probe = await startProbe({}, CountedModule);
    const first = await ask('/auth');
    expect(first.headers.get('ratelimit-policy')).toBe('"auth";q=20;w=60');
    expect(first.headers.get('ratelimit')).toBe('"auth";r=19;t=30');
    expect(await statuses(19, '/auth')).toEqual(Array.from({ length: 19 }, () => 200));
    const refusal = await ask('/auth');
    expect([refusal.status, await refusal.json()]).toEqual([429, { error: 'More than 20 requests in 60 seconds.' }]);
    expect(refusal.headers.get('retry-after')).toBe('30');
    expect(refusal.headers.get('ratelimit')).toBe('"auth";r=0;t=30');
    expect((await ask('/free')).status).toBe(200);
    expect((await ask('/free')).headers.get('ratelimit')).toBeNull();
  });

  it('counts by the subject where there is one', async () => {
    probe = await startProbe({}, CountedModule);
    const last = (await statuses(301, '/gate?repo=a')).at(-1);
    expect([last, (await ask('/gate?repo=b')).status]).toEqual([429, 200]);
  });

  it('believes the forwarded address of a trusted proxy alone', async () => {
    probe = await startProbe({}, CountedModule);
    await statuses(20, '/auth', '203.0.113.1');
    expect(await statuses(1, '/auth', '203.0.113.2')).toEqual([429]);
    await probe.app.close();
    probe = await startProbe({ TRUSTED_PROXIES: '127.0.0.1' }, CountedModule);
    await statuses(20, '/auth', '203.0.113.1');
    expect(await statuses(1, '/auth', '203.0.113.1')).toEqual([429]);
    expect(await statuses(1, '/auth', '203.0.113.2')).toEqual([200]);
    // What a client writes before its proxy does not change whom the proxy saw.
    expect(await statuses(1, '/auth', '203.0.113.9, 203.0.113.1')).toEqual([429]);
  });

  it('is not counted where limits are off', async () => {
    probe = await startProbe({ RATE_LIMITS: 'off' }, CountedModule);
    expect(await statuses(25, '/auth')).toEqual(Array.from({ length: 25 }, () => 200));
    expect((await ask('/auth')).headers.get('ratelimit')).toBeNull();
  });
});

describe('failed credentials', () => {
  it('block an address after thirty, and no other', async () => {
    probe = await startProbe({}, CountedModule);
    const failed = probe.app.get(FailedCredentials);
    for (let failure = 0; failure < 29; failure++) await failed.record('203.0.113.1');
    expect(failed.blockedFor('203.0.113.1')).toBeNull();
    await failed.record('203.0.113.1');
    expect(failed.blockedFor('203.0.113.1')).toBe(30);
    expect(failed.blockedFor('203.0.113.2')).toBeNull();
  });

  it('block nobody where limits are off', async () => {
    probe = await startProbe({ RATE_LIMITS: 'off' }, CountedModule);
    const failed = probe.app.get(FailedCredentials);
    for (let failure = 0; failure < 40; failure++) await failed.record('203.0.113.1');
    expect(failed.blockedFor('203.0.113.1')).toBeNull();
  });
});
