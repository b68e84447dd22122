import { describe, expect, it } from '@jest/globals';
import type { EvidenceItem, EvidenceKind } from '../../../domain/evidence/evidence.js';
import { evidenceFailures } from '../../../domain/evidence/evidence-status.js';
import { toBlocks } from '../../../http/body/byte-blocks.js';
import { parseFiles } from '../parsing/report-parsing.js';
import { buildUploadContent, type NewEvidenceItem, type ReadContent } from './upload-content.js';

type Members = Readonly<Record<string, unknown>>;

function evaluate(metrics: Members, files: Readonly<Record<string, string>> = {}, kind?: EvidenceKind): ReadContent {
  const uploaded = Object.entries(files).map(([filename, text]) => ({
    filename,
    content: toBlocks(new TextEncoder().encode(text)),
  }));
  const read = parseFiles({ files: uploaded, kind });
  if ('rejected' in read) throw new Error(read.rejected);
  return buildUploadContent({ kind, metrics, reports: [] }, read.files);
}

const fails = (item: NewEvidenceItem): boolean => evidenceFailures(item as unknown as EvidenceItem).length > 0;

/** Returns the kinds of the items that fail, or `refused`. */
function failing(metrics: Members, files?: Readonly<Record<string, string>>): readonly string[] | 'refused' {
  try {
    return evaluate(metrics, files)
      .items.filter(fails)
      .map(({ kind }) => kind);
  } catch {
    return 'refused';
  }
}

const tests = (more: object = {}): Members => ({ unit_tests: { passed: 5, failed: 0, ...more } });
const TEST_KINDS = ['unit_tests', 'integration_tests', 'e2e_tests'] as const;
const ERROR_NAMES = [
  'errors',
  'errored',
  'broken',
  'timed_out',
  'timedOut',
  'interrupted',
  'aborted',
  'crashed',
  'TIMED-OUT',
  'Errors',
  'cancelled',
  'killed',
] as const;

