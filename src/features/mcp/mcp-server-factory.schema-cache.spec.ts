import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { publishedSchema } from './mcp-server-factory.js';

const SCHEMA = z.strictObject({ page: z.int().default(1) });
const TARGET = { target: 'draft-2020-12' } as const;

describe('a published schema', () => {
  it('has the forms of the schema itself, each created once', () => {
    const { jsonSchema: own } = SCHEMA['~standard'];
    const { jsonSchema: stored } = publishedSchema(SCHEMA)['~standard'];
    for (const side of ['input', 'output'] as const) {
      expect(stored[side](TARGET)).toEqual(own[side](TARGET));
      expect(stored[side](TARGET)).toBe(stored[side](TARGET));
    }
    expect(stored.input(TARGET)).not.toEqual(stored.output(TARGET));
    expect(stored.input({ target: 'draft-07' })).toEqual(own.input({ target: 'draft-07' }));
  });

  it('leaves the check of the arguments to the tool', async () => {
    const { validate } = publishedSchema(SCHEMA)['~standard'];
    expect(await validate({ more: true })).toEqual({ value: { more: true } });
  });
});
