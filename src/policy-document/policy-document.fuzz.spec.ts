import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { stringify } from 'yaml';
import { EVIDENCE_KINDS, TEST_KINDS, type EvidenceKind } from '../domain/evidence/evidence.js';
import { isCalendarDay } from '../domain/policy/freeze.js';
import {
  AMBIGUOUS_CAPITALS,
  ARTIFACT_BUILDERS,
  isSameEnvironment,
  type PolicyKey,
  type PolicyValues,
  RELEASE_NAMING_FORMATS,
} from '../domain/policy/policy.js';
import { DEFAULT_VALUES, POLICY_KEYS, replaceValues } from '../domain/policy/policy-fields.js';
import { PATTERNS } from './policy-schema.js';
import { SDLC_V1_SCHEMA } from './sdlc.v1.schema.js';
import { parsePolicyDocument } from './policy-document.js';

const satisfiesSchema = new Ajv2020({ allowUnionTypes: true }).addFormat('date', isCalendarDay).compile(SDLC_V1_SCHEMA);

type Tree = { [key: string]: unknown };

/** The document that states all values. */
function documentOf(values: Readonly<PolicyValues>): Tree {
  const document: Tree = { version: 'v1' };
  for (const key of POLICY_KEYS) {
    const value = written(key, values[key]);
    if (value === null) continue;
    put(document, key, value);
  }
  return document;
}

function put(document: Tree, key: PolicyKey, value: unknown): void {
  const steps = key.split('.');
  let section = document;
  for (const step of steps.slice(0, -1)) section = (section[step] ??= {}) as Tree;
  section[steps.at(-1) ?? ''] = value;
}

function written(key: PolicyKey, value: unknown): unknown {
  if (key === 'stages.deployment.hold.for') return `${String(value)}h`;
  if (key.endsWith('.soak') && typeof value === 'number') return `${value}s`;
  if (!Array.isArray(value) || value.every((entry) => typeof entry === 'string')) return value;
  const renamed = value.map(({ minTests, allowSkipped, signerWorkflow, builder, afterDeployment, ...entry }: Tree) => ({
    ...entry,
    ...(allowSkipped ? { allow_skipped: true } : {}),
    ...(minTests ? { min_tests: minTests } : {}),
    ...(signerWorkflow ? { signer_workflow: signerWorkflow } : {}),
    ...(builder && entry['provenance'] ? { builder } : {}),
    ...(afterDeployment ? { after_deployment: true } : {}),
  }));
  return renamed.map((entry) =>
    Object.fromEntries(Object.entries(entry).filter(([, part]) => part !== null && (key !== 'freezes' || part !== ''))),
  );
}

/** Checks that the parser does not throw and returns only values that can be stored and displayed. */
function expectSound(source: string | Uint8Array): void {
  const state = parsePolicyDocument(source, 'main');
  if (state.status === 'valid') {
    const { policy, digest, repository } = state;
    expect(satisfiesSchema(documentOf(repository.values))).toBe(true);
    expect(parsePolicyDocument(stringify(documentOf(repository.values)), 'main')).toMatchObject({
      policy,
      digest,
      repository: { values: repository.values },
    });
    return;
  }
  const problems = state.status === 'invalid' ? state.problems : [];
  expect(problems.length).toBeGreaterThan(0);
  expect(JSON.stringify(problems)).not.toMatch(/\\u0000|\\ud[89a-f]/i);
  for (const { line, column, key, message } of problems) {
    expect(Math.min(line ?? 1, column ?? 1)).toBeGreaterThanOrEqual(1);
    expect(key.length).toBeLessThan(600);
    expect(message).toMatch(/^.{1,600}[.?]$/u);
  }
}

const line = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
  .filter((text) => new RegExp(PATTERNS.line.pattern, 'u').test(text));
