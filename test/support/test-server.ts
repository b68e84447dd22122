/** The Postgres server of the run. Jest's workers read it from their environment. */
export interface TestServer {
  readonly superuserUrl: string;
  readonly runtimeUrl: string;
  readonly migrationUrl: string;
}

/** The migrated database that tests clone and never change. */
export const TEMPLATE_DATABASE = 'shipgate_template';

const VARIABLE = 'SHIPGATE_TEST_SERVER';

export function setTestServer(server: TestServer): void {
  process.env[VARIABLE] = JSON.stringify(server);
}

export function testServer(): TestServer {
  const handed = process.env[VARIABLE];
  if (handed === undefined) {
    throw new Error('No test server: Jest has to run with test/support/jest-global-setup.mjs as its globalSetup.');
  }
  return JSON.parse(handed) as TestServer;
}
