import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { publishedSchema } from './mcp-server-factory.js';

const SCHEMA = z.strictObject({ page: z.int().default(1) });
const TARGET = { target: 'draft-2020-12' } as const;

describe('a published schema', () => {
  it('has the forms of the schema itself without their dialect, each created once', () => {
    const { jsonSchema: own } = SCHEMA['~standard'];
    const { jsonSchema: stored } = publishedSchema(SCHEMA)['~standard'];
    for (const side of ['input', 'output'] as const) {
      const { $schema, ...form } = own[side](TARGET);
      expect([$schema, stored[side](TARGET)]).toEqual(['https://json-schema.org/draft/2020-12/schema', form]);
      expect(stored[side](TARGET)).toBe(stored[side](TARGET));
    }
    expect(stored.input(TARGET)).not.toEqual(stored.output(TARGET));
    const { $schema: _, ...earlier } = own.input({ target: 'draft-07' });
    expect(stored.input({ target: 'draft-07' })).toEqual(earlier);
  });

  it('leaves the check of the arguments to the tool', async () => {
    const { validate } = publishedSchema(SCHEMA)['~standard'];
    expect(await validate({ more: true })).toEqual({ value: { more: true } });
  });
});
