import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { connect } from 'node:net';
import { startProbe } from '../../test/support/probe-app.js';
import { createLineLogger } from '../observability/logger.js';
import { type ShutdownStep, stopOnSignals } from './shutdown.js';

const log = createLineLogger('silent', { write: () => undefined });

class FakeProcess extends EventEmitter {
  readonly exited: Promise<number>;
  readonly codes: number[] = [];
  exit: (code: number) => void;

  constructor() {
    super();
    this.exited = new Promise((resolve) => {
      this.exit = (code) => {
        this.codes.push(code);
        resolve(code);
      };
    });
  }
}

const step = (name: string, stop: () => Promise<void>, timeoutMs = 1_000): ShutdownStep => ({ name, stop, timeoutMs });

describe('a signal', () => {
  it.each(['SIGINT', 'SIGTERM'])('%s stops one part after the other and exits with 0', async (signal) => {
    const target = new FakeProcess();
    const order: string[] = [];
    const slow = async (): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      order.push('http');
    };
    stopOnSignals([step('http', slow), step('database', async () => void order.push('database'))], log, target);
    target.emit(signal);
    expect(await target.exited).toBe(0);
    expect(order).toEqual(['http', 'database']);
  });

  it('stops what is left where one part fails or takes too long, and says so by its code', async () => {
    const target = new FakeProcess();
    const order: string[] = [];
    stopOnSignals(
      [
        step('failing', () => Promise.reject(new Error('no'))),
        step('hanging', () => new Promise(() => undefined), 20),
        step('database', async () => void order.push('database')),
      ],
      log,
      target,
    );
    target.emit('SIGTERM');
    expect(await target.exited).toBe(1);
    expect(order).toEqual(['database']);
  });

  it('that is the second one exits at once', async () => {
    const target = new FakeProcess();
    stopOnSignals([step('hanging', () => new Promise(() => undefined), 50)], log, target);
    target.emit('SIGTERM');
    target.emit('SIGINT');
    expect(await target.exited).toBe(1);
    expect(target.codes).toEqual([1]);
  });
});

describe('stopping http', () => {
  it('finishes what is in flight, takes nothing new and waits for no idle connection', async () => {
    const probe = await startProbe();
    const idle = connect(probe.port, '127.0.0.1');
    idle.on('error', () => undefined);
    await new Promise((resolve) => idle.once('connect', resolve));
    await (await fetch(`${probe.url}/probe/page`)).json();
    const inFlight = fetch(`${probe.url}/probe/slow`);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const started = performance.now();
    const stopped = probe.shutdown.stop();
    const response = await inFlight;
    expect([response.status, await response.json()]).toEqual([200, { done: true }]);
    await stopped;
    expect(performance.now() - started).toBeLessThan(2_000);
    await expect(fetch(`${probe.url}/probe/page`)).rejects.toThrow('fetch failed');
  });
});
