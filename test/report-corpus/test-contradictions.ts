import { type Contradiction, pick, type Reading } from './contradiction.js';
import { JUNIT_CONTRADICTIONS } from './junit-contradictions.js';

type Members = Readonly<Record<string, unknown>>;

/** Returns JSON of the members. The members of a bad reading are added to those of a good one. */
const bad = (reading: Reading, members: Members): Members => (reading === 'good' ? {} : members);

const ctrf = (summary: Members, ...tests: readonly Members[]): string =>
  JSON.stringify({
    reportFormat: 'CTRF',
    results: { tool: { name: 'runner' }, summary, tests: [{ name: 'b', status: 'passed' }, ...tests] },
  });
const CTRF_TEST = { name: 'a', status: 'passed', rawStatus: 'passed' };

const CTRF: readonly Contradiction[] = [
  {
    format: 'ctrf',
    pair: 'failed in the summary, and the tests',
    write: (total, test) =>
      ctrf({ failed: total === 'good' ? 0 : 1 }, { ...CTRF_TEST, ...bad(test, { status: 'failed' }) }),
  },
  {
    format: 'ctrf',
    pair: 'other in the summary, and the tests',
    write: (total, test) =>
      ctrf({ other: total === 'good' ? 0 : 1 }, { ...CTRF_TEST, ...bad(test, { status: 'other' }) }),
  },
  {
    format: 'ctrf',
    pair: 'tests in the summary, and the list',
    outranks: 'second',
    write: (total, list) => ctrf({ tests: total === 'good' ? 2 : 3 }, ...(list === 'good' ? [CTRF_TEST] : [])),
  },
  {
    format: 'ctrf',
    pair: 'status and raw status of a test',
    write: (status, raw) =>
      ctrf({}, { ...CTRF_TEST, ...bad(status, { status: 'failed' }), ...bad(raw, { rawStatus: 'timedOut' }) }),
  },
  {
    format: 'ctrf',
    pair: 'skipped, and a failed raw status',
    write: (status, raw) =>
      ctrf(
        {},
        { ...CTRF_TEST, ...bad(status, { status: 'other' }), ...bad(raw, { status: 'skipped', rawStatus: 'failed' }) },
      ),
  },
  {
    format: 'ctrf',
    pair: 'flaky, and the attempts of a test',
    write: (flaky, attempts) =>
      ctrf(
        {},
        {
          ...CTRF_TEST,
          flaky: flaky === 'bad',
          retryAttempts: [{ status: attempts === 'good' && flaky === 'bad' ? 'passed' : 'failed' }].slice(
            0,
            flaky === 'bad' ? 1 : 0,
          ),
          ...bad(attempts, { status: 'failed' }),
        },
      ),
  },
  {
    format: 'ctrf',
    pair: 'status and the last attempt of a test',
    write: (status, attempt) => {
      const retryAttempts = ['failed', pick(attempt, 'passed', 'failed')].map((outcome, index) => ({
        attempt: index + 1,
        status: outcome,
      }));
      return ctrf({}, { ...CTRF_TEST, ...bad(status, { status: 'failed' }), retries: 1, retryAttempts });
    },
  },
  {
    format: 'ctrf',
    pair: 'status and steps of a test',
    write: (status, step) =>
      ctrf(
        {},
        {
          ...CTRF_TEST,
          ...bad(status, { status: 'failed' }),
          steps: [
            { name: 'pays', status: pick(step, 'passed', 'failed') },
            { name: 'ships', status: 'passed' },
          ],
        },
      ),
  },
  {
    format: 'ctrf',
    pair: 'the tests, and errors of the run',
    write: (test, errors) =>
      ctrf({}, { ...CTRF_TEST, ...bad(test, { status: 'failed' }) }).replace(
        '"results":{',
        `"results":{"extra":{"errors":[${pick(errors, '', '{"message":"the global setup broke"}')}]},`,
      ),
  },
  {
    format: 'ctrf',
    pair: 'two members of one name',
    write: (one, other) =>
      ctrf({}, { ...CTRF_TEST, status: pick(one, 'passed', 'failed') }).replace(
        '"rawStatus":"passed"',
        pick(other, '"rawStatus":"passed"', '"status":"failed"'),
      ),
  },
];

