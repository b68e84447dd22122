// Writes web/src/api/schema.gen.ts: the types of the API for the dashboard, from the OpenAPI document. With --check it only compares them.
// The document needs a build, which adds the comments of the sources to the code, but neither a database nor a started service.
import '../ensure-built.mjs';
import { EventEmitter } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';
import { pino } from 'pino';

const FILE = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../web/src/api/schema.gen.ts');

/** The type of all error bodies. Each operation of the document repeats it with its own examples. */
const ERROR = {
  description: 'The request failed.',
  content: {
    'application/json': {
      schema: { type: 'object', required: ['error'], properties: { error: { type: 'string' } } },
    },
  },
};

/**
 * Returns the TypeScript types of the routes below `/api` for the dashboard. They contain one error response for each operation, and no
 * headers and examples, which would make them three times as long.
 */
async function webTypes(original) {
  const document = structuredClone(original);
  const paths = Object.entries(document.paths).filter(([path]) => path.startsWith('/api/'));
  const reduced = {
    ...document,
    paths: Object.fromEntries(paths.map(([path, item]) => [path, withoutDetails(item)])),
  };
  return `// Generated from the OpenAPI document by \`npm run generate -- web-types\`. Do not edit.\n${astToString(
    await openapiTS(reduced, { alphabetize: true }),
  )}`;
}

const METHODS = new Set(['get', 'put', 'post', 'delete', 'patch']);

const withoutDetails = (item) =>
  Object.fromEntries(
    Object.entries(item).map(([method, value]) =>
      METHODS.has(method) ? [method, reduceOperation(value)] : [method, value],
    ),
  );

function reduceOperation({ responses, ...operation }) {
  const successful = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  for (const [, response] of successful) delete response.headers;
  return {
    ...operation,
    responses: {
      ...Object.fromEntries(successful),
      default: ERROR,
    },
  };
}

/** Returns the OpenAPI document of the built service. */
async function apiDocument() {
  const load = (file) => import(new URL(`../../dist/src/${file}`, import.meta.url));
  await import('reflect-metadata');
  const { readEnvironment } = await load('config/read-environment.js');
  const { createApp } = await load('http/app.factory.js');
  const { AppModule } = await load('server/app.module.js');
  const { ApiDocsService } = await load('features/web/api-docs/api-docs.service.js');
  const environment = readEnvironment({ SESSION_SECRET: 'x'.repeat(32), ENCRYPTION_KEYS: `x:${'A'.repeat(43)}=` });
  // The app is never initialized, so nothing connects. A constructor listens to the pool.
  const app = await createApp(
    AppModule.of({ database: { pool: new EventEmitter() } }),
    environment,
    pino({ level: 'warn' }),
  );
  return app.get(ApiDocsService).document;
}

const types = await webTypes(await apiDocument());
if (!process.argv.includes('--check')) writeFileSync(FILE, types);
else if (readFileSync(FILE, 'utf8') !== types) {
  console.error('web/src/api/schema.gen.ts is outdated. Run `npm run generate -- web-types`.');
  process.exitCode = 1;
}