describe('stated tests', () => {
  it('pass if nothing states a failure', () => {
    const neutral = { total: 6, skipped: 1, errors: 0, broken: false, aborted: [], success: true, status: 'Passed' };
    const { items, flags } = evaluate(tests({ ...neutral, duration: 12, suites: [{ failed: 0, status: 'passed' }] }));
    expect(items).toMatchObject([{ metrics: { unit_tests: { total: 6, passed: 5, failed: 0, skipped: 1 } } }]);
    expect([items.filter(fails), flags]).toEqual([[], []]);
  });

  it.each(TEST_KINDS.flatMap((kind) => ERROR_NAMES.map((name) => [kind, name] as const)))(
    'of kind %s count "%s" as failed',
    (kind, name) => {
      const { items, flags } = evaluate({ [kind]: { total: 10, passed: 5, failed: 0, [name]: 5 } });
      expect(items[0]?.metrics[kind]).toEqual({ total: 10, passed: 5, failed: 5, skipped: 0 });
      expect(flags).toEqual([]);
    },
  );

  it('add up all words for failures', () => {
    const { items } = evaluate(tests({ failed: 1, errors: 2, broken: 3, timed_out: 4, timedOut: 5 }));
    expect(items[0]?.metrics.unit_tests).toEqual({ total: 20, passed: 5, failed: 15, skipped: 0 });
  });

  it('count what is missing from their sum as failed, with a flag', () => {
    const { items, flags } = evaluate(tests({ total: 10, skipped: 1 }));
    expect(items[0]?.metrics.unit_tests).toEqual({ total: 10, passed: 5, failed: 4, skipped: 1 });
    expect(flags).toEqual([
      'metrics.unit_tests: 5 passed, 0 failed (errors included) and 1 skipped are not 10; the others count as failed.',
    ]);
  });

  it.each([[tests({ total: 4 })], [tests({ total: 5, errors: 1 })], [tests({ total: 0 })]])(
    'are refused if their total is below their sum: %j',
    (metrics) => {
      expect(() => evaluate(metrics)).toThrow(/^metrics\.unit_tests\.total is \d+, but/);
    },
  );

  it('count the greater number if two words state how many failed', () => {
    const { items, flags } = evaluate(tests({ failed: 1, failures: 3 }));
    expect(items[0]?.metrics.unit_tests).toMatchObject({ failed: 3, total: 8 });
    expect(flags).toEqual(['metrics.unit_tests: metrics.unit_tests.failures is 3. failed is 1.']);
    expect(evaluate(tests({ failed: 3, failures: 3, total: 8 })).flags).toEqual([]);
  });

  it.each([
    'fail',
    'failure',
    'failing',
    'unexpected',
    'failed_tests',
    'tests_failed',
    'numFailedTests',
    'failed-count',
    'total_failures',
    'failed_suites',
  ])('read "%s" as another word for failed', (name) => {
    const { items, flags } = evaluate(tests({ [name]: 2 }));
    expect(items[0]?.metrics.unit_tests).toEqual({ total: 7, passed: 5, failed: 2, skipped: 0 });
    expect(flags).toHaveLength(1);
    expect(evaluate(tests({ failed: 2, [name]: 2 })).items[0]?.metrics.unit_tests?.failed).toBe(2);
  });

  it.each(['error', 'error_count', 'numErrors', 'total_errors', 'timedOutTests', 'tests_cancelled'])(
    'add "%s" to failed',
    (name) => {
      expect(evaluate(tests({ failed: 1, [name]: 2 })).items[0]?.metrics.unit_tests?.failed).toBe(3);
    },
  );

  it.each([
    [{ ok: false }, 'metrics.unit_tests.ok is false.'],
    [{ wasSuccessful: false }, 'metrics.unit_tests.wasSuccessful is false.'],
    [{ state: 'failed' }, 'metrics.unit_tests.state is "failed".'],
    [{ verdict: 'fail' }, 'metrics.unit_tests.verdict is "fail".'],
    [{ error: 'Cannot find module' }, 'metrics.unit_tests.error is "Cannot find module".'],
    [{ suites: [{ tests_failed: 2 }] }, 'metrics.unit_tests.suites.0.tests_failed is 2.'],
    [{ success: false }, 'metrics.unit_tests.success is false.'],
    [{ success: 'false' }, 'metrics.unit_tests.success is "false".'],
    [{ success: null }, 'metrics.unit_tests.success is null.'],
    [{ Success: 0 }, 'metrics.unit_tests.Success is 0.'],
    [{ status: 'failed' }, 'metrics.unit_tests.status is "failed".'],
    [{ status: null }, 'metrics.unit_tests.status is null.'],
    [{ status: '' }, 'metrics.unit_tests.status is "".'],
    [{ status: true }, 'metrics.unit_tests.status is true.'],
    [{ result: 'unstable' }, 'metrics.unit_tests.result is "unstable".'],
    [{ outcome: 'cancelled' }, 'metrics.unit_tests.outcome is "cancelled".'],
    [{ conclusion: 'neutral' }, 'metrics.unit_tests.conclusion is "neutral".'],
    [{ CONCLUSION: ['success'] }, 'metrics.unit_tests.CONCLUSION is ["success"].'],
    [{ errors: '5' }, 'metrics.unit_tests.errors is "5".'],
    [{ errors: null }, 'metrics.unit_tests.errors is null.'],
    [{ crashed: true }, 'metrics.unit_tests.crashed is true.'],
    [{ errors: -1 }, 'metrics.unit_tests.errors is -1.'],
    [{ errors: 0.5 }, 'metrics.unit_tests.errors is 0.5.'],
    [{ suites: [{ name: 'a', failed: 2 }] }, 'metrics.unit_tests.suites.0.failed is 2.'],
    [{ shards: { one: { success: false } } }, 'metrics.unit_tests.shards.one.success is false.'],
    [{ cases: [{ status: 'timed out' }] }, 'metrics.unit_tests.cases.0.status is "timed out".'],
  ])('fail by %j, though no count says so', (more, sentence) => {
    const [item] = evaluate(tests(more)).items;
    expect(item?.failures).toEqual([sentence]);
    expect(item?.metrics.unit_tests).toMatchObject({ passed: 5, failed: 0 });
  });

  it.each([[{ failures: ['pays'] }], [{ errors: [{ test: 'pays' }] }], [{ errors: { pays: 'broken' } }]])(
    'count the entries of a list of failures: %j',
    (more) => {
      expect(evaluate(tests(more)).items[0]?.metrics.unit_tests).toMatchObject({ failed: 1 });
    },
  );

  it.each([
    [{ success: true, status: 'success' }],
    [{ result: 'SUCCEEDED', outcome: 'pass', conclusion: 'ok' }],
    [{ errors: [], failures: {}, interrupted: false, timed_out: 0 }],
    [{ cases: [{ status: 'skipped' }], note: 'status failed' }],
    [{ error: null, failure: '', ok: 5, state: 'completed', total: 5, failure_rate: 0.5, tests: { total: 5 } }],
  ])('pass with %j', (more) => {
    expect(failing(tests(more))).toEqual([]);
  });

  it.each([
    [{ unit_tests: { passed: 5, failed: 0, Failed: 3 } }, 'metrics.unit_tests.Failed must be written as failed.'],
    [{ unit_tests: { passed: 5, failed: 0, TOTAL: 9 } }, 'metrics.unit_tests.TOTAL must be written as total.'],
    [{ unitTests: { passed: 0, failed: 5 } }, 'metrics.unitTests must be written as unit_tests.'],
    [{ 'sast-scan': {} }, 'metrics.sast-scan must be written as sast_scan.'],
    [
      { coverage: { line_percent: 90, linePercent: 9 } },
      'metrics.coverage.linePercent must be written as line_percent.',
    ],
    [{ security: { critical: 0, high: 0, medium: 0, low: 0, CRITICAL: 2 } }, 'CRITICAL must be written as critical.'],
  ])('and other metrics are refused under a name that differs only in case or separators: %j', (metrics, message) => {
    expect(() => evaluate(metrics)).toThrow(message);
  });

  it('ignore no own member, however it is named', () => {
    const members = JSON.parse('{"passed": 5, "failed": 0, "__proto__": {"failed": 3}, "constructor": 1}') as object;
    expect(failing({ unit_tests: members })).toEqual(['unit_tests']);
    expect(
      failing({ unit_tests: Object.assign(Object.create({ errors: 7 }) as object, { passed: 5, failed: 0 }) }),
    ).toEqual([]);
  });

  it('are read in linear time, however long their names are', () => {
    expect(failing(tests({ [`${'test'.repeat(60_000)}x`]: 1 }))).toEqual([]);
  });

  it('show a few of many stated failures', () => {
    const suites = Array.from({ length: 1_000 }, () => ({ failed: 1 }));
    const [item] = evaluate(tests({ suites })).items;
    expect(item?.failures).toHaveLength(21);
    expect(item?.failures.at(-1)).toBe('and 980 more');
  });
});

