import { describe, expect, it } from '@jest/globals';
import { REPORT_LIMITS, type ParsedContent } from './report-format.js';
import { ReportText } from './report-text.js';
import { trivy } from './trivy.js';

const textOf = (document: unknown): ReportText =>
  ReportText.decode('trivy.json', new TextEncoder().encode(JSON.stringify(document, null, 2)));

const report = (results: unknown, rest: object = {}): object => ({
  SchemaVersion: 2,
  ArtifactName: 'shop/cart:1.4.0',
  ArtifactType: 'container_image',
  Results: results,
  ...rest,
});

const read = (results: unknown, rest?: object): ParsedContent =>
  trivy.read(textOf(report(results, rest)), REPORT_LIMITS);

/** `critical high medium low` of the findings of one target. */
function severitiesOf(result: object): string {
  const { measure } = read([{ Target: 'package-lock.json', ...result }]);
  if (measure.of !== 'findings') throw new Error(measure.of);
  const { critical, high, medium, low } = measure.value;
  return [critical, high, medium, low].join(' ');
}

describe('Trivy', () => {
  it.each([
    [report([]), true],
    [{ SchemaVersion: 2, ArtifactName: '.' }, true],
    [{ SchemaVersion: 2 }, false],
    [{ Results: [] }, false],
    [[], false],
  ])('is detected by its keys: %j', (document, expected) => {
    expect(trivy.detect(textOf(document))).toBe(expected);
  });

  it.each([
    ['CRITICAL', '1 0 0 0'],
    ['HIGH', '0 1 0 0'],
    ['MEDIUM', '0 0 1 0'],
    ['LOW', '0 0 0 1'],
    ['UNKNOWN', '0 0 1 0'],
    ['', '0 0 1 0'],
    [undefined, '0 0 1 0'],
    [null, '0 0 1 0'],
  ])('counts a vulnerability of severity %s', (Severity, expected) => {
    expect(severitiesOf({ Vulnerabilities: [{ VulnerabilityID: 'CVE-1', Severity }] })).toBe(expected);
  });

  it.each([
    ['a misconfiguration', { Misconfigurations: [{ ID: 'DS002', Severity: 'HIGH', Status: 'FAIL' }] }, '0 1 0 0'],
    ['a misconfiguration without a status', { Misconfigurations: [{ ID: 'DS002', Severity: 'HIGH' }] }, '0 1 0 0'],
    ['a check that passed', { Misconfigurations: [{ ID: 'DS002', Severity: 'HIGH', Status: 'PASS' }] }, '0 0 0 0'],
    ['an exception', { Misconfigurations: [{ ID: 'DS002', Severity: 'HIGH', Status: 'EXCEPTION' }] }, '0 0 0 0'],
    ['a secret', { Secrets: [{ RuleID: 'aws-access-key-id', Severity: 'CRITICAL' }] }, '1 0 0 0'],
    ['a licence', { Licenses: [{ Severity: 'HIGH', Name: 'AGPL-3.0' }] }, '0 0 0 0'],
    ['no list at all', { Vulnerabilities: null, Misconfigurations: null, Secrets: null }, '0 0 0 0'],
  ])('counts %s', (_name, result, expected) => {
    expect(severitiesOf(result)).toBe(expected);
  });

  it.each([[[]], [null], [undefined]])('fails if it names no scanned target: %j', (results) => {
    expect(read(results).failures).toEqual(['Trivy lists no scanned target']);
  });

  it('fails if it states more failed checks than it lists', () => {
    const Misconfigurations = [
      { ID: 'DS002', Severity: 'HIGH', Status: 'FAIL' },
      { ID: 'DS005', Severity: 'LOW', Status: 'PASS' },
    ];
    const failuresOf = (Failures: number): readonly string[] =>
      read([{ Target: 'Dockerfile', Misconfigurations, MisconfSummary: { Successes: 1, Failures } }]).failures;
    expect(failuresOf(2)).toEqual(['Dockerfile: 2 checks failed, 1 listed']);
    expect(failuresOf(1)).toEqual([]);
  });

  it('does not fail if a target has no findings', () => {
    expect(read([{ Target: 'package-lock.json', Class: 'lang-pkgs', Type: 'npm' }])).toMatchObject({
      failures: [],
      notes: [],
    });
  });

  it('notes the findings that it does not count', () => {
    const result = { Licenses: [{}, {}], ExperimentalModifiedFindings: [{ Type: 'vulnerability', Status: 'ignored' }] };
    const { notes } = read([result], { Metadata: { OS: { Family: 'alpine', Name: '3.10', EOSL: true } } });
    expect(notes).toEqual([
      'the operating system is no longer supported: new vulnerabilities are not reported',
      '2 licenses not counted',
      '1 findings not counted: suppressed in the scan',
    ]);
  });

  it('shows the worst first, with its place, and never a secret', () => {
    const { details } = read([
      {
        Target: 'Dockerfile',
        Misconfigurations: [
          { ID: 'DS002', Title: 'root', Message: 'Specify a user', Severity: 'LOW', CauseMetadata: { StartLine: 3 } },
        ],
      },
      {
        Target: 'package-lock.json',
        Vulnerabilities: [
          { VulnerabilityID: 'CVE-1', PkgName: 'tar', InstalledVersion: '6.0.0', Title: 'path', Severity: 'HIGH' },
        ],
        Secrets: [{ RuleID: 'jwt', Title: 'A token', Severity: 'CRITICAL', StartLine: 7, Match: 'hunter2', Code: {} }],
      },
    ]);
    expect(details).toEqual([
      { title: 'critical: jwt', location: 'package-lock.json:7', message: 'A token' },
      { title: 'high: CVE-1', location: 'package-lock.json', message: 'tar 6.0.0: path' },
      { title: 'low: DS002', location: 'Dockerfile:3', message: 'root: Specify a user' },
    ]);
  });

  it.each([
    [{ SchemaVersion: 1, ArtifactName: 'a', Results: [] }, 'SchemaVersion: version 2 is expected'],
    [report({}), 'Results: an array is expected'],
    [report(['a']), 'Results[0]: an object is expected'],
    [report([{ Vulnerabilities: {} }]), 'Results[0].Vulnerabilities: an array is expected'],
    [report([{ Vulnerabilities: [1] }]), 'Results[0].Vulnerabilities[0]: an object is expected'],
    [report([{ Vulnerabilities: [{ Severity: 'high' }] }]), 'Results[0].Vulnerabilities[0].Severity: one of CRITICAL'],
    [report([{ Secrets: [{ Severity: 'toString' }] }]), 'Results[0].Secrets[0].Severity: one of CRITICAL'],
    [report([{ Secrets: [{ Severity: 9 }] }]), 'Results[0].Secrets[0].Severity: a string is expected'],
    [report([{ Misconfigurations: [{ Status: 'OK' }] }]), 'Results[0].Misconfigurations[0].Status: one of PASS'],
  ])('rejects %j', (document, reason) => {
    expect(() => trivy.read(textOf(document), REPORT_LIMITS)).toThrow(reason);
  });
});
