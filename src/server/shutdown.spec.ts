import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { connect } from 'node:net';
import { startProbeApp } from '../../test/support/probe-app.js';
import { createLineLogger } from '../observability/logger.js';
import { StartupAbortedError, type ShutdownStep, runUntilSignal, runInParallel } from './shutdown.js';

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

type Start = Parameters<typeof runUntilSignal>[0];

const started =
  (...shutdown: readonly ShutdownStep[]): Start =>
  () =>
    Promise.resolve({ shutdown });

/** Starts a service as a process does, and returns that process. */
function processThat(start: Start): FakeProcess {
  const target = new FakeProcess();
  runUntilSignal(start, log, target).catch(() => undefined);
  return target;
}

describe('a signal', () => {
  it.each(['SIGINT', 'SIGTERM'])('%s stops one part after the other and exits with 0', async (signal) => {
    const order: string[] = [];
    const slow = async (): Promise<void> => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      order.push('http');
    };
    const http = step('http', slow);
    const target = processThat(
      started(
        http,
        step('database', async () => void order.push('database')),
      ),
    );
    target.emit(signal);
    expect(await target.exited).toBe(0);
    expect(order).toEqual(['http', 'database']);
  });

  it('stops the remaining parts if one fails or takes too long, and exits with 1', async () => {
    const order: string[] = [];
    const target = processThat(
      started(
        step('failing', () => Promise.reject(new Error('no'))),
        step('hanging', () => new Promise(() => undefined), 20),
        step('database', async () => void order.push('database')),
      ),
    );
    target.emit('SIGTERM');
    expect(await target.exited).toBe(1);
    expect(order).toEqual(['database']);
  });

  it('stops the started parts after the startup if the signal arrives during the startup', async () => {
    const order: string[] = [];
    const database = step('database', async () => void order.push('stopped'));
    const target = processThat(
      () =>
        new Promise((resolve) => {
          setTimeout(() => {
            order.push('started');
            resolve({ shutdown: [database] });
          }, 20);
        }),
    );
    target.emit('SIGTERM');
    expect(await target.exited).toBe(0);
    expect(order).toEqual(['started', 'stopped']);
  });

  it.each([
    ['exits with 0', async () => undefined, 0],
    ['exits with 1 if this fails', () => Promise.reject(new Error('no')), 1],
  ])('aborts the startup, stops its started parts and %s', async (_, stop, code) => {
    const stopped: string[] = [];
    const begun = [step('database', stop), step('server', async () => void stopped.push('server'))];
    const target = processThat(
      (stopping) =>
        new Promise((_resolve, reject) => {
          const giveUp = (): void => reject(new StartupAbortedError(begun, { cause: stopping.reason }));
          stopping.addEventListener('abort', giveUp);
        }),
    );
    target.emit('SIGTERM');
    expect(await target.exited).toBe(code);
    expect(stopped).toEqual(['server']);
  });

  it('has nothing to stop if the startup fails', async () => {
    const target = processThat(() => Promise.reject(new Error('the port is taken')));
    target.emit('SIGINT');
    expect(await target.exited).toBe(0);
  });

  it('ignores a second signal that repeats the first one at once', async () => {
    const slow = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50));
    const target = processThat(started(step('http', slow)));
    target.emit('SIGINT');
    target.emit('SIGINT');
    expect(await target.exited).toBe(0);
    expect(target.codes).toEqual([0]);
  });

  it('exits at once after a second signal', async () => {
    const target = processThat(started(step('hanging', () => new Promise(() => undefined), 50)));
    target.emit('SIGTERM');
    target.emit('SIGINT');
    expect(await target.exited).toBe(1);
    expect(target.codes).toEqual([1]);
  });
});

describe('runUntilSignal', () => {
  it('returns the started service', async () => {
    const service = { shutdown: [], url: 'http://127.0.0.1' };
    expect(await runUntilSignal(() => Promise.resolve(service), log, new FakeProcess())).toBe(service);
  });

  it('rejects with the error of the startup', async () => {
    const failure = new Error('the port is taken');
    await expect(runUntilSignal(() => Promise.reject(failure), log, new FakeProcess())).rejects.toBe(failure);
  });
});

describe('runInParallel', () => {
  it('stops all parts at the same time, also if one fails', async () => {
    const order: string[] = [];
    const http = step('http', async () => void order.push('http'), 20);
    const failing = step('failing', () => Promise.reject(new Error('no')), 10);
    const slow = step('slow', async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      order.push('slow');
    });
    const all = runInParallel('all', [http, failing, slow]);
    expect(all.timeoutMs).toBe(1_000);
    await expect(all.stop()).rejects.toThrow('no');
    expect(order).toEqual(['http', 'slow']);
  });
});

describe('the http shutdown', () => {
  it('answers a late request on a connection that was accepted before', async () => {
    const probe = await startProbeApp();
    const late = connect(probe.port, '127.0.0.1');
    await new Promise((resolve) => late.once('connect', resolve));
    // The service has accepted the connection when it has answered another one.
    await (await fetch(`${probe.url}/probe/page`)).json();
    const stopped = probe.shutdown.stop();
    await new Promise((resolve) => setTimeout(resolve, 200));
    late.write('GET /probe/page HTTP/1.1\r\nhost: probe\r\n\r\n');
    const answer = await new Promise<string>((resolve, reject) => {
      late.once('data', (data: Buffer) => resolve(data.toString()));
      late.once('error', reject);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    await stopped;
  });

  it('finishes requests in flight, accepts no new ones and does not wait for idle connections', async () => {
    const probe = await startProbeApp();
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
    // Keep-alive is longer than a minute, so the shutdown did not wait for the idle connection.
    expect(performance.now() - started).toBeLessThan(30_000);
    await expect(fetch(`${probe.url}/probe/page`)).rejects.toThrow('fetch failed');
  });
});
