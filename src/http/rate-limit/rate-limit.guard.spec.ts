import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Controller, Get, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { type Probe, startProbeApp } from '../../../test/support/probe-app.js';
import { FixedClock } from '../../../test/support/fixed-clock.js';
import { Clock } from '../../config/clock.js';
import { RateLimitLeases } from './rate-limit-leases.js';
import { type RateLimitCount, RateLimited, RateLimitGuard, RateLimitKeyProvider } from './rate-limit.guard.js';
import { RateLimitService } from './rate-limit.service.js';
import { FailedLoginCounter } from './failed-login-counter.js';
import type { RateLimitName } from './rate-limits.js';
import { UntrustedForwarders } from './untrusted-forwarders.js';
import { UntrustedForwarderRepository } from './untrusted-forwarder.repository.js';

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

class QuerySubject extends RateLimitKeyProvider {
  findCount(name: RateLimitName, { query }: FastifyRequest): RateLimitCount | null {
    const { repo, counted = 'now' } = query as { repo: string; counted?: RateLimitCount['counted'] };
    return name === 'gate' ? { name, subject: repo, counted } : null;
  }
}

/** Leases all requested tokens, up to the limit of a window that never ends. */
const generous = (): RateLimitLeases => {
  const used = new Map<string, number>();
  const store = {
    leaseTokens: async (key: string, { limit }: { limit: number }, requested: number) => {
      const before = used.get(key) ?? 0;
      const granted = Math.min(requested, limit - before);
      used.set(key, before + granted);
      return { granted, used: before + granted, resetsInMs: 30_000 };
    },
  };
  return new RateLimitLeases(store, new FixedClock(), () => undefined);
};

const saved: object[] = [];

@Module({
  controllers: [CountedController],
  providers: [
    { provide: RateLimitLeases, useFactory: generous },
    { provide: RateLimitKeyProvider, useClass: QuerySubject },
    { provide: APP_GUARD, useClass: RateLimitGuard },
    FailedLoginCounter,
    RateLimitService,
    UntrustedForwarders,
    { provide: Clock, useClass: FixedClock },
    { provide: UntrustedForwarderRepository, useValue: { note: async (seen: object) => void saved.push(seen) } },
  ],
})
class CountedModule {}

let probe: Probe;

afterEach(() => probe.app.close());

const get = async (path: string, forwardedFor?: string): Promise<Response> =>
  fetch(`${probe.url}${path}`, forwardedFor === undefined ? {} : { headers: { 'x-forwarded-for': forwardedFor } });

const statuses = async (times: number, path: string, forwardedFor?: string): Promise<number[]> => {
  const seen: number[] = [];
  for (let time = 0; time < times; time++) seen.push((await get(path, forwardedFor)).status);
  return seen;
};

