import { setTimeout as sleep } from 'node:timers/promises';
import { CiClient } from './ci-client.js';
import type { Host } from './start-github.js';

/** The release with the open gate, and the one that a failed test closes. */
export const OPEN = 'v100000.0.0';
export const CLOSED = 'v200000.0.0';

const POLICY = 'version: v1\nstages: { deployment: { requires_evidence_approval: false } }\n';
const PATIENCE_MS = 30_000;

/**
 * Installs the app, and brings one release to DEPLOYMENT and another one to a failed test. Returns the client of their
 * CI system.
 */
export async function givenReleases(host: Host, url: string, superuserUrl: string): Promise<CiClient> {
  host.repository.commit({ files: { 'sdlc.yaml': POLICY } });
  for (const title of [OPEN, CLOSED]) host.repository.milestones.create({ title });
  host.github.installApp(host.app, host.organization);
  await host.outbox.waitUntilIdle();
  const ci = await until(async () => {
    const client = await CiClient.given(url, superuserUrl, host.repository.fullName);
    return (await client.gate(CLOSED)).status === 200 && client;
  });
  await until(async () => (await ci.upload(OPEN, 'build', { failed: 0 }, 'open')).status < 300);
  await until(async () => (await ci.upload(CLOSED, 'build', { failed: 1 }, 'closed')).status < 300);
  await untilOpen(ci);
  return ci;
}

/** Waits until the gate of the open release says so. */
export const untilOpen = (ci: CiClient): Promise<true> =>
  until(async () => {
    const { status, body } = await ci.gate(OPEN);
    return status === 200 && body['can_deploy'] === true;
  });

/** Repeats the check until its result is not false. */
export async function until<T>(check: () => Promise<T | false>, patienceMs = PATIENCE_MS): Promise<T> {
  for (const deadline = Date.now() + patienceMs; Date.now() < deadline; await sleep(50)) {
    const seen = await check();
    if (seen !== false) return seen;
  }
  throw new Error('It did not come to be in time.');
}
