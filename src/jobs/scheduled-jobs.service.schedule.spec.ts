import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, jest } from '@jest/globals';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ScheduleModule, SchedulerRegistry } from '@nestjs/schedule';
import { readTestEnvironment } from '../../test/support/read-test-environment.js';
import { ENVIRONMENT } from '../config/environment.js';
import { JobsService } from './jobs.service.js';
import { scheduledJobs, ScheduledJobsService } from './scheduled-jobs.service.js';

const environment = readTestEnvironment({});
const JOBS = Object.keys(scheduledJobs(environment)).length;

const enqueueScheduled = jest.fn(() => Promise.resolve());

@Module({
  imports: [ScheduleModule.forRoot()],
  providers: [
    ScheduledJobsService,
    { provide: JobsService, useValue: { enqueueScheduled } },
    { provide: ENVIRONMENT, useValue: environment },
  ],
})
class SchedulingModule {}

it('enqueues all scheduled jobs at the start, and five seconds into each minute', async () => {
  const application = await NestFactory.createApplicationContext(SchedulingModule, { logger: false });
  try {
    await sleep(10);
    expect(enqueueScheduled).toHaveBeenCalledTimes(JOBS);
    const schedules = [...application.get(SchedulerRegistry).getCronJobs().values()];
    expect(schedules.map(({ cronTime, isActive }) => [cronTime.source, isActive])).toEqual([['5 * * * * *', true]]);
    await schedules[0]?.fireOnTick();
    await sleep(10);
    expect(enqueueScheduled).toHaveBeenCalledTimes(2 * JOBS);
  } finally {
    await application.close();
  }
});