describe('a rate-limited route', () => {
  it('returns the remaining requests, and rejects requests above the limit with Retry-After', async () => {
    probe = await startProbeApp({}, CountedModule);
    const first = await get('/auth');
    expect(first.headers.get('ratelimit-policy')).toBe('"auth";q=20;w=60');
    expect(first.headers.get('ratelimit')).toBe('"auth";r=19;t=30');
    expect(await statuses(19, '/auth')).toEqual(Array.from({ length: 19 }, () => 200));
    const rejected = await get('/auth');
    expect([rejected.status, await rejected.json()]).toEqual([429, { error: 'More than 20 requests in 60 seconds.' }]);
    expect(rejected.headers.get('retry-after')).toBe('30');
    expect(rejected.headers.get('ratelimit')).toBe('"auth";r=0;t=30');
    expect((await get('/free')).status).toBe(200);
    expect((await get('/free')).headers.get('ratelimit')).toBeNull();
  });

  it('counts by the subject if there is one', async () => {
    probe = await startProbeApp({}, CountedModule);
    const last = (await statuses(301, '/gate?repo=a')).at(-1);
    expect([last, (await get('/gate?repo=b')).status]).toEqual([429, 200]);
  });

  it('rejects an exhausted subject that the route counts itself, without counting it', async () => {
    probe = await startProbeApp({}, CountedModule);
    expect(await statuses(2, '/gate?repo=a&counted=later')).toEqual([200, 200]);
    expect((await get('/gate?repo=a')).headers.get('ratelimit')).toBe('"gate";r=299;t=30');
    await statuses(300, '/gate?repo=a');
    expect(await statuses(1, '/gate?repo=a&counted=later')).toEqual([429]);
  });

  it('uses the forwarded address only from a trusted proxy', async () => {
    probe = await startProbeApp({}, CountedModule);
    await statuses(20, '/auth', '203.0.113.1');
    expect(await statuses(1, '/auth', '203.0.113.2')).toEqual([429]);
    await probe.app.close();
    probe = await startProbeApp({ TRUSTED_PROXIES: '127.0.0.1' }, CountedModule);
    await statuses(20, '/auth', '203.0.113.1');
    expect(await statuses(1, '/auth', '203.0.113.1')).toEqual([429]);
    expect(await statuses(1, '/auth', '203.0.113.2')).toEqual([200]);
    // Addresses that a client adds before its proxy do not change the client of the proxy.
    expect(await statuses(1, '/auth', '203.0.113.9, 203.0.113.1')).toEqual([429]);
  });

  it('warns once about an untrusted address that forwards, and never about a trusted one', async () => {
    const warnings = (): unknown[] => probe.lines().filter(({ level }) => level === 'warn');
    saved.length = 0;
    probe = await startProbeApp({ TRUSTED_PROXIES: '127.0.0.0/8' }, CountedModule);
    await statuses(3, '/auth', '203.0.113.1');
    expect([warnings(), saved]).toEqual([[], []]);
    await probe.app.close();
    probe = await startProbeApp({ TRUSTED_PROXIES: '192.0.2.0/24' }, CountedModule);
    await statuses(3, '/auth');
    expect(saved).toEqual([]);
    await statuses(3, '/auth', '203.0.113.1');
    await fetch(`${probe.url}/auth`, { headers: { forwarded: 'for=203.0.113.1' } });
    expect(warnings()).toEqual([expect.objectContaining({ address: '127.0.0.1' })]);
    expect(saved).toEqual([{ address: '127.0.0.1', seenAt: expect.any(Date) }]);
  });

  it('counts no request if limits are off', async () => {
    probe = await startProbeApp({ RATE_LIMITS: 'off' }, CountedModule);
    expect(await statuses(25, '/auth')).toEqual(Array.from({ length: 25 }, () => 200));
    expect((await get('/auth')).headers.get('ratelimit')).toBeNull();
  });
});

describe('failed logins', () => {
  const [ADDRESS, ANOTHER] = ['203.0.113.1', '203.0.113.2'];

  it('records thirty failures of a credential, and then blocks only this credential from the same address', async () => {
    probe = await startProbeApp({}, CountedModule);
    const failed = probe.app.get(FailedLoginCounter);
    for (let failure = 0; failure < 29; failure++) expect(await failed.record(ADDRESS, 'a')).toBeNull();
    expect(failed.retryAfterSeconds(ADDRESS, 'a')).toBeNull();
    expect(await failed.record(ADDRESS, 'a')).toBeNull();
    expect([failed.retryAfterSeconds(ADDRESS, 'a'), await failed.record(ADDRESS, 'a')]).toEqual([30, 30]);
    expect([failed.retryAfterSeconds(ADDRESS, 'b'), failed.retryAfterSeconds(ANOTHER, 'a')]).toEqual([null, null]);
    expect(failed.isSuspect(ADDRESS)).toBe(false);
  });

  it('suspects an address after thirty different credentials, and does not record its next failures separately', async () => {
    const taken: string[] = [];
    probe = await startProbeApp({}, CountedModule);
    const failed = probe.app.get(FailedLoginCounter);
    for (let failure = 0; failure < 30; failure++) expect(await failed.record(ADDRESS, `guess ${failure}`)).toBeNull();
    expect([failed.isSuspect(ADDRESS), failed.isSuspect(ANOTHER)]).toEqual([true, false]);
    const consume = jest.spyOn(probe.app.get(RateLimitLeases), 'consume');
    expect(await failed.record(ADDRESS, 'one more')).toBe(30);
    taken.push(...consume.mock.calls.map(([, subject]) => subject));
    expect(taken).toEqual([ADDRESS]);
    // A credential that was recorded before is still recorded, up to its own limit.
    expect(await failed.record(ADDRESS, 'guess 1')).toBeNull();
    expect(await failed.record(ANOTHER, 'one more')).toBeNull();
  });

  it('blocks no caller if limits are off', async () => {
    probe = await startProbeApp({ RATE_LIMITS: 'off' }, CountedModule);
    const failed = probe.app.get(FailedLoginCounter);
    for (let failure = 0; failure < 40; failure++) expect(await failed.record(ADDRESS, 'a')).toBeNull();
    expect(failed.retryAfterSeconds(ADDRESS, 'a')).toBeNull();
  });
});
