import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestEnvironment } from '../support/test-environment.js';
import type { UserSession } from '../support/user-session.js';
import { OverrideScenario } from './scenarios/override-scenario.js';
import { codesOf } from './scenarios/repository-scenario.js';

let env: TestEnvironment;
let ada: UserSession;
let bob: UserSession;
let scenarios = 0;
beforeAll(async () => {
  env = await TestEnvironment.start({ BILLING: 'off', RATE_LIMITS: 'off' });
  await env.install();
});
afterAll(() => env.stop());

/** A JUnit file with the tests "layout", "payment" and "rounding", of which the given ones fail. */
const report = (failing: readonly string[], suite = 'shop'): string =>
  `<testsuite name="${suite}">${['layout', 'payment', 'rounding']
    .map(
      (name) =>
        `<testcase classname="Checkout" name="${name}">${failing.includes(name) ? '<failure/>' : ''}</testcase>`,
    )
    .join('')}</testsuite>`;

/** A release at a commit, without evidence. */
async function given(sdlc?: string): Promise<{ readonly scenario: OverrideScenario; readonly sha: string }> {
  scenarios += 1;
  const scenario = new OverrideScenario(env, 'v1.0.0', {
    name: `waived-${scenarios}`,
    ...(sdlc !== undefined && { sdlc }),
  });
  ada ??= await scenario.admin('ada');
  bob ??= await scenario.admin('bob');
  scenario.milestone(scenario.version);
  const sha = scenario.commit();
  await env.waitUntilIdle();
  return { scenario, sha };
}

interface Uploaded {
  readonly files: readonly { readonly filename: string; readonly content: string }[];
  readonly job?: string;
  readonly kind?: string;
}

type StoredTests = readonly { readonly id: string; readonly alsoIn?: readonly string[] }[];

async function upload(scenario: OverrideScenario, sha: string, ...uploads: readonly Uploaded[]): Promise<void> {
  const run = scenario.run(sha);
  for (const body of uploads) {
    const { status, body: answer } = await run.upload(scenario.version, body);
    if (status !== 201) throw new Error(`the upload was answered with ${status}: ${JSON.stringify(answer)}`);
  }
  await env.waitUntilIdle();
}

const junit = (...failing: readonly string[]): Uploaded => ({
  files: [{ filename: 'junit.xml', content: report(failing) }],
});

async function waive(scenario: OverrideScenario, condition = 'evidence_failing'): Promise<readonly string[]> {
  const requested = await scenario.requestWaiver(ada, { condition });
  expect(requested.status).toBe(201);
  const confirmed = await scenario.confirm(bob, 'waivers', requested);
  expect(confirmed.status).toBe(200);
  await env.waitUntilIdle();
  return (confirmed.body['subjects'] as readonly { readonly label: string }[]).map(({ label }) => label);
}

