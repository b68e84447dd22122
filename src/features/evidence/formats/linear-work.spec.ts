import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CountedWork } from '../../../../test/support/counted-work.js';

const work = new CountedWork('/src/features/evidence/');
let read: (text: string) => void;

beforeAll(async () => {
  await work.start();
  const { parseFiles } = await import('../parsing/report-parsing.js');
  read = (text) => {
    const content = [new TextEncoder().encode(text)];
    const result = parseFiles({ files: [{ filename: 'report', content }], kind: undefined });
    if ('rejected' in result) throw new Error(result.rejected);
  };
  // The first run also counts what runs once.
  read('<testsuite/>');
});
afterAll(() => work.stop());

/** The sizes of a report: the length of its long name, its depth, the number of its entries, and the length of its long message. */
interface Sizes {
  readonly name: number;
  readonly depth: number;
  readonly entries: number;
  readonly message: number;
}

const DIMENSIONS = ['name', 'depth', 'entries', 'message'] as const satisfies readonly (keyof Sizes)[];

const repeat = (count: number, one: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => one(n)).join('');
const list = <T>(count: number, one: (n: number) => T): readonly T[] => Array.from({ length: count }, (_, n) => one(n));
const long = (length: number): string => 'n'.repeat(length);
const nest = (depth: number, around: (inner: object, level: number) => object, inner: object): object =>
  list(depth, (level) => level).reduce((value, level) => around(value, level), inner);

