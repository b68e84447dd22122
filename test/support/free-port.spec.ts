import { expect, it } from '@jest/globals';
import { freePort } from './free-port.js';

it('returns each port to one caller, although no process listens on it yet', async () => {
  const ports: number[] = [];
  while (ports.length < 400) ports.push(await freePort());
  expect(new Set(ports).size).toBe(ports.length);
});
