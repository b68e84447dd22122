// Writes migrations/schema.sql: the schema of a database on which all migrations ran.
import '../../test/support/typescript.mjs';
import { writeFileSync } from 'node:fs';

const { dumpSchema } = await import('../../test/support/schema-dump.ts');
const { startTestServer } = await import('../../test/support/test-server-start.ts');
const { testServer } = await import('../../test/support/test-server.ts');

const stop = await startTestServer();
try {
  writeFileSync(new URL('../../migrations/schema.sql', import.meta.url), await dumpSchema(testServer().superuserUrl));
} finally {
  await stop();
}
