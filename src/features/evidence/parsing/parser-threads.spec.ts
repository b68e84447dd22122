import { afterEach, describe, expect, it } from '@jest/globals';
import type { OrgId } from '../../../database/ids.js';
import { ParserThreadConfig } from './parser-thread.js';
import { ParserThreads } from './parser-threads.js';

/** A thread that never answers a request for a file of this name, and answers any other at once. */
const STUCK = 'stuck';
const CONFIG = new ParserThreadConfig(
  new URL(
    `data:text/javascript,${encodeURIComponent(`
      import { parentPort } from 'node:worker_threads';
      parentPort.on('message', ({ files: [{ filename }] }) => {
        if (filename === 'broken') throw new Error('broken');
        while (filename === '${STUCK}');
        parentPort.postMessage({ files: [] });
      });`)}`,
  ),
);
const [A, B, C] = ['a', 'b', 'c'] as unknown as readonly [OrgId, OrgId, OrgId];

const pools: ParserThreads[] = [];
const senders: AbortController[] = [];

function createThreads(count: number) {
  const threads = new ParserThreads(CONFIG, count);
  pools.push(threads);
  const done: string[] = [];
  /** Starts an upload. Its result is its name, or why it ended. */
  const upload = (orgId: OrgId, filename = 'quick') => {
    const sender = new AbortController();
    senders.push(sender);
    const result = threads
      .run(orgId, { files: [{ filename, content: [] }], kind: undefined }, sender.signal)
      .then(() => 'parsed')
      .catch((error: unknown) => String(error instanceof Error ? error.message : error))
      .then((outcome) => {
        done.push(`${String(orgId)} ${outcome}`);
        return outcome;
      });
    return { result, leave: () => sender.abort(new Error('left')) };
  };
  return { threads, upload, done };
}

afterEach(async () => {
  for (const sender of senders.splice(0)) sender.abort(new Error('left'));
  await Promise.all(pools.splice(0).map((threads) => threads.end()));
});

describe('the parser threads', () => {
  it('leave one to other workspaces, however many uploads of a workspace never end', async () => {
    const { threads, upload, done } = createThreads(2);
    const stuck = Array.from({ length: 3 }, () => upload(A, STUCK));
    expect(await upload(B).result).toBe('parsed');
    expect(await upload(C).result).toBe('parsed');
    expect([done, threads.load]).toEqual([['b parsed', 'c parsed'], { parsing: 1, waiting: 2 }]);
    for (const { leave } of stuck) leave();
    await Promise.all(stuck.map(({ result }) => result));
    expect(threads.load).toEqual({ parsing: 0, waiting: 0 });
  });

  it('are all used by one workspace, except the last', () => {
    const { threads, upload } = createThreads(4);
    for (let nth = 0; nth < 5; nth += 1) upload(A, STUCK);
    expect(threads.load).toEqual({ parsing: 3, waiting: 2 });
    upload(B, STUCK);
    upload(B, STUCK);
    expect(threads.load).toEqual({ parsing: 4, waiting: 3 });
  });

  it('take no further upload of a workspace while only one thread is free', async () => {
    const { threads, upload } = createThreads(3);
    upload(A, STUCK);
    const of = upload(B, STUCK);
    upload(A, STUCK);
    expect(threads.load).toEqual({ parsing: 2, waiting: 1 });
    expect(await upload(C).result).toBe('parsed');
    of.leave();
    await of.result;
    expect(threads.load).toEqual({ parsing: 2, waiting: 0 });
  });

  it('serve waiting workspaces in turns', async () => {
    const { upload, done } = createThreads(2);
    const [first] = [upload(A, STUCK), upload(B, STUCK)];
    const waiting = [upload(A), upload(A), upload(A), upload(C), upload(C)];
    first.leave();
    await Promise.all(waiting.map(({ result }) => result));
    expect(done).toEqual(['a left', 'a parsed', 'c parsed', 'a parsed', 'c parsed', 'a parsed']);
  });

  it('end what they do when the sender leaves, and serve the next upload', async () => {
    const { upload } = createThreads(2);
    const [first, second, third] = [upload(A, STUCK), upload(A, STUCK), upload(A)];
    second.leave();
    expect(await second.result).toBe('left');
    first.leave();
    expect(await first.result).toBe('left');
    expect(await third.result).toBe('parsed');
  });

  it('are replaced if they fail', async () => {
    const { threads, upload } = createThreads(2);
    expect(await upload(A, 'broken').result).toBe('broken');
    expect(await upload(A).result).toBe('parsed');
    expect(threads.load).toEqual({ parsing: 0, waiting: 0 });
  });

  it('do not begin for a sender that has left', async () => {
    const { threads } = createThreads(2);
    const left = AbortSignal.abort(new Error('left'));
    await expect(threads.run(A, { files: [], kind: undefined }, left)).rejects.toThrow('left');
    expect(threads.load).toEqual({ parsing: 0, waiting: 0 });
  });
});
