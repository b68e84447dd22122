import { describe, expect, it } from '@jest/globals';
import { queueName } from './job.js';
import { addJobParameters } from './jobs.service.js';

const QUEUE_PARAMETER = 2;

describe('the queue of a job', () => {
  it('is the same for the same work on the same thing', () => {
    expect(queueName({ kind: 'webhooks', of: '4711' })).toBe(queueName({ kind: 'webhooks', of: '4711' }));
    expect(queueName({ kind: 'webhooks', of: '4711' })).toMatch(/^webhooks-\d+$/);
  });

  it('is never shared by different kinds of work', () => {
    expect(queueName({ kind: 'sync', of: '4711' })).toMatch(/^sync-\d+$/);
  });

  it('is one of sixteen, however many things there are', () => {
    const queues = new Set(Array.from({ length: 2_000 }, (_, of) => queueName({ kind: 'webhooks', of })));
    expect(queues.size).toBe(16);
  });

  it('is none where none was asked for', () => {
    expect(addJobParameters('delete-expired-data', {})[QUEUE_PARAMETER]).toBeNull();
  });
});
