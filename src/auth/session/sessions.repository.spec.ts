import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { FixedClock } from '../../../test/support/fixed-clock.js';
import type { Database } from '../../database/database.js';
import { SessionsRepository } from './sessions.repository.js';

const ID_HASH = Buffer.from('the digest of an id');

const clock = new FixedClock();
const queryWithoutTenant = jest.fn<Database['queryWithoutTenant']>();
const repository = new SessionsRepository({ queryWithoutTenant } as unknown as Database, clock);

const lastSeen = (millisecondsAgo: number): { readonly lastSeenAt: Date } => ({
  lastSeenAt: new Date(clock.now().getTime() - millisecondsAgo),
});

/** From this difference on, a time is in the future by every clock. */
const ahead = (): Date => new Date(clock.now().getTime() + 60_000);

describe('the use of a session', () => {
  const warn = jest.spyOn(Logger.prototype, 'warn');

  beforeEach(() => {
    jest.resetAllMocks();
    queryWithoutTenant.mockResolvedValue([]);
    warn.mockReturnValue();
  });

  afterEach(() => {
    jest.resetAllMocks();
  });

  it('is saved after a minute', async () => {
    await repository.touch(ID_HASH, lastSeen(60_000));
    expect(queryWithoutTenant.mock.calls).toEqual([
      ['touch_session', 'select touch_session($1, $2, $3)', [ID_HASH, clock.now(), ahead()]],
    ]);
  });

  it('is recorded if the last use was recorded by a wrong clock', async () => {
    await repository.touch(ID_HASH, lastSeen(-60_000));
    expect(queryWithoutTenant).toHaveBeenCalledTimes(1);
  });

  it.each([0, 59_999, -59_999])('is not saved %i ms after the last time', async (millisecondsAgo) => {
    await repository.touch(ID_HASH, lastSeen(millisecondsAgo));
    expect(queryWithoutTenant).not.toHaveBeenCalled();
  });

  it('is saved before the request continues, so that the next request finds it', async () => {
    const done: string[] = [];
    queryWithoutTenant.mockImplementation(async () => {
      await Promise.resolve();
      done.push('written');
      return [];
    });
    await repository.touch(ID_HASH, lastSeen(60_000));
    expect(done).toEqual(['written']);
  });

  it('never fails the request if it cannot be written', async () => {
    queryWithoutTenant.mockRejectedValue(new Error('the database is away'));
    await expect(repository.touch(ID_HASH, lastSeen(60_000))).resolves.toBeUndefined();
    expect(warn.mock.calls).toEqual([['The use of a session could not be saved: Error: the database is away']]);
  });
});
