// Writes the types of the API for the dashboard, from the OpenAPI document of a running service.
// npm run web:types -- http://localhost:3000
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { webTypes } from './web-types.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const url = new URL('/api/openapi.json', process.argv[2] ?? 'http://localhost:3000');
const response = await fetch(url);
if (!response.ok) throw new Error(`${url} answered ${response.status}.`);
writeFileSync(path.join(root, 'web/src/api/schema.gen.ts'), await webTypes(await response.json()));
