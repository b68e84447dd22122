import { describe, expect, it } from '@jest/globals';
import { addJobParameters } from './job-sql.js';

const QUEUE_PARAMETER = 2;
const queueOf = (of: string, kind: 'webhooks' | 'sync' = 'webhooks'): unknown =>
  addJobParameters('process-webhook', { guid: 'g' }, { queue: { kind, of } })[QUEUE_PARAMETER];

describe('the queue of a job', () => {
  it('is the same for the same work on the same thing', () => {
    expect(queueOf('4711')).toBe(queueOf('4711'));
    expect(queueOf('4711')).toMatch(/^webhooks-\d+$/);
  });

  it('is never shared by different kinds of work', () => {
    expect(queueOf('4711', 'sync')).toMatch(/^sync-\d+$/);
  });

  it('is one of sixteen, however many things there are', () => {
    const queues = new Set(Array.from({ length: 2_000 }, (_, of) => queueOf(String(of))));
    expect(queues.size).toBe(16);
  });

  it('is none where none was asked for', () => {
    expect(addJobParameters('upkeep', {}, {})[QUEUE_PARAMETER]).toBeNull();
  });
});
