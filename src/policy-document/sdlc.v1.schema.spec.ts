import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { DEFAULT_VALUES, POLICY_KEYS } from '../domain/policy/policy-fields.js';
import { PATTERNS, type PolicySchema } from './policy-schema.js';
import { SDLC_V1_SCHEMA } from './sdlc.v1.schema.js';

/** Every schema in the document by its path. */
function schemas(schema: PolicySchema, path = ''): readonly (readonly [string, PolicySchema])[] {
  const inner = Object.entries(schema.properties ?? {}).flatMap(([key, child]) =>
    schemas(child, path === '' ? key : `${path}.${key}`),
  );
  return [[path, schema], ...inner, ...(schema.items === undefined ? [] : schemas(schema.items, `${path}[]`))];
}

const ALL = schemas(SDLC_V1_SCHEMA);
const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, formats: { date: true } });

describe('the published schema', () => {
  it('is valid by draft 2020-12', () => {
    expect(ajv.validateSchema(SDLC_V1_SCHEMA)).toBe(true);
  });

  it('has one key for each value of the policy, and the version', () => {
    const leaves = ALL.filter(([path, schema]) => !path.includes('[]') && schema.properties === undefined).map(
      ([path]) => path,
    );
    expect(leaves.toSorted()).toEqual(['version', ...POLICY_KEYS].toSorted());
  });

  it('states the defaults that the policy has', () => {
    const defaults = Object.fromEntries(
      ALL.flatMap(([path, schema]) => (schema.default === undefined ? [] : [[path, schema.default]])),
    );
    const expected = POLICY_KEYS.map((key) => [key, DEFAULT_VALUES[key]] as const).filter(
      ([, value]) => value !== null,
    );
    // The document contains times with their units.
    expect(defaults).toEqual({ ...Object.fromEntries(expected), 'stages.deployment.hold.for': '24h' });
  });

  it('is unchanged by JSON', () => {
    expect(JSON.parse(JSON.stringify(SDLC_V1_SCHEMA))).toEqual(SDLC_V1_SCHEMA);
  });

  describe.each(ALL)('%s', (_path, schema) => {
    it('has a title and a sentence of description', () => {
      expect(schema.title).toMatch(/^\S.*\S$/);
      expect(schema.description).toMatch(/^[A-Z`].*\.$/s);
    });

    it('limits every value', () => {
      const types = [schema.type ?? []].flat();
      if (types.includes('object')) expect(schema.additionalProperties).toBe(false);
      if (types.includes('array')) expect(schema.maxItems).toBeLessThanOrEqual(100);
      if (types.includes('number') || types.includes('integer'))
        expect([typeof schema.minimum, typeof schema.maximum]).toEqual(['number', 'number']);
      if (types.includes('string') && schema.enum === undefined && schema.format === undefined) {
        expect(schema.maxLength).toBeLessThanOrEqual(255);
        expect(Object.values(PATTERNS).map(({ pattern }) => pattern)).toContain(schema.pattern);
      }
      if (types.length === 0) expect(schema.const).toBe('v1');
    });

    it('allows its own default and examples', () => {
      const validate = new Ajv2020({ allowUnionTypes: true, formats: { date: true } }).compile(schema);
      for (const value of [...(schema.examples ?? []), ...(schema.default === undefined ? [] : [schema.default])]) {
        expect(validate(value)).toBe(true);
      }
    });
  });

  it.each([
    [
      'line',
      ['a', 'year end', 'Überweisung 🚀', '👩‍💻'],
      ['', ' a', 'a ', 'a\nb', 'a\u0000', '\uD800', 'a\u202Eb', '\u0085', 'a\u2066'],
    ],
    ['slug', ['release-managers', 'a_b', '1'], ['', 'A', 'a b', 'a/b', 'ä', 'a\n']],
    ['event', ['push', 'pull_request_target'], ['', 'Push', 'pull-request', '_a', 'a_', 'a__b']],
    [
      'branch',
      ['main', 'release/v1', 'ä'],
      ['', '/a', 'a/', 'a//b', 'a b', 'a*', 'a?', 'a~1', 'a^', 'a:b', 'a[', 'a\\b', 'a\n'],
    ],
    ['branchPattern', ['release/**', 'v?', '*'], ['', '/a', 'a/', 'a b', '[ab]', 'a\n', 'a\\*']],
  ] as const)('%s accepts and rejects', (name, yes, no) => {
    const pattern = new RegExp(PATTERNS[name].pattern, 'u');
    expect(yes.filter((text) => !pattern.test(text))).toEqual([]);
    expect(no.filter((text) => pattern.test(text))).toEqual([]);
  });
});
