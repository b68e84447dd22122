import { describe, expect, it } from '@jest/globals';
import { queueName } from './job.js';
import { addJobParameters } from './jobs.service.js';

const QUEUE_PARAMETER = 2;

describe('queueName', () => {
  it('is the same for the same work on the same object', () => {
    expect(queueName({ kind: 'webhooks', of: '4711' })).toBe(queueName({ kind: 'webhooks', of: '4711' }));
    expect(queueName({ kind: 'webhooks', of: '4711' })).toMatch(/^webhooks-\d+$/);
  });

  it('is different for different kinds of work', () => {
    expect(queueName({ kind: 'sync', of: '4711' })).toMatch(/^sync-\d+$/);
  });

  it('is one of sixteen for any number of objects', () => {
    const queues = new Set(Array.from({ length: 2_000 }, (_, of) => queueName({ kind: 'webhooks', of })));
    expect(queues.size).toBe(16);
  });

  it('is null if the job has no queue', () => {
    expect(addJobParameters('delete-expired-data', {})[QUEUE_PARAMETER]).toBeNull();
  });
});
