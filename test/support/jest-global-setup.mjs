import './typescript.mjs';

/** Starts the run's Postgres server; Jest keeps this process, so what the teardown needs waits in its global. */
// oxlint-disable-next-line import/no-default-export -- the one export that Jest takes
export default async function setUp() {
  const { publishRsaKeys } = await import('../github-sim/rsa-keys.ts');
  const { startTestServer } = await import('./test-server-start.ts');
  [globalThis.stopTestServer] = await Promise.all([startTestServer(), publishRsaKeys()]);
}