const SCAN = { critical: 0, high: 0, medium: 0, low: 0 };

describe('stated findings and coverage', () => {
  it.each(['sast_scan', 'security'] as const)('of kind %s fail by a stated failure', (kind) => {
    for (const more of [
      { success: false },
      { status: 'error' },
      { errors: 1 },
      { failed: 2 },
      { tools: [{ crashed: 1 }] },
    ])
      expect(failing({ [kind]: { ...SCAN, ...more } })).toEqual([kind]);
    expect(failing({ [kind]: { ...SCAN, success: true, status: 'ok', errors: 0, total: 0 } })).toEqual([]);
  });

  it('add severities of other names', () => {
    const { items, flags } = evaluate({ security: { ...SCAN, moderate: 4, Blocker: 1, info: 2, unknown: 3 } });
    expect(items[0]?.metrics.security).toEqual({ critical: 1, high: 0, medium: 7, low: 2 });
    expect(flags).toContain('metrics.security: 4 moderate count as medium.');
    expect(() => evaluate({ security: { ...SCAN, moderate: '4' } })).toThrow('metrics.security.moderate must be');
  });

  it('fail if their total has more findings than severities', () => {
    expect(evaluate({ security: { ...SCAN, total: 3 } }).items[0]?.failures).toEqual([
      'metrics.security.total is 3, but only 0 have a severity.',
    ]);
    const { items, flags } = evaluate({ security: { ...SCAN, high: 4, total: 3 } });
    expect(items[0]).toMatchObject({ failures: [], metrics: { security: { high: 4 } } });
    expect(flags).toEqual(['metrics.security: total is 3, but 4 have a severity.']);
  });

  it.each([
    [{ lines: { covered: 1, total: 5 } }, 20],
    [{ lines: { covered: 5, total: 5 } }, 90],
    [{ lines: { pct: 35 } }, 35],
    [{ covered_lines: 1, total_lines: 4 }, 25],
    [{ linesCovered: 1, linesValid: 8 }, 12.5],
    [{ lines: { covered: 0, total: 0 } }, 0],
    [{ lines: 12 }, 90],
    [{ line_rate: 0.4 }, 40],
    [{ lineRate: 0.29 }, 29],
    [{ 'line-rate': 1 }, 90],
    [{ line_coverage: 35.5 }, 35.5],
    [{ line_pct: 35 }, 35],
    [{ lines_percent: 35 }, 35],
    [{ percent_lines_covered: 35 }, 35],
    [{ percent_covered: 35 }, 35],
    [{ rate: 0.35 }, 35],
    [{ coverage: 0.35 }, 35],
    [{ lines_hit: 1, lines_found: 4 }, 25],
    [{ LH: 1, LF: 4 }, 25],
    [{ covered: 1, total: 4 }, 25],
    [{ hits: 1, misses: 3 }, 25],
    [{ missed_lines: 3, total_lines: 4 }, 25],
    [{ lines_missed: 3, lines: 4 }, 25],
    [{ covered_lines: 1, missing_lines: [5, 6, 7] }, 25],
    [{ uncovered_lines: 3, line_count: 4 }, 25],
    [{ num_lines: 4, numLinesCovered: 1 }, 25],
    [{ covered_lines: 3, lines_hit: 1, total_lines: 4 }, 25],
    [{ covered_lines: 3, missed_lines: 3, total_lines: 4 }, 25],
    [{ covered_lines: 0 }, 0],
    [{ line: { covered: 1, missed: 3 } }, 25],
    [{ lines: { hit: 1, found: 4 } }, 25],
    [{ lines: { rate: 0.25 } }, 25],
    [{ total: { lines: { pct: 25 }, branches: { pct: 5 } } }, 25],
    [{ totals: { covered_lines: 1, total_lines: 4 } }, 25],
    [{ branches_hit: 1, branches_found: 4, branch_rate: 0.1 }, 90],
    [{ covered_lines: 9, total_lines: 10, line_rate: 0.9, missed_lines: 1, total: 10, valid: true, found: null }, 90],
    [{ branch: 'main', lines: [], branches: ['main'], total: null }, 90],
    [{ function_rate: 0.1, statements: { pct: 10 }, files: [{ lines: { pct: 10 } }], baseline_rate: 0.1 }, 90],
  ])('count the lower of line_percent 90 and %j', (more, expected) => {
    const { items, flags } = evaluate({ coverage: { line_percent: 90, ...more } });
    expect(items[0]?.metrics.coverage?.line_percent).toBe(expected);
    expect(flags).toHaveLength(expected === 90 ? 0 : 1);
  });

  it('count the lower of branch_percent and the branches', () => {
    const { items } = evaluate({
      coverage: { line_percent: 90, branch_percent: 90, branches: { covered: 1, total: 2 } },
    });
    expect(items[0]?.metrics.coverage).toEqual({ line_percent: 90, branch_percent: 50 });
  });

  it.each([
    [{ branch_rate: 0.5 }],
    [{ branchRate: 50 }],
    [{ branches_hit: 1, branches_found: 2 }],
    [{ BRH: 1, BRF: 2 }],
    [{ missed_branches: 1, total_branches: 2 }],
    [{ branch: { covered: 1, missed: 1 } }],
  ])('count the lower of branch_percent 90 and %j', (more) => {
    const { items, flags } = evaluate({ coverage: { line_percent: 90, branch_percent: 90, ...more } });
    expect(items[0]?.metrics.coverage).toEqual({ line_percent: 90, branch_percent: 50 });
    expect(flags).toEqual(['metrics.coverage: branch_percent is 90, but other members state 50.']);
  });

  it.each([[{ covered_lines: 10 }], [{ missed_lines: 10 }], [{ totals: { hits: 10 } }]])(
    'are flagged if counts of lines have no total: %j',
    (more) => {
      const { items, flags } = evaluate({ coverage: { line_percent: 90, ...more } });
      expect(items[0]?.metrics.coverage?.line_percent).toBe(90);
      expect(flags).toEqual([
        expect.stringMatching(/^metrics\.coverage.*: line counts without their total are not counted\.$/),
      ]);
    },
  );

  it.each([
    [{ line_rate: '0.4' }],
    [{ line_rate: 101 }],
    [{ missed_lines: 5, total_lines: 4 }],
    [{ missed_lines: -1 }],
    [{ lines_found: 1.5 }],
    [{ lines: { covered: 6, total: 5 } }],
    [{ lines: { covered: '1', total: 5 } }],
    [{ lines: { pct: 101 } }],
  ])('are refused if the counts are not possible: %j', (more) => {
    expect(() => evaluate({ coverage: { line_percent: 90, ...more } })).toThrow(/^metrics\.coverage.* must be/);
  });

  it('fail by a stated failure beside the percentage', () => {
    expect(failing({ coverage: { line_percent: 90, status: 'failed' } })).toEqual(['coverage']);
    expect(failing({ coverage: { line_percent: 90, status: 'passed' } })).toEqual([]);
  });
});

