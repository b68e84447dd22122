import { describe, expect, it } from '@jest/globals';
import { Injectable, Module, type Type } from '@nestjs/common';
import { DiscoveryModule, NestFactory } from '@nestjs/core';
import { JOB_NAMES, type JobName, type JobPayload } from './job.js';
import { JobHandler, JobHandlers, type JobRun } from './job-handlers.js';

const ran: string[] = [];

@Injectable()
class ReleaseJobs {
  private readonly name = 'releases';

  @JobHandler('refresh-release')
  async refresh({ releaseId }: JobPayload<'refresh-release'>, { isLastAttempt }: JobRun): Promise<void> {
    ran.push(`${this.name} ${releaseId} ${isLastAttempt}`);
  }
}

/** Handles every job that `ReleaseJobs` does not. */
@Injectable()
class OtherJobs {
  async handle(): Promise<void> {}
}
for (const name of JOB_NAMES.filter((job) => job !== 'refresh-release')) {
  const descriptor = { value: async (): Promise<void> => {}, configurable: true };
  JobHandler(name)(OtherJobs.prototype, name, descriptor);
  Object.defineProperty(OtherJobs.prototype, name, descriptor);
}

@Injectable()
class SecondJobs {
  @JobHandler('refresh-release')
  async again(): Promise<void> {}
}

async function start(providers: readonly Type[]): Promise<ReadonlyMap<JobName, (...run: never[]) => Promise<void>>> {
  @Module({ imports: [DiscoveryModule], providers: [JobHandlers, ...providers] })
  class JobsTestModule {}
  const application = await NestFactory.createApplicationContext(JobsTestModule, {
    logger: false,
    abortOnError: false,
  });
  try {
    return new Map(application.get(JobHandlers).entries());
  } finally {
    await application.close();
  }
}

describe('the handlers of jobs', () => {
  it('are found in the providers and run with their instance', async () => {
    const handlers = await start([ReleaseJobs, OtherJobs]);
    expect([...handlers.keys()].toSorted()).toEqual(JOB_NAMES.toSorted());
    await handlers.get('refresh-release')?.({ releaseId: 'r1' } as never, { isLastAttempt: true } as never);
    expect(ran).toEqual(['releases r1 true']);
  });

  it('stop the start if a job has none', async () => {
    await expect(start([OtherJobs])).rejects.toThrow('No method has @JobHandler for: refresh-release.');
  });

  it('stop the start if a job has two', async () => {
    await expect(start([ReleaseJobs, OtherJobs, SecondJobs])).rejects.toThrow(
      'The job "refresh-release" has a second handler: SecondJobs.again.',
    );
  });

  it('must be named after a job and take its payload', () => {
    class Wrong {
      // @ts-expect-error No job has this name.
      @JobHandler('refresh-everything')
      async refresh(): Promise<void> {}

      // @ts-expect-error The payload of this job has no number.
      @JobHandler('refresh-release')
      async release({ number }: { readonly number: number }): Promise<void> {
        ran.push(String(number));
      }
    }
    expect(Wrong.name).toBe('Wrong');
  });
});