const environment = line.filter((name) => !new RegExp(`[${AMBIGUOUS_CAPITALS}]`, 'u').test(name));
const slug = fc.stringMatching(/^[a-z0-9_-]{1,12}$/);
const branch = fc.stringMatching(/^[a-z]{1,5}(\/[a-zA-Z0-9.-]{1,5}){0,2}$/);
const pattern = fc.stringMatching(/^[a-z]{1,5}\/[a-z*?]{1,5}$/);
const orNone = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(arbitrary, { nil: null });
const listOf = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
  fc.uniqueArray(arbitrary, { maxLength: 4, selector: (entry) => JSON.stringify(entry) });
const checks = listOf(
  fc.record(
    { name: line, app: orNone(slug), allowSkipped: fc.constant(true as const) },
    { requiredKeys: ['name', 'app'] },
  ),
);
const day = fc
  .date({ min: new Date('2020-01-01'), max: new Date('2040-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
const limit = orNone(fc.integer({ min: 0, max: 1_000_000 }));
const percent = orNone(fc.double({ min: 0, max: 100, noNaN: true }).map((value) => value + 0));
const isTestKind = (kind: EvidenceKind): boolean => TEST_KINDS.some((testKind) => testKind === kind);

const VALUES: { readonly [K in PolicyKey]: fc.Arbitrary<PolicyValues[K]> } = {
  name: orNone(line),
  'release_naming.format': fc.constantFrom(...RELEASE_NAMING_FORMATS),
  'hotfix.branch_pattern': pattern,
  evidence_events: listOf(fc.stringMatching(/^[a-z]{1,8}(_[a-z]{1,8})?$/)),
  'stages.planning.require_issues': fc.boolean(),
  'stages.planning.require_issues_assigned': fc.boolean(),
  'stages.development.branch': orNone(branch),
  'stages.development.deploy_target': orNone(environment),
  'stages.development.soak': orNone(fc.integer({ min: 0, max: 2_592_000 })),
  'stages.development.required_checks': checks,
  'stages.development.require_issues_closed': fc.boolean(),
  'stages.development.exempt_labels': listOf(line),
  'stages.testing.branch_pattern': pattern,
  'stages.testing.deploy_target': orNone(environment),
  'stages.testing.soak': orNone(fc.integer({ min: 0, max: 2_592_000 })),
  'stages.testing.required_checks': checks,
  'stages.testing.required_artifacts': listOf(
    fc.oneof(
      line.map((name) => ({ name, provenance: false, builder: 'any', signerWorkflow: null }) as const),
      fc.record({
        name: line,
        provenance: fc.constant(true),
        builder: fc.constantFrom(...ARTIFACT_BUILDERS),
        signerWorkflow: orNone(fc.stringMatching(/^[a-z]{1,5}\/[a-z]{1,5}\/\.github\/workflows\/[a-z]{1,9}\.yml$/)),
      }),
    ),
  ),
  'stages.evidencing.required_evidence': listOf(
    fc
      .record({
        kind: fc.constantFrom(...EVIDENCE_KINDS),
        environment: orNone(line),
        minTests: fc.integer({ min: 1, max: 1_000_000 }),
        afterDeployment: fc.boolean(),
      })
      .map(({ kind, environment, minTests, afterDeployment }) => ({
        kind,
        environment,
        minTests: isTestKind(kind) ? minTests : 0,
        ...(afterDeployment && { afterDeployment }),
      })),
  ),
  'stages.evidencing.required_reviewers.min_approvals': fc.integer({ min: 0, max: 20 }),
  'stages.evidencing.required_reviewers.teams': listOf(slug),
  'stages.evidencing.required_reviewers.exclude_release_authors': fc.boolean(),
  'stages.deployment.target': environment,
  'stages.deployment.promotion': fc.constantFrom('manual', 'auto'),
  'stages.deployment.requires_evidence_approval': fc.boolean(),
  'stages.deployment.hold.for': fc.integer({ min: 1, max: 696 }),
  'stages.deployment.hold.when_closed': fc.constantFrom('wait', 'reject'),
  'quality_gates.coverage.min_line_percent': percent,
  'quality_gates.coverage.max_drop': percent,
  'quality_gates.sast_scan.max_critical': limit,
  'quality_gates.sast_scan.max_high': limit,
  'quality_gates.sast_scan.max_medium': limit,
  'quality_gates.sast_scan.max_low': limit,
  'quality_gates.security.max_critical': limit,
  'quality_gates.security.max_high': limit,
  'quality_gates.security.max_medium': limit,
  'quality_gates.security.max_low': limit,
  freezes: listOf(
    fc
      .tuple(day, day, fc.oneof(line, fc.constant('')))
      .map(([one, other, reason]) =>
        one < other ? { from: one, to: other, reason } : { from: other, to: one, reason },
      ),
  ),
};

/** A soak is valid only in an environment before the target, and evidence after a deployment only beside one. */
function withoutInvalidSoaks(values: Readonly<PolicyValues>): Readonly<PolicyValues> {
  const isTested = values['stages.testing.deploy_target'] !== null;
  const isBeforeTarget = (environment: string | null): boolean =>
    environment !== null && !isSameEnvironment(environment, values['stages.deployment.target']);
  return {
    ...values,
    ...(!isBeforeTarget(values['stages.development.deploy_target']) && { 'stages.development.soak': null }),
    ...(!isBeforeTarget(values['stages.testing.deploy_target']) && { 'stages.testing.soak': null }),
    ...(!isTested && {
      'stages.evidencing.required_evidence': values['stages.evidencing.required_evidence'].filter(
        ({ afterDeployment }) => !afterDeployment,
      ),
    }),
  };
}

const anyValues: fc.Arbitrary<Readonly<PolicyValues>> = fc
  .record(VALUES as { readonly [K in PolicyKey]: fc.Arbitrary<unknown> })
  .map((values) =>
    replaceValues(DEFAULT_VALUES, POLICY_KEYS, <K extends PolicyKey>(key: K) => values[key] as PolicyValues[K]),
  )
  .map(withoutInvalidSoaks);

describe('parsePolicyDocument, for any document', () => {
  it('never throws for arbitrary text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 200 }), expectSound), { numRuns: 400 });
  });

  it('never throws for arbitrary bytes', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), expectSound), { numRuns: 400 });
  });

  it('never throws for characters with a meaning in YAML', () => {
    const part = fc.constantFrom(
      'version: v1',
      'stages',
      'testing',
      'freezes',
      'name',
      'hotfix',
      ':',
      ' ',
      '\n',
      '  ',
      '- ',
      '[',
      ']',
      '{',
      '}',
      ',',
      '&a ',
      '*a',
      '!x ',
      '"',
      "'",
      '#',
      '|',
      '>',
      '?',
      '---',
      '...',
      '%YAML 1.1',
      '<<',
      '\t',
      '\r\n',
      '\\',
      '~',
      '0x1F',
      '.nan',
      '2026-12-20',
      '__proto__',
      '\uFEFF',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), (items) => expectSound(items.join(''))),
      { numRuns: 800 },
    );
  });

  it('never throws for known keys with any values', () => {
    const entry = fc.tuple(fc.constantFrom(...POLICY_KEYS), fc.jsonValue({ maxDepth: 2 }));
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 3 }), (entries) => {
        const document: Tree = { version: 'v1' };
        for (const [key, value] of entries) put(document, key, value);
        expectSound(stringify(document));
      }),
      { numRuns: 400 },
    );
  });

  it('returns the policy that the document states', () => {
    fc.assert(
      fc.property(anyValues, (values) => {
        const source = stringify(documentOf(values));
        expect(parsePolicyDocument(source, 'main')).toMatchObject({ status: 'valid', repository: { values } });
        expectSound(source);
      }),
      { numRuns: 300 },
    );
  });

  it('returns the defaults for a document that states them', () => {
    expect(parsePolicyDocument(stringify(documentOf(DEFAULT_VALUES)), 'main')).toMatchObject({
      status: 'valid',
      repository: { values: DEFAULT_VALUES },
    });
  });
});