const jest = (members: Members, file: Members = {}, test: Members = {}): string => {
  const passed = { title: 'b', status: 'passed', failureMessages: [], invocations: 1 };
  const tests = [passed, { ...passed, title: 'a', ...test }];
  return JSON.stringify({
    numTotalTests: 2,
    wasInterrupted: false,
    ...members,
    testResults: [{ name: 'a.js', status: 'passed', assertionResults: tests, ...file }],
  });
};
const FAILED_TEST = { status: 'failed' };

const JEST: readonly Contradiction[] = [
  ...(
    [
      ['numFailedTests, and the tests', { numFailedTests: 1 }],
      ['numFailedTestSuites, and the tests', { numFailedTestSuites: 1 }],
      ['numRuntimeErrorTestSuites, and the tests', { numRuntimeErrorTestSuites: 1 }],
      ['success, and the tests', { success: false }],
      ['wasInterrupted, and the tests', { wasInterrupted: true }],
    ] as const
  ).map(([pair, members]): Contradiction => ({
    format: 'jest',
    pair,
    write: (total, test) => jest({ success: true, ...bad(total, members) }, {}, bad(test, FAILED_TEST)),
  })),
  {
    format: 'jest',
    pair: 'status of a file, and its tests',
    write: (file, test) => jest({}, bad(file, { status: 'failed' }), bad(test, FAILED_TEST)),
  },
  {
    format: 'jest',
    pair: 'status of a file, and a file without tests',
    write: (file, list) =>
      jest(
        { ...bad(list, { numTotalTests: 0 }) },
        { ...bad(file, { status: 'failed' }), ...bad(list, { assertionResults: [] }) },
      ),
  },
  ...['message', 'failureMessage', 'testExecError'].map((member): Contradiction => ({
    format: 'jest',
    pair: `status and ${member} of a file`,
    write: (status, message) =>
      jest(
        {},
        {
          message: '',
          failureMessage: null,
          ...bad(status, { status: 'failed' }),
          ...bad(message, { [member]: 'afterAll: no server' }),
        },
      ),
  })),
  {
    format: 'jest',
    pair: 'status and failureMessages of a test',
    write: (status, messages) =>
      jest({}, {}, { ...bad(status, FAILED_TEST), ...bad(messages, { failureMessages: ['5 is not 4'] }) }),
  },
  {
    format: 'jest',
    pair: 'skipped, and failureMessages of a test',
    write: (status, messages) =>
      jest(
        {},
        {},
        { ...bad(status, FAILED_TEST), ...bad(messages, { status: 'skipped', failureMessages: ['5 is not 4'] }) },
      ),
  },
  {
    format: 'jest',
    pair: 'numTotalTests, and the list',
    outranks: 'second',
    write: (total, list) =>
      jest({ numTotalTests: total === 'good' ? 2 : 3 }).replace(
        pick(list, '', ',{"title":"a","status":"passed","failureMessages":[],"invocations":1}'),
        '',
      ),
  },
];

const playwright = (members: Members, spec: Members = {}, test: Members = {}, result: Members = {}): string => {
  const passed = { status: 'passed', errors: [] };
  const expected = { projectName: '', status: 'expected', expectedStatus: 'passed' };
  const specs = [
    { title: 'b', ok: true, tests: [{ ...expected, results: [passed] }] },
    { title: 'a', ok: true, ...spec, tests: [{ ...expected, ...test, results: [{ ...passed, ...result }] }] },
  ];
  return JSON.stringify({ config: {}, errors: [], ...members, suites: [{ title: 'a.spec.ts', specs }] });
};
const UNEXPECTED = { status: 'unexpected' };
const stats = (unexpected: number): Members => ({
  stats: { expected: 2 - unexpected, unexpected, flaky: 0, skipped: 0 },
});

