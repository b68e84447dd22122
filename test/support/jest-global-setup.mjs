import './typescript.mjs';

/** Starts the Postgres server of the run. Jest keeps this process, so the teardown finds the server in a global variable. */
// oxlint-disable-next-line import/no-default-export -- the one export that Jest takes
export default async function setUp() {
  const { publishRsaKeys } = await import('../github-sim/rsa-keys.ts');
  const { startTestServer } = await import('./test-server-start.ts');
  const { CHROMIUM } = await import('../browser/chromium.ts');
  if (CHROMIUM === null) {
    process.stderr.write(
      '\nNo Chromium was found, so the tests in a browser are skipped. Name one in the variable CHROMIUM.\n',
    );
  }
  [globalThis.stopTestServer] = await Promise.all([startTestServer(), publishRsaKeys()]);
}
