import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { FixedClock } from '../../test/support/fixed-clock.js';
import type { Database } from '../database/database.js';
import { toOrgId } from '../database/ids.js';
import { KeyUsageRepository } from './key-usage.repository.js';

const orgId = toOrgId('0b8f3c52-6a43-4d1e-9b6e-6f5a0c7a1d11');
const clock = new FixedClock();

describe('KeyUsageRepository', () => {
  const inTenant = jest.fn<Database['inTenant']>();
  const warn = jest.spyOn(Logger.prototype, 'warn');
  const key = { orgId, keyId: 'k1', lastUsedAt: null };
  let beside: KeyUsageRepository;

  beforeEach(() => {
    warn.mockReturnValue();
    inTenant.mockResolvedValue(undefined);
    beside = new KeyUsageRepository({ inTenant } as unknown as Database, clock);
  });

  afterEach(() => {
    jest.resetAllMocks();
  });

  it.each([
    [0, 0],
    [59_999, 0],
    [60_000, 1],
    [-60_000, 0],
  ])('writes a use %i ms after the last time %i times', async (millisecondsAgo, times) => {
    beside.recordUse('api_key', { ...key, lastUsedAt: new Date(clock.now().getTime() - millisecondsAgo) });
    await beside.flush();
    expect(inTenant).toHaveBeenCalledTimes(times);
  });

  it.each(['api_key', 'personal_key'] as const)('writes into %s, in the workspace of the key', async (table) => {
    const query = jest.fn(() => Promise.resolve([]));
    inTenant.mockImplementation((_, work) => work({ query } as never));
    beside.recordUse(table, key);
    await beside.flush();
    expect(inTenant.mock.calls[0]![0]).toBe(orgId);
    expect(query.mock.calls).toEqual([
      [expect.stringContaining(`update ${table} set`), ['k1', clock.now(), new Date(clock.now().getTime() - 60_000)]],
    ]);
  });

  it('writes once for all concurrent uses, one key after the other, and again later', async () => {
    let running = 0;
    let most = 0;
    inTenant.mockImplementation(async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
      return undefined as never;
    });
    for (const keyId of ['k1', 'k2', 'k1', 'k2', 'k1']) beside.recordUse('api_key', { ...key, keyId });
    await beside.flush();
    expect([inTenant.mock.calls.length, most]).toEqual([2, 1]);
    beside.recordUse('api_key', key);
    await beside.flush();
    expect(inTenant).toHaveBeenCalledTimes(3);
  });

  it('fails neither the request nor the next write if a use cannot be written', async () => {
    inTenant.mockRejectedValueOnce(new Error('the database is away'));
    beside.recordUse('api_key', key);
    beside.recordUse('api_key', { ...key, keyId: 'k2' });
    await beside.flush();
    expect(warn.mock.calls).toEqual([['The use of the key k1 could not be saved: Error: the database is away']]);
    expect(inTenant).toHaveBeenCalledTimes(2);
  });

  it('writes all uses before the service ends', async () => {
    let isWritten = false;
    inTenant.mockImplementation(async () => {
      await new Promise(setImmediate);
      isWritten = true;
      return undefined as never;
    });
    beside.recordUse('api_key', key);
    expect(isWritten).toBe(false);
    await beside.beforeApplicationShutdown();
    expect(isWritten).toBe(true);
  });
});