const PLAYWRIGHT: readonly Contradiction[] = [
  {
    format: 'playwright',
    pair: 'unexpected in the stats, and the tests',
    write: (total, test) => playwright(stats(total === 'good' ? 0 : 1), {}, bad(test, UNEXPECTED)),
  },
  {
    format: 'playwright',
    pair: 'errors of the run, and the tests',
    write: (errors, test) => playwright(bad(errors, { errors: [{ message: 'no server' }] }), {}, bad(test, UNEXPECTED)),
  },
  {
    format: 'playwright',
    pair: 'ok of a spec, and its tests',
    write: (spec, test) => playwright({}, bad(spec, { ok: false }), bad(test, UNEXPECTED)),
  },
  {
    format: 'playwright',
    pair: 'status of a test, and its runs',
    write: (test, run) => playwright({}, {}, bad(test, UNEXPECTED), bad(run, { status: 'failed' })),
  },
  {
    format: 'playwright',
    pair: 'status and errors of a run',
    write: (status, errors) =>
      playwright(
        {},
        {},
        {},
        { ...bad(status, { status: 'failed' }), ...bad(errors, { errors: [{ message: 'a soft one' }] }) },
      ),
  },
  {
    format: 'playwright',
    pair: 'status and expected status of a test',
    write: (status, expected) =>
      playwright({}, {}, { ...bad(status, UNEXPECTED), ...bad(expected, { expectedStatus: 'failed' }) }),
  },
  {
    format: 'playwright',
    pair: 'ok and status of a test',
    write: (ok, status) => playwright({}, {}, { ok: ok === 'good', ...bad(status, UNEXPECTED) }),
  },
  {
    format: 'playwright',
    pair: 'the last run by its position, and by its retry',
    write: (position, retry) => {
      const runs = [
        { status: pick(retry, 'passed', 'failed'), retry: 1 },
        { status: pick(position, 'passed', 'failed'), retry: 0 },
      ];
      return playwright({}).replaceAll('[{"status":"passed","errors":[]}]', JSON.stringify(runs));
    },
  },
  {
    format: 'playwright',
    pair: 'flaky in the stats with failOnFlakyTests, and the tests',
    write: (total, test) =>
      playwright(
        { config: { failOnFlakyTests: true }, stats: { flaky: total === 'good' ? 0 : 1 } },
        {},
        bad(test, { status: 'flaky' }),
      ),
  },
];

const goTest = (ending: string, testEnding: string, output = '', packageOutput = 'ok'): string =>
  [
    { Action: 'start', Package: 'p' },
    { Action: 'run', Package: 'p', Test: 'TestB' },
    { Action: 'pass', Package: 'p', Test: 'TestB' },
    { Action: 'run', Package: 'p', Test: 'TestA' },
    { Action: 'output', Package: 'p', Test: 'TestA', Output: output },
    { Action: testEnding, Package: 'p', Test: 'TestA' },
    { Action: 'output', Package: 'p', Output: packageOutput },
    { Action: ending, Package: 'p' },
  ]
    .map((event) => `${JSON.stringify(event)}\n`)
    .join('');