/** Each report states its long name and its long message once, so twice the sizes are twice the bytes. */
const REPORTS: Readonly<Record<string, (sizes: Sizes) => string | object>> = {
  'a JUnit suite': ({ name, depth, entries, message }) =>
    `<testsuite name="${long(name)}">${repeat(20 * depth, (n) => `<testsuite name="s${n}">`)}` +
    repeat(entries, (n) => `<testcase name="t${n}"><failure/></testcase><error/>`) +
    `<error message="${long(message)}"/>${'</testsuite>'.repeat(20 * depth + 1)}`,
  'a JUnit file with a long class': ({ name, entries }) =>
    `<testsuite><testcase classname="${long(name)}"/>${repeat(entries, (n) => `<testcase name="t${n}"/>`)}</testsuite>`,
  'Playwright suites': ({ name, depth, entries, message }) => ({
    config: {},
    errors: [{ message: long(message) }],
    suites: [
      nest(
        Math.min(depth, 26),
        (inner, level) => ({ title: level === 0 ? long(name) : `s${level}`, suites: [inner] }),
        {
          title: 's',
          specs: list(entries, (n) => ({
            title: `t${n}`,
            tests: [
              {
                projectName: 'p',
                status: 'unexpected',
                expectedStatus: 'passed',
                results: [{ status: 'interrupted' }],
              },
            ],
          })),
        },
      ),
    ],
  }),
  'the projects of a Playwright test': ({ name, entries }) => ({
    config: {},
    errors: [],
    suites: [
      {
        title: long(name),
        specs: [
          {
            title: long(name),
            file: long(name),
            tests: list(entries, (n) => ({
              projectName: `p${n}`,
              status: 'unexpected',
              expectedStatus: 'passed',
              results: [{ status: 'failed' }],
            })),
          },
        ],
      },
    ],
  }),
  'TAP subtests': ({ name, entries, message }) => {
    const points = repeat(entries, (n) => `        not ok ${n + 2}\n`);
    return `TAP version 14\n# Subtest: ${long(name)}\n    # Subtest: inner\n${points}    ok 1 - ${long(message)}\nok 2\n`;
  },
  'a CTRF report': ({ name, entries, message }) => ({
    results: {
      tests: [
        { name: 't', status: 'failed', suite: list(entries, (n) => `s${n}`), message: long(message) },
        { name: 't', status: 'failed', suite: [long(name), 's'], filePath: long(name) },
        ...list(entries, (n) => ({ name: `t${n}`, status: 'failed', suite: ['s'] })),
      ],
    },
  }),
  'a file of Jest': ({ name, entries, message }) => ({
    numTotalTests: 0,
    success: false,
    testResults: [
      {
        name: long(name),
        status: 'failed',
        message: long(message),
        assertionResults: list(entries, (n) => ({ title: `t${n}`, status: 'failed', ancestorTitles: ['s'] })),
      },
    ],
  }),
  'events of go test': ({ name, depth, entries, message }) =>
    [
      { Action: 'output', Package: 'p', Test: 'T', Output: long(message) },
      { Action: 'run', Package: 'p', Test: `T/${long(name)}` },
      { Action: 'run', Package: 'p', Test: `T${'/s'.repeat(20 * depth)}` },
      ...list(entries, (n) => ({ Action: 'fail', Package: 'p', Test: `T/t${n}` })),
      { Action: 'fail', Package: 'p' },
    ]
      .map((event) => JSON.stringify(event))
      .join('\n'),
  'results of a SARIF rule': ({ name, depth, entries, message }) => ({
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: long(name),
            rules: [
              {
                id: long(name),
                properties: { 'security-severity': '5' },
                fullDescription: { text: long(message) },
              },
            ],
          },
        },
        invocations: list(entries, () => ({ executionSuccessful: false })),
        results: [
          { ruleId: `x${'/y'.repeat(Math.min(depth, 80))}` },
          ...list(entries, () => ({ ruleIndex: 0 })),
          ...list(entries, (n) => ({ ruleId: `r${n}`, level: 'note' })),
        ],
      },
    ],
  }),
  'SARIF results in one file': ({ name, entries }) => ({
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'd', rules: list(entries, (n) => ({ id: `r${n}` })) } },
        results: [
          { locations: [{ physicalLocation: { artifactLocation: { uri: long(name) }, region: { startLine: 1 } } }] },
          ...list(entries, (n) => ({ ruleId: `r${n}/1` })),
        ],
      },
    ],
  }),
  'a Trivy target': ({ name, entries, message }) => ({
    SchemaVersion: 2,
    ArtifactName: 'a',
    Results: [
      {
        Target: long(name),
        MisconfSummary: { Failures: 10 * entries },
        Vulnerabilities: [
          { VulnerabilityID: 'v', Severity: 'LOW', Title: long(message) },
          ...list(entries, (n) => ({ VulnerabilityID: `v${n}`, Severity: 'HIGH' })),
        ],
        Secrets: list(entries, (n) => ({ RuleID: `r${n}`, Severity: 'HIGH', StartLine: n })),
      },
    ],
  }),
  'packages of npm audit': ({ name, entries }) => ({
    auditReportVersion: 2,
    vulnerabilities: Object.fromEntries([
      [long(name), { severity: 'low', via: list(entries, (n) => `p${n}`) }],
      ...list(entries, (n) => [`p${n}`, { severity: 'high', via: ['a'] }]),
    ]),
    metadata: { vulnerabilities: {}, dependencies: { total: 1 } },
  }),
  'nested components of CycloneDX': ({ name, depth, entries }) => ({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    components: [
      nest(Math.min(depth, 28), (inner, level) => ({ name: level === 0 ? long(name) : 'n', components: [inner] }), {
        name: 'n',
        components: list(entries, (n) => ({ name: `c${n}` })),
      }),
    ],
  }),
  'packages of SPDX': ({ name, entries }) => ({
    spdxVersion: 'SPDX-2.3',
    packages: [{ name: long(name) }, ...list(entries, (n) => ({ name: `p${n}` }))],
  }),
  'an LCOV record': ({ name, entries }) =>
    `SF:${long(name)}\n${repeat(entries, (n) => `DA:${n},1\nBRDA:${n},0,0,1\n`)}LF:1\nend_of_record\n` +
    repeat(entries, (n) => `SF:f${n}\nDA:1,0\nend_of_record\n`),
  'a Cobertura package': ({ name, entries }) =>
    `<coverage line-rate="1"><sources><source>/${long(name)}</source></sources><packages><package name="${long(name)}"><classes>` +
    repeat(entries, (n) => `<class filename="f${n}"><lines><line number="1" hits="0"/></lines></class>`) +
    '</classes></package></packages></coverage>',
  'nested groups of JaCoCo': ({ name, depth, entries }) =>
    `<report name="r"><group name="${long(name)}">${repeat(20 * depth, (n) => `<group name="g${n}">`)}<package name="p">` +
    repeat(entries, (n) => `<sourcefile name="f${n}"><line nr="1" mi="1" ci="0"/></sourcefile>`) +
    `</package>${'</group>'.repeat(20 * depth + 1)}</report>`,
  'an LCOV file in many records': ({ entries }) =>
    repeat(10 * entries, (n) => `SF:f\nDA:1,1\nBRDA:1,0,${n},1\nend_of_record\n`),
  'the functions of a JaCoCo class': ({ name, entries }) =>
    `<report name="r"><package name="p"><class name="${long(name)}" sourcefilename="f">` +
    repeat(entries, (n) => `<method name="m${n}"/>`) +
    '</class><sourcefile name="f"><line nr="1" mi="1" ci="0"/></sourcefile></package></report>',
  'JaCoCo source files of one name': ({ entries }) =>
    `<report name="r"><package name="p"><class name="C" sourcefilename="f">${repeat(entries, (n) => `<method name="m${n}"/>`)}</class>` +
    repeat(entries, () => `<sourcefile name="f"><line nr="1" mi="1" ci="0"/></sourcefile>`) +
    '</package></report>',
  'a Clover package': ({ name, entries }) =>
    `<coverage generated="1"><project><package name="${long(name)}">` +
    repeat(entries, (n) => `<file name="f${n}"><line num="1" type="stmt" count="0"/></file>`) +
    '</package></project></coverage>',
  'a Go coverage profile': ({ name, entries }) =>
    `mode: set\n${long(name)}.go:1.1,2.2 1 0\n${repeat(entries, (n) => `f${n}.go:1.1,2.2 1 0\n`)}`,
};

/** Large enough that a product of two of them is much more than their sum. */
const SIZES: Sizes = { name: 20_000, depth: 13, entries: 400, message: 20_000 };
const DOUBLED: readonly (readonly [what: string, sizes: Sizes])[] = [
  ...DIMENSIONS.map((dimension) => [dimension, { ...SIZES, [dimension]: 2 * SIZES[dimension] }] as const),
  ['all sizes', { name: 40_000, depth: 26, entries: 800, message: 40_000 }],
];

describe('the work to read a report', () => {
  it.each(Object.entries(REPORTS))('at most doubles with the sizes of %s', async (_what, create) => {
    const count = (sizes: Sizes): Promise<number> => {
      const report = create(sizes);
      return work.count(() => read(typeof report === 'string' ? report : JSON.stringify(report)));
    };
    const once = await count(SIZES);
    const ratios: (readonly [string, number])[] = [];
    for (const [what, sizes] of DOUBLED) ratios.push([what, (await count(sizes)) / once]);
    expect(ratios.filter(([, ratio]) => ratio > 2.1)).toEqual([]);
  });
});
