/** The run's Postgres server, as each of Jest's workers learns of it: by its environment. */
export interface TestServer {
  readonly superuserUrl: string;
  readonly runtimeUrl: string;
  readonly migrationUrl: string;
}

/** The migrated database that is cloned and otherwise left alone. */
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
