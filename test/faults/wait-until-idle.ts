import type { TestEnvironment } from '../support/test-environment.js';

const TRIES = 20;

/** Waits until the service is at rest, for longer than a test of one repository would. */
export async function waitUntilIdle(env: TestEnvironment): Promise<void> {
  for (let tries = 1; tries < TRIES; tries += 1) {
    try {
      await env.waitUntilIdle();
      return;
    } catch {
      // It is given another while.
    }
  }
  await env.waitUntilIdle();
}
