import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, jest } from '@jest/globals';
import { Logger, Module } from '@nestjs/common';
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

it('enqueues nothing more and reports no job once the application closes, because its database is closed next', async () => {
  const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
  const application = await NestFactory.createApplicationContext(SchedulingModule, { logger: false });
  await sleep(10);
  enqueueScheduled.mockClear();
  const service = application.get(ScheduledJobsService);
  enqueueScheduled.mockImplementationOnce(async () => {
    await application.close();
    throw new Error('the database is closed');
  });
  await service.enqueueDue();
  expect([enqueueScheduled.mock.calls.length, warn.mock.calls]).toEqual([1, []]);
  warn.mockRestore();
});
