import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Document, Ruleset, Spectral } from '@stoplight/spectral-core';
import parsers from '@stoplight/spectral-parsers';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { BuiltService } from './built-service.js';
import { OPENAPI_RULESET } from './openapi-ruleset.js';

const PATIENCE_MS = 240_000;

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Formats of limited length. */
const BOUNDED_FORMATS: ReadonlySet<string> = new Set(['uuid', 'date', 'date-time']);

let database: TestDatabase;
let service: BuiltService;
let text: string;

beforeAll(async () => {
  BuiltService.build();
  database = await createTestDatabase();
  service = await BuiltService.start({
    DATABASE_URL: database.appUrl,
    DATABASE_MIGRATION_URL: database.ownerUrl,
    BASE_URL: 'https://shipgate.example',
  });
  text = await (await fetch(`${service.url}/api/openapi.json`)).text();
}, PATIENCE_MS);
afterAll(async () => {
  await service.stop();
  await database.drop();
});

it('gives every field of a request a limit', () => {
  const { paths, components } = JSON.parse(text) as ApiDocument;
  const unlimited: string[] = [];
  const visit = (schema: Schema, where: string, within: readonly string[]): void => {
    const { $ref: ref } = schema;
    if (ref !== undefined) {
      const named = components.schemas[ref.slice('#/components/schemas/'.length)];
      if (!named) throw new TypeError(`There is no ${ref}.`);
      if (!within.includes(ref)) visit(named, where, [...within, ref]);
      return;
    }
    const parts = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
    for (const part of parts) visit(part, where, within);
    if (!isLimited(schema, parts.length > 0)) unlimited.push(where);
    if (schema.items) visit(schema.items, `${where}[]`, within);
    for (const [name, member] of Object.entries(schema.properties ?? {})) visit(member, `${where}.${name}`, within);
  };
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, { parameters = [], requestBody }] of Object.entries(operations)) {
      for (const { name, in: place, schema } of parameters) visit(schema, `${method} ${path} ${place} ${name}`, []);
      for (const { schema } of Object.values(requestBody?.content ?? {})) visit(schema, `${method} ${path} body`, []);
    }
  }
  expect(unlimited).toEqual([]);
});

/**
 * Whether the length of a value is limited. The members of an object without a list of members are limited by the route
 * and by the size of the body.
 */
function isLimited(schema: Schema, isComposed: boolean): boolean {
  if (schema.enum !== undefined || schema.const !== undefined) return true;
  const types = [schema.type ?? []].flat();
  if (types.length === 0) return isComposed;
  return types.every((type) => {
    if (type === 'string') {
      return schema.maxLength !== undefined || schema.pattern !== undefined || BOUNDED_FORMATS.has(schema.format ?? '');
    }
    if (type === 'integer' || type === 'number') return schema.minimum !== undefined && schema.maximum !== undefined;
    return type === 'array' ? schema.maxItems !== undefined : true;
  });
}

it(
  'follows the rules of OWASP, except those that are excluded with a reason',
  async () => {
    const spectral = new Spectral();
    spectral.setRuleset(new Ruleset(OPENAPI_RULESET));
    const found = await spectral.run(new Document(text, parsers.Json, 'openapi.json'));
    expect(found.map(({ code, path, message }) => `${code}: ${path.join('.')}: ${message}`)).toEqual([]);
  },
  PATIENCE_MS,
);

it('is the document from which the types of the dashboard were generated', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/generate.mjs', 'web-types', '--check'], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});
