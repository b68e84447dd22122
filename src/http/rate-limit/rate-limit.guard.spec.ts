import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { Controller, Get, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { type Probe, startProbeApp } from '../../../test/support/probe-app.js';
import { FixedClock } from '../../../test/support/set-clock.js';
import { Clock } from '../../config/clock.js';
import { RateLimitLeases } from './rate-limit-leases.js';
import { type RateLimitCount, RateLimited, RateLimitGuard, RateLimitSubject } from './rate-limit.guard.js';
import { FailedLoginCounter, RateLimitService } from './rate-limit.service.js';
import type { RateLimitName } from './rate-limits.js';
import { ForwarderRecorder, UntrustedForwarders } from './untrusted-forwarders.js';

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
  of(name: RateLimitName, { query }: FastifyRequest): RateLimitCount | null {
    const { repo, counted = 'now' } = query as { repo: string; counted?: RateLimitCount['counted'] };
    return name === 'gate' ? { name, subject: repo, counted } : null;
  }
}

/** Gives out every token that is asked for, up to the limit of a window that never ends. */
const generous = (): RateLimitLeases => {
  const used = new Map<string, number>();
  const store = {
    leaseTokens: async (key: string, { limit }: { limit: number }, wanted: number) => {
      const before = used.get(key) ?? 0;
      const granted = Math.min(wanted, limit - before);
      used.set(key, before + granted);
      return { granted, used: before + granted, resetsInMs: 30_000 };
    },
  };
  return new RateLimitLeases(store, new FixedClock(), () => undefined);
};

const noted: object[] = [];

@Module({
  controllers: [CountedController],
  providers: [
    { provide: RateLimitLeases, useFactory: generous },
    { provide: RateLimitSubject, useClass: QuerySubject },
    { provide: APP_GUARD, useClass: RateLimitGuard },
    FailedLoginCounter,
    RateLimitService,
    UntrustedForwarders,
    { provide: Clock, useClass: FixedClock },
    { provide: ForwarderRecorder, useValue: { note: async (seen: object) => void noted.push(seen) } },
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
    probe = await startProbeApp({}, CountedModule);
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
    probe = await startProbeApp({}, CountedModule);
    const last = (await statuses(301, '/gate?repo=a')).at(-1);
    expect([last, (await ask('/gate?repo=b')).status]).toEqual([429, 200]);
  });

  it('refuses a subject with nothing left that the route counts itself, and counts nothing of it', async () => {
    probe = await startProbeApp({}, CountedModule);
    expect(await statuses(2, '/gate?repo=a&counted=later')).toEqual([200, 200]);
    expect((await ask('/gate?repo=a')).headers.get('ratelimit')).toBe('"gate";r=299;t=30');
    await statuses(300, '/gate?repo=a');
    expect(await statuses(1, '/gate?repo=a&counted=later')).toEqual([429]);
  });

  it('believes the forwarded address of a trusted proxy alone', async () => {
    probe = await startProbeApp({}, CountedModule);
    await statuses(20, '/auth', '203.0.113.1');
    expect(await statuses(1, '/auth', '203.0.113.2')).toEqual([429]);
    await probe.app.close();
    probe = await startProbeApp({ TRUSTED_PROXIES: '127.0.0.1' }, CountedModule);
    await statuses(20, '/auth', '203.0.113.1');
    expect(await statuses(1, '/auth', '203.0.113.1')).toEqual([429]);
    expect(await statuses(1, '/auth', '203.0.113.2')).toEqual([200]);
    // What a client writes before its proxy does not change whom the proxy saw.
    expect(await statuses(1, '/auth', '203.0.113.9, 203.0.113.1')).toEqual([429]);
  });

  it('warns once of an address that forwards and is not trusted, and never of one that is', async () => {
    const warnings = (): unknown[] => probe.lines().filter(({ level }) => level === 'warn');
    noted.length = 0;
    probe = await startProbeApp({ TRUSTED_PROXIES: '127.0.0.0/8' }, CountedModule);
    await statuses(3, '/auth', '203.0.113.1');
    expect([warnings(), noted]).toEqual([[], []]);
    await probe.app.close();
    probe = await startProbeApp({ TRUSTED_PROXIES: '192.0.2.0/24' }, CountedModule);
    await statuses(3, '/auth');
    expect(noted).toEqual([]);
    await statuses(3, '/auth', '203.0.113.1');
    await fetch(`${probe.url}/auth`, { headers: { forwarded: 'for=203.0.113.1' } });
    expect(warnings()).toEqual([expect.objectContaining({ address: '127.0.0.1' })]);
    expect(noted).toEqual([{ address: '127.0.0.1', seenAt: expect.any(Date) }]);
  });

  it('is not counted where limits are off', async () => {
    probe = await startProbeApp({ RATE_LIMITS: 'off' }, CountedModule);
    expect(await statuses(25, '/auth')).toEqual(Array.from({ length: 25 }, () => 200));
    expect((await ask('/auth')).headers.get('ratelimit')).toBeNull();
  });
});

describe('failed credentials', () => {
  const [ADDRESS, ANOTHER] = ['203.0.113.1', '203.0.113.2'];

  it('are each told thirty times, and then block themselves alone, and for their address alone', async () => {
    probe = await startProbeApp({}, CountedModule);
    const failed = probe.app.get(FailedLoginCounter);
    for (let failure = 0; failure < 29; failure++) expect(await failed.record(ADDRESS, 'a')).toBeNull();
    expect(failed.retryAfterSeconds(ADDRESS, 'a')).toBeNull();
    expect(await failed.record(ADDRESS, 'a')).toBeNull();
    expect([failed.retryAfterSeconds(ADDRESS, 'a'), await failed.record(ADDRESS, 'a')]).toEqual([30, 30]);
    expect([failed.retryAfterSeconds(ADDRESS, 'b'), failed.retryAfterSeconds(ANOTHER, 'a')]).toEqual([null, null]);
    expect(failed.isSuspect(ADDRESS)).toBe(false);
  });

  it('that are thirty different ones make their address suspect, whose next ones are not told and not stored', async () => {
    const taken: string[] = [];
    probe = await startProbeApp({}, CountedModule);
    const failed = probe.app.get(FailedLoginCounter);
    for (let failure = 0; failure < 30; failure++) expect(await failed.record(ADDRESS, `guess ${failure}`)).toBeNull();
    expect([failed.isSuspect(ADDRESS), failed.isSuspect(ANOTHER)]).toEqual([true, false]);
    const take = jest.spyOn(probe.app.get(RateLimitLeases), 'consume');
    expect(await failed.record(ADDRESS, 'one more')).toBe(30);
    taken.push(...take.mock.calls.map(([, subject]) => subject));
    expect(taken).toEqual([ADDRESS]);
    // One that was told before is told again, as often as one may be.
    expect(await failed.record(ADDRESS, 'guess 1')).toBeNull();
    expect(await failed.record(ANOTHER, 'one more')).toBeNull();
  });

  it('block nobody where limits are off', async () => {
    probe = await startProbeApp({ RATE_LIMITS: 'off' }, CountedModule);
    const failed = probe.app.get(FailedLoginCounter);
    for (let failure = 0; failure < 40; failure++) expect(await failed.record(ADDRESS, 'a')).toBeNull();
    expect(failed.retryAfterSeconds(ADDRESS, 'a')).toBeNull();
  });
});
