import { describe, expect, it } from '@jest/globals';
import { parseReport } from './formats.js';
import { ReportError } from './report-text.js';

type Outcome = 'read' | 'refused';

function outcomeOf(text: string): Outcome {
  try {
    parseReport({ filename: 'flood', content: [new TextEncoder().encode(text)] });
    return 'read';
  } catch (error) {
    if (error instanceof ReportError) return 'refused';
    throw error;
  }
}

const repeat = (count: number, one: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => one(n)).join('');

const LONG = 'n'.repeat(900_000);
const cobertura = (classes: string): string => `<coverage line-rate="1"><packages>${classes}</packages></coverage>`;
const jacoco = (content: string): string => `<report name="r">${content}</report>`;
const clover = (content: string): string => `<coverage generated="1"><project>${content}</project></coverage>`;
const bom = (content: string): string => `<bom xmlns="http://cyclonedx.org/schema/bom/1.6">${content}</bom>`;
const trivy = (results: string): string => `{"SchemaVersion":2,"ArtifactName":"a","Results":[${results}]}`;
const sarif = (extensions: string, results: string): string =>
  `{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"d"},"extensions":[${extensions}{"name":"e"}]},"results":[${results}{"message":{}}]}]}`;

/**
 * Each flood has a few megabytes: many repetitions of a part of a format, or a long name that all nested parts could copy. A
 * parser that needs more than linear time or memory for it exceeds the time limit of the test.
 */
const FLOODS: readonly (readonly [string, string, Outcome])[] = [
  [
    'lines of a class',
    cobertura(`<class filename="a">${repeat(40_000, (n) => `<line number="${n}" hits="1"/>`)}</class>`),
    'read',
  ],
  [
    'classes of one file',
    cobertura(repeat(20_000, (n) => `<class filename="a"><line number="${n}" hits="0"/></class>`)),
    'read',
  ],
  ['classes without lines', cobertura(repeat(40_000, (n) => `<class filename="${n}"/>`)), 'read'],
  [
    'conditions without end',
    cobertura(`<class filename="a"><line number="1" hits="1" condition-coverage="${'(1/'.repeat(100_000)}"/></class>`),
    'read',
  ],
  [
    'values below a long key, before an error',
    `{"auditReportVersion":2,"vulnerabilities":{"${LONG}":{"via":[${'0,'.repeat(300_000)}0],"severity":"none"}}}`,
    'refused',
  ],
  ['nested classes', cobertura('<class filename="a">'.repeat(40_000)), 'refused'],
  [
    'files below a long module',
    jacoco(
      `<group name="${LONG}"><package name="p">${repeat(40_000, (n) => `<sourcefile name="${n}"/>`)}</package></group>`,
    ),
    'read',
  ],
  [
    'packages below a long module',
    jacoco(`<group name="${LONG}">${repeat(40_000, (n) => `<package name="${n}"/>`)}</group>`),
    'read',
  ],
  ['nested modules', jacoco('<group name="g">'.repeat(40_000)), 'refused'],
  [
    'files below deep modules',
    jacoco(
      `${'<group name="g">'.repeat(990)}${repeat(40_000, (n) => `<sourcefile name="${n}"/>`)}${'</group>'.repeat(990)}`,
    ),
    'read',
  ],
  ['modules as deep as may be', jacoco(`${'<group name="g">'.repeat(990)}${'</group>'.repeat(990)}`), 'read'],
  ['counters', jacoco('<counter type="LINE" missed="1" covered="1"/>'.repeat(20_000)), 'read'],
  [
    'files in a long package',
    clover(`<package name="${LONG}">${repeat(40_000, (n) => `<file name="${n}"/>`)}</package>`),
    'read',
  ],
  ['uncovered files', clover(repeat(20_000, (n) => `<file name="${n}"><line num="1" count="0"/></file>`)), 'read'],
  ['blocks', `mode: set\n${repeat(40_000, (n) => `a.go:${n}.1,${n}.2 1 0\n`)}`, 'read'],
  ['colons', `mode: set\n${'1:'.repeat(1_000_000)}`, 'refused'],
  ['digits', `mode: set\na.go:${'1'.repeat(2_000_000)}`, 'refused'],
  ['space after a mode', `mode: set${' '.repeat(2_000_000)}`, 'read'],
  [
    'findings in a long target',
    trivy(`{"Target":"${LONG}","Secrets":[${'{"StartLine":1},'.repeat(20_000)}{}]}`),
    'read',
  ],
  [
    'vulnerable packages',
    `{"auditReportVersion":2,"vulnerabilities":{${repeat(30_000, (n) => `"${n}":{"severity":"low","via":["a"]},`)}"a":{"severity":"low"}},"metadata":{"vulnerabilities":{},"dependencies":{"total":1}}}`,
    'read',
  ],
  [
    'causes of one package',
    `{"auditReportVersion":2,"vulnerabilities":{"a":{"severity":"low","via":[${'"b",'.repeat(100_000)}"c"]}},"metadata":{"vulnerabilities":{},"dependencies":{"total":1}}}`,
    'read',
  ],
  ['components', bom(`<components>${'<component><name>a</name></component>'.repeat(20_000)}</components>`), 'read'],
  ['nested components', bom('<components><component>'.repeat(40_000)), 'refused'],
  ['one name', bom(`<components><component><name>${LONG}</name></component></components>`), 'read'],
  ['tags', `SPDXVersion: SPDX-2.3\n${'PackageName: a\n'.repeat(40_000)}`, 'read'],
  ['an open text', `SPDXVersion: SPDX-2.3\nComment: <text>${'<text>\n'.repeat(100_000)}`, 'refused'],
  [
    'elements',
    `{"@context":"https://spdx.org/rdf/3.0.1/spdx-context.jsonld","@graph":[${'{"type":"software_Package"},'.repeat(20_000)}{}]}`,
    'read',
  ],
  [
    'extensions',
    sarif(
      repeat(60_000, (n) => `{"name":"${n}"},`),
      repeat(60_000, (n) => `{"ruleId":"${n}","message":{}},`),
    ),
    'read',
  ],
  ['levels of an id', sarif('', `{"ruleId":"${'a/'.repeat(1_000_000)}","message":{}},`), 'refused'],
  ['spaces before a line separator', `1..1\nnot ok${' '.repeat(300_000)}\u2028x\n`, 'read'],
  ['spaces before a carriage return', `1..1\nnot ok${' '.repeat(300_000)}\rx\n`, 'read'],
  ['attributes of a root', `<coverage ${repeat(40_000, (n) => `a${n}="" `)}/>`, 'refused'],
  ['an open attribute of a root', `<coverage a="${'b'.repeat(3_000_000)}`, 'refused'],
];

describe('a flood', () => {
  it.each(FLOODS)('of %s ends', (_name, text, expected) => {
    expect(outcomeOf(text)).toBe(expected);
  });
});