const GREEN = { 'junit.xml': '<testsuite><testcase name="pays"/></testsuite>' };
const RED = { 'junit.xml': '<testsuite><testcase name="pays"><failure/></testcase></testsuite>' };
const LCOV = { 'lcov.info': 'SF:a.ts\nDA:1,1\nend_of_record\n' };

describe('a failure that is stated at the top of metrics', () => {
  it.each([{ success: false }, { status: 'failed' }, { conclusion: 'failure' }, { errors: 2 }, { failed: 1 }])(
    'counts for every kind: %j',
    (top) => {
      const metrics = { ...tests(), security: SCAN, coverage: { line_percent: 90 } };
      expect(failing(metrics)).toEqual([]);
      expect(failing({ ...metrics, ...top })).toEqual(['unit_tests', 'coverage', 'security']);
    },
  );

  it('counts for the files of the upload, too', () => {
    expect(failing({ success: true }, { ...GREEN, ...LCOV })).toEqual([]);
    expect(failing({ success: false }, { ...GREEN, ...LCOV })).toEqual(['unit_tests', 'coverage']);
  });

  it('counts for an upload without numbers', () => {
    expect(evaluate({ p95: 120, status: 'failed' }, {}, 'performance').items).toEqual([
      expect.objectContaining({ kind: 'performance', failures: ['metrics.status is "failed".'] }),
    ]);
  });
});

