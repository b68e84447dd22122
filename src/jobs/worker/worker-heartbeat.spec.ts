import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { EventEmitter } from 'node:events';
import { mock } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import type { Database } from '../../database/database.js';
import { WorkerHeartbeat } from './worker-heartbeat.js';

const INTERVAL_MS = 10_000;

/** A connection that answers every query without rows. */
class IdleConnection extends EventEmitter {
  isReleased = false;
  query = (): Promise<object> => Promise.resolve({ rows: [] });
  release = (): void => void (this.isReleased = true);
}

describe('the heartbeat of a worker', () => {
  beforeEach(() => {
    Logger.overrideLogger(false);
    mock.timers.enable({ apis: ['setInterval'] });
  });
  afterEach(() => mock.timers.reset());

  it('leaves no lock behind, although the connections of several beats take long', async () => {
    const answers: ((connection: PoolClient | Promise<never>) => void)[] = [];
    const connect = (): Promise<PoolClient> => new Promise((resolve) => answers.push(resolve));
    const heartbeat = new WorkerHeartbeat({ sessions: { connect } } as unknown as Database);
    const give = (at: number, connection: object): void => answers[at]?.(connection as PoolClient);
    const [first, second] = [new IdleConnection(), new IdleConnection()];
    const starting = heartbeat.start('pool-1');
    give(0, first);
    await starting;

    first.emit('error', new Error('lost'));
    expect(first.isReleased).toBe(true);
    for (let beat = 0; beat < 2; beat += 1) {
      mock.timers.tick(INTERVAL_MS);
      await nextTurn();
    }
    const stopped = heartbeat.stop();
    for (const answer of answers.slice(2)) answer(Promise.reject(new Error('no connection')));
    await nextTurn();
    give(1, second);
    await stopped;
    await nextTurn();
    expect(second.isReleased).toBe(true);
  });
});
