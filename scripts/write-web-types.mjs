// Writes the types of the API for the dashboard, from the OpenAPI document of a running service. With --check it only compares them.
// npm run web:types -- http://localhost:3000
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import openapiTS, { astToString } from 'openapi-typescript';

const FILE = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../web/src/api/schema.gen.ts');

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
  return `// Generated from the OpenAPI document by \`npm run web:types\`. Do not edit.\n${astToString(
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

const args = process.argv.slice(2);
const url = new URL('/api/openapi.json', args.find((arg) => !arg.startsWith('--')) ?? 'http://localhost:3000');
const response = await fetch(url);
if (!response.ok) throw new Error(`${url} answered ${response.status}.`);
const types = await webTypes(await response.json());
if (!args.includes('--check')) writeFileSync(FILE, types);
else if (readFileSync(FILE, 'utf8') !== types) {
  console.error('web/src/api/schema.gen.ts is outdated. Start the service and run `npm run web:types`.');
  process.exitCode = 1;
}