describe('a failure that is stated inside of a kind without numbers', () => {
  it.each(['performance', 'manual', 'custom', 'sbom'] as const)('fails the item of kind %s', (kind) => {
    expect(failing({ [kind]: { p95: 120, status: 'failed' } })).toEqual([kind]);
    expect(failing({ ...tests(), [kind]: { p95: 120, errors: 3 } })).toEqual([kind]);
    expect(failing({ ...tests(), [kind]: { p95: 120, errors: 0 } })).toEqual([]);
  });

  it('creates no item if the kind states no failure beside others', () => {
    expect(evaluate({ ...tests(), performance: { p95: 120 } }).items.map(({ kind }) => kind)).toEqual(['unit_tests']);
  });

  it('names the kind of an upload that states no other', () => {
    expect(evaluate({ performance: { p95: 120 } }).items).toMatchObject([{ kind: 'performance', content: 1 }]);
  });
});

describe('stated tests beside a report', () => {
  it('lose against its counts, but a failure that only they state still fails', () => {
    const { items, flags } = evaluate(tests({ failed: 2 }), GREEN);
    expect(items).toMatchObject([
      {
        metrics: { unit_tests: { total: 1, passed: 1, failed: 0 } },
        failures: ['metrics.unit_tests states 2 failed tests, the reports contain 0.'],
      },
    ]);
    expect(flags).toEqual(['metrics.unit_tests disagrees with the uploaded reports, which count.']);
  });

  it('fail by an error, a missing test and a status that only they state', () => {
    for (const more of [{ errors: 1 }, { total: 9 }, { success: false }, { status: 'failed' }])
      expect(failing(tests(more), GREEN)).toEqual(['unit_tests']);
  });

  it('add no failure that the report has as well', () => {
    expect(evaluate({ unit_tests: { passed: 0, failed: 1 } }, RED).items[0]?.failures).toEqual([]);
    expect(evaluate({ unit_tests: { passed: 0, failed: 0 } }, RED).items[0]?.failures).toEqual([]);
  });
});
