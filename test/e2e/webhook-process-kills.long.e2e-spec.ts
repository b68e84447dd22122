import { beforeAll, expect, it } from '@jest/globals';
import { BuiltService } from '../contract/built-service.js';
import { killService, killWithoutInbox } from '../faults/kill-cycles.js';

const CYCLES = 4;

beforeAll(() => BuiltService.build(), 120_000);

it('acknowledged deliveries survive the processes that received them, and are processed once', async () => {
  const report = await killService(CYCLES);
  expect(report).toMatchObject({ lost: 0, doubled: 0 });
  expect(report.acknowledged).toBeGreaterThan(CYCLES);
}, 240_000);

it('a service without an inbox loses some', async () => {
  expect((await killWithoutInbox(CYCLES)).lost).toBeGreaterThan(0);
});
