import { describe, expect, it } from '@jest/globals';
import { stoppedWaiting } from '../github/transport/github-error.js';
import { SingleFlight } from './single-flight.js';

describe('SharedWork', () => {
  it('is done once for all who ask while it is under way, and anew for who asks later', async () => {
    const work = new SingleFlight<number>();
    let count = 0;
    const next = async (): Promise<number> => (count += 1);
    await expect(Promise.all([work.run('a', next), work.run('a', next), work.run('b', next)])).resolves.toEqual([
      1, 1, 2,
    ]);
    await expect(work.run('a', next)).resolves.toBe(3);
  });

  it('goes on for the others when one gives up', async () => {
    const work = new SingleFlight<string>(stoppedWaiting);
    let finish: (value: string) => void = () => undefined;
    const slow = () => new Promise<string>((resolve) => (finish = resolve));
    const giver = new AbortController();
    const given = work.run('a', slow, giver.signal);
    const kept = work.run('a', slow, new AbortController().signal);
    giver.abort();
    await expect(given).rejects.toMatchObject({ kind: 'timeout' });
    finish('done');
    await expect(kept).resolves.toBe('done');
  });

  it('refuses at once who gave up before', async () => {
    const work = new SingleFlight<string>(stoppedWaiting);
    const never = () => new Promise<string>(() => undefined);
    await expect(work.run('a', never, AbortSignal.abort())).rejects.toMatchObject({ kind: 'timeout' });
  });

  it('fails for all who wait, and is tried again for the next', async () => {
    const work = new SingleFlight<string>();
    const fail = () => Promise.reject(new Error('no'));
    const both = await Promise.allSettled([work.run('a', fail), work.run('a', fail)]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(work.run('a', () => Promise.resolve('yes'))).resolves.toBe('yes');
  });
});