const GO_TEST: readonly Contradiction[] = [
  {
    format: 'go-test',
    pair: 'ending of a package, and its tests',
    write: (ending, test) => goTest(pick(ending, 'pass', 'fail'), pick(test, 'pass', 'fail')),
  },
  {
    format: 'go-test',
    pair: 'ending and output of a package',
    write: (ending, output) =>
      goTest(pick(ending, 'pass', 'fail'), 'pass', '', pick(output, 'ok  \tp\t0.1s\n', 'FAIL\tp\t0.1s\n')),
  },
  {
    format: 'go-test',
    pair: 'ending and output of a test',
    write: (ending, output) =>
      goTest(
        'pass',
        pick(ending, 'pass', 'fail'),
        pick(output, '--- PASS: TestA (0.00s)\n', '--- FAIL: TestA (0.00s)\n'),
      ),
  },
  {
    format: 'go-test',
    pair: 'two endings of one test',
    write: (one, other) =>
      goTest('pass', pick(one, 'pass', 'fail')).replace(
        '{"Action":"output","Package":"p","Output":"ok"}',
        `{"Action":"${pick(other, 'pass', 'fail')}","Package":"p","Test":"TestA"}`,
      ),
  },
  {
    format: 'go-test',
    pair: 'a failed build, and its package',
    write: (build, ending) =>
      `${pick(build, '', '{"Action":"build-fail","ImportPath":"p"}\n')}${goTest(pick(ending, 'pass', 'fail'), 'pass')}`,
  },
  {
    format: 'go-test',
    pair: 'two members of one name',
    write: (one, other) =>
      goTest('pass', pick(one, 'pass', 'fail')).replace(
        /\{"Action":"(\w+)","Package":"p","Test":"TestA"\}\n(?=\{"Action":"output","Package":"p","Output")/,
        (event) => (other === 'good' ? event : event.replace('{', '{"Action":"fail",')),
      ),
  },
];

const tap = (plan: string, first: string, rest = ''): string => `TAP version 14\n${plan}\n${first}\nok 2 - b\n${rest}`;

const TAP: readonly Contradiction[] = [
  {
    format: 'tap',
    pair: 'the plan, and the tests',
    write: (plan, tests) => tap(`1..${pick(plan, '2', '3')}`, pick(tests, 'ok 1 - a', 'not ok 1 - a')),
  },
  {
    format: 'tap',
    pair: 'the number of a test, and its position',
    write: (number, result) => tap('1..2', `${pick(result, 'ok', 'not ok')} ${pick(number, '1', '5')} - a`),
  },
  {
    format: 'tap',
    pair: 'failures in a comment, and the tests',
    write: (total, tests) => tap('1..2', pick(tests, 'ok 1 - a', 'not ok 1 - a'), `# fail ${pick(total, '0', '1')}\n`),
  },
  {
    format: 'tap',
    pair: 'failures of node-tap, and the tests',
    write: (total, tests) =>
      tap('1..2', pick(tests, 'ok 1 - a', 'not ok 1 - a'), pick(total, '', '# failed 1 of 2 tests\n')),
  },
  ...(
    [
      ['the exit of Test::More, and the tests', '# Looks like your test exited with 2 just after 2.\n'],
      ['the plan in a comment of Test::More, and the tests', '# Looks like you planned 3 tests but ran 2.\n'],
      ['failures of Test::More, and the tests', '# Looks like you failed 1 test of 2.\n'],
      ['failures as a fraction in a comment, and the tests', '# FAILED 1/2\n'],
    ] as const
  ).map(([pair, comment]): Contradiction => ({
    format: 'tap',
    pair,
    write: (stated, tests) => tap('1..2', pick(tests, 'ok 1 - a', 'not ok 1 - a'), pick(stated, '', comment)),
  })),
  {
    format: 'tap',
    pair: 'a subtest, and its summary',
    write: (inner, summary) =>
      tap(
        '1..2',
        `# Subtest: a\n    ${pick(inner, 'ok', 'not ok')} 1 - x\n    1..1\n${pick(summary, 'ok', 'not ok')} 1 - a`,
      ),
  },
  {
    format: 'tap',
    pair: 'two plans',
    write: (one, other) => tap(`1..${pick(one, '2', '3')}`, 'ok 1 - a', pick(other, '', '1..2\n')),
  },
  {
    format: 'tap',
    pair: 'a bail-out, and the tests',
    write: (bail, tests) => tap('1..2', pick(tests, 'ok 1 - a', 'not ok 1 - a'), pick(bail, '', 'Bail out! no disk\n')),
  },
];

/** Contradictions in reports of tests. */
export const TEST_CONTRADICTIONS: readonly Contradiction[] = [
  ...JUNIT_CONTRADICTIONS,
  ...CTRF,
  ...JEST,
  ...PLAYWRIGHT,
  ...GO_TEST,
  ...TAP,
];
