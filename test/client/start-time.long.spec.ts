import { statSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { BARE_NODE, CommandUsage, MEGABYTE } from '../../bench/client/command-usage.js';
import { buildClient, clientCommand, removeClient } from './client-process.js';

const ROUNDS = 7;
/** The CPU time of bare Node on the computer of `docs/performance.md`. Each target is relative to it, because computers differ. */
const BARE_CPU_MS = 30;

beforeAll(buildClient);
afterAll(removeClient);

it('the commands start within their share of the CPU time of bare Node', async () => {
  const [, bundle = ''] = clientCommand();
  expect(statSync(bundle).size).toBeLessThanOrEqual(2 * MEGABYTE);
  const usage = await CommandUsage.measure(bundle, ROUNDS);
  const least = (name: string): number => Math.min(...usage.of(name, 'cpuMs'));
  const bare = least(BARE_NODE);
  const tooSlow = usage.commands.flatMap(({ name, targetCpuMs }) => {
    const [ratio, allowed] = [least(name) / bare, 1 + (targetCpuMs ?? Number.POSITIVE_INFINITY) / BARE_CPU_MS];
    return ratio <= allowed ? [] : [`${name}: ${ratio.toFixed(1)} times bare Node, at most ${allowed.toFixed(1)}`];
  });
  expect(tooSlow).toEqual([]);
});
