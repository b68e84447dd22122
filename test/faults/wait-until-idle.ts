import type { TestEnvironment } from '../support/test-environment.js';

const TRIES = 20;

/** Waits until the service is idle, for longer than a test of one repository does. */
export async function waitUntilIdle(env: TestEnvironment): Promise<void> {
  for (let tries = 1; tries < TRIES; tries += 1) {
    try {
      await env.waitUntilIdle();
      return;
    } catch {
      // Not idle yet, so it tries again.
    }
  }
  await env.waitUntilIdle();
}