describe('a waiver of a failed test', () => {
  it('covers the test in a later run, and no other test with the same sentence', async () => {
    const { scenario, sha } = await given();
    await upload(scenario, sha, junit('layout'));
    expect(codesOf(await scenario.gate('v1.0.0'))).toContain('evidence_failing');
    expect(await waive(scenario)).toEqual(['the test "shop › Checkout › layout" in "unit_tests" of "build" (ci)']);
    expect((await scenario.gate('v1.0.0')).current_stage).toBe('EVIDENCING');

    await upload(scenario, sha, junit('layout'));
    expect((await scenario.gate('v1.0.0')).current_stage).toBe('EVIDENCING');

    await upload(scenario, sha, junit('payment'));
    const closed = await scenario.gate('v1.0.0');
    expect([closed.current_stage, codesOf(closed)]).toEqual(['TESTING', ['evidence_failing']]);
  });

  it('does not cover a name that another upload or file of the run has, too', async () => {
    const { scenario, sha } = await given();
    await upload(scenario, sha, { ...junit('layout'), job: 'linux' }, { ...junit(), job: 'windows' });
    expect(await waive(scenario)).toEqual([expect.stringContaining('everything that fails in "unit_tests"')]);
    expect((await scenario.gate('v1.0.0')).current_stage).toBe('EVIDENCING');
    await upload(scenario, sha, { ...junit(), job: 'linux' }, { ...junit('layout'), job: 'windows' });
    expect((await scenario.gate('v1.0.0')).current_stage).toBe('TESTING');

    const other = await given();
    const files = (first: readonly string[], second: readonly string[]) => ({
      files: [
        { filename: 'a.xml', content: report(first) },
        { filename: 'b.xml', content: report(second) },
      ],
    });
    await upload(other.scenario, other.sha, files(['layout'], []));
    expect(await waive(other.scenario)).toEqual([expect.stringContaining('everything that fails')]);
    await upload(other.scenario, other.sha, files([], ['layout']));
    expect((await other.scenario.gate('v1.0.0')).current_stage).toBe('TESTING');
  });

  it('does not cover a name that very many uploads of the run have, and stores none of them', async () => {
    const { scenario, sha } = await given();
    const jobs = Array.from({ length: 21 }, (_, job): Uploaded => ({ ...junit(), job: `job ${job}` }));
    await upload(scenario, sha, ...jobs, { ...junit('layout'), job: 'last' });
    const stored = await env.asSuperuser<{ readonly tests: StoredTests; readonly repeated: readonly string[] }>(
      `select identified_failures #> '{unit_tests,tests}' as tests, identified_failures #> '{unit_tests,repeatedTests}' as repeated
       from evidence where commit_sha = '${sha}' and identified_failures is not null`,
    );
    const tests = stored.flatMap((identified) => identified.tests);
    expect(tests.map(({ alsoIn }) => alsoIn)).toEqual([undefined]);
    expect(stored.flatMap(({ repeated }) => repeated)).toEqual(tests.map(({ id }) => id));
    expect(await waive(scenario)).toEqual([expect.stringContaining('everything that fails in "unit_tests"')]);
  });

  it('covers only whole uploads once the named failures of the release are too many for each verdict', async () => {
    const { scenario, sha } = await given();
    await upload(scenario, sha, junit('payment'));
    await env.asSuperuser(
      `update evidence set identified_failures = identified_failures || jsonb_build_object('others', repeat(repeat('x', 1000) || ' ', 9000))
       where commit_sha = '${sha}'`,
    );
    await upload(scenario, sha, junit('layout'));
    expect(await waive(scenario)).toEqual([expect.stringContaining('everything that fails in "unit_tests"')]);
  });

  it('names a failed test, since when it fails and where it last passed', async () => {
    const { scenario, sha } = await given();
    await upload(scenario, sha, junit());
    await upload(scenario, sha, junit('layout'));
    await upload(scenario, sha, junit('layout', 'payment'));
    const { reasons = [] } = await scenario.gate('v1.0.0');
    expect(reasons.find(({ code }) => code === 'evidence_failing')?.detail).toMatch(
      /Failed: "shop › Checkout › layout" \(fails since the run \d+ of 20\d\d-\d\d-\d\d, last passed in v1\.0\.0\); "shop › Checkout › payment" \(fails since this run, last passed in v1\.0\.0\)\./,
    );
  });
});

describe('a waiver of a finding', () => {
  const SDLC = 'version: v1\nquality_gates:\n  security: { max_critical: 0 }\n';
  /** A scan with one critical finding of the rule. */
  const scan = (rule: string): Uploaded => ({
    job: 'scan',
    kind: 'security',
    files: [
      {
        filename: 'scan.sarif',
        content: JSON.stringify({
          version: '2.1.0',
          runs: [
            {
              tool: { driver: { name: 'scanner', rules: [{ id: rule, properties: { 'security-severity': '9.8' } }] } },
              results: [
                {
                  ruleId: rule,
                  level: 'error',
                  message: { text: 'found' },
                  locations: [
                    { physicalLocation: { artifactLocation: { uri: 'package-lock.json' }, region: { startLine: 1 } } },
                  ],
                },
              ],
            },
          ],
        }),
      },
    ],
  });

  it('covers the finding in a later run, and no other finding with the same sentence', async () => {
    const { scenario, sha } = await given(SDLC);
    await upload(scenario, sha, junit(), scan('CVE-1'));
    expect(codesOf(await scenario.gate('v1.0.0'))).toEqual(['quality_gate_failing']);
    expect(await waive(scenario, 'quality_gate_failing')).toEqual([expect.stringContaining('CVE-1')]);
    expect((await scenario.gate('v1.0.0')).current_stage).toBe('EVIDENCING');
    await upload(scenario, sha, junit(), scan('CVE-1'));
    expect((await scenario.gate('v1.0.0')).current_stage).toBe('EVIDENCING');
    await upload(scenario, sha, junit(), scan('CVE-2'));
    expect(codesOf(await scenario.gate('v1.0.0'))).toEqual(['quality_gate_failing']);
  });
});
