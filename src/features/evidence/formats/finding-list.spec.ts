import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { FindingList, type FindingIdentity, type Severity, worseSeverity } from './finding-list.js';
import { parseReport, type ParsedReport } from './formats.js';

const INJECTION: FindingIdentity = { tool: 'Scanner', rule: 'sql', fingerprint: null, file: 'src/pay.ts' };

function listOf(...found: readonly (readonly [Partial<FindingIdentity>, Severity])[]): FindingList {
  const list = new FindingList();
  for (const [identity, severity] of found) list.add({ ...INJECTION, ...identity }, severity);
  return list;
}

const digest = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);

describe('the findings of a scan', () => {
  it('are identified by tool, rule, file and severity, and counted', () => {
    expect(listOf([{}, 'high'], [{}, 'low'], [{}, 'high'], [{ file: 'b.ts' }, 'high']).worst).toEqual([
      { id: digest('Scanner', 'sql', 'src/pay.ts', 'high'), label: 'sql in src/pay.ts', severity: 'high', count: 2 },
      { id: digest('Scanner', 'sql', 'b.ts', 'high'), label: 'sql in b.ts', severity: 'high', count: 1 },
      { id: digest('Scanner', 'sql', 'src/pay.ts', 'low'), label: 'sql in src/pay.ts', severity: 'low', count: 1 },
    ]);
  });

  it('are identified by their fingerprint alone, if they have one, and counted for each severity', () => {
    const fingerprint = 'abc';
    const { worst } = listOf([{ fingerprint }, 'low'], [{ fingerprint, file: 'moved.ts' }, 'critical'], [{}, 'high']);
    expect(worst).toEqual([
      { id: digest('Scanner', 'sql', 'abc'), label: 'sql in moved.ts', severity: 'critical', count: 1 },
      expect.objectContaining({ severity: 'high', count: 1 }),
      { id: digest('Scanner', 'sql', 'abc'), label: 'sql in src/pay.ts', severity: 'low', count: 1 },
    ]);
    expect(listOf([{ fingerprint, file: null }, 'low']).worst).toMatchObject([{ label: 'sql', count: 1 }]);
  });

  it.each([[{ rule: '' }], [{ file: null }], [{ file: '' }], [{ rule: '', fingerprint: 'abc' }]])(
    'without a rule or a place have no identity: %j',
    (identity) => {
      expect(listOf([identity, 'high']).worst).toEqual([]);
    },
  );

  it('of another tool or rule are others', () => {
    const found = [{}, { tool: 'Other' }, { rule: 'xss' }, { fingerprint: 'a' }, { fingerprint: 'a', tool: 'Other' }];
    expect(new Set(listOf(...found.map((one) => [one, 'high'] as const)).worst.map(({ id }) => id)).size).toBe(5);
  });

  it('are listed worst first, at most 200', () => {
    const low = Array.from({ length: 300 }, (_, index) => [{ file: `${index}` }, 'low'] as const);
    const { worst } = listOf(...low, [{}, 'medium'], [{}, 'critical']);
    expect(worst).toHaveLength(200);
    expect(worst.slice(0, 3).map(({ severity }) => severity)).toEqual(['critical', 'medium', 'low']);
  });

  it('of several lists are added up, worst first', () => {
    const list = new FindingList();
    list.addAll(listOf([{}, 'low'], [{ fingerprint: 'a' }, 'low']).worst);
    list.addAll(listOf([{}, 'low'], [{ fingerprint: 'a' }, 'critical'], [{ rule: 'xss' }, 'medium']).worst);
    expect(list.worst.map(({ severity, count }) => [severity, count])).toEqual([
      ['critical', 1],
      ['medium', 1],
      ['low', 2],
      ['low', 1],
    ]);
  });

  it('have labels of at most 300 characters, without control characters', () => {
    const [finding] = listOf([{ rule: 'r'.repeat(500) }, 'low']).worst;
    expect(finding?.label).toHaveLength(300);
    expect(listOf([{ rule: 'a\u0000b' }, 'low']).worst[0]?.label).toBe('a\uFFFDb in src/pay.ts');
  });

  it.each([
    ['critical', 'low', 'critical'],
    ['medium', 'high', 'high'],
    ['low', 'low', 'low'],
  ] as const)('the worse of %s and %s is %s', (one, other, worse) => {
    expect(worseSeverity(one, other)).toBe(worse);
  });
});

function read(document: object): ParsedReport {
  const content = [new TextEncoder().encode(JSON.stringify(document))];
  const report = parseReport({ filename: 'scan.json', content });
  if (!('metrics' in report)) throw new Error('kept as a page');
  return report;
}

const labelsOf = ({ findings }: ParsedReport): readonly string[] =>
  findings.map(({ label, severity, count }) => `${severity} ${count} ${label}`);

const sarif = (results: readonly object[]): ParsedReport =>
  read({
    version: '2.1.0',
    runs: [{ tool: { driver: { name: 'Scanner', rules: [{ id: 'sql' }, { id: 'xss' }] } }, results }],
  });
const at = (uri: string, startLine: number): object => ({
  locations: [{ physicalLocation: { artifactLocation: { uri }, region: { startLine } } }],
});

describe('the findings of SARIF', () => {
  it('are counted by rule and file, whatever their lines', () => {
    const results = [
      { ruleId: 'sql', ...at('a.ts', 1) },
      { ruleIndex: 0, ...at('a.ts', 9) },
      { ruleId: 'xss', ...at('a.ts', 1) },
    ];
    expect(labelsOf(sarif(results))).toEqual(['medium 2 sql in a.ts', 'medium 1 xss in a.ts']);
  });

  it('are identified by their fingerprints, in any order and place, before their partial ones', () => {
    const ids = (...prints: readonly object[]): readonly string[] =>
      prints.flatMap((print) => sarif([{ ruleId: 'sql', ...at('a.ts', 1), ...print }]).findings.map(({ id }) => id));
    const [one, same, moved, other] = ids(
      { fingerprints: { a: '1', b: '2' } },
      { fingerprints: { b: '2', a: '1' }, partialFingerprints: { c: '3' } },
      { fingerprints: { a: '1', b: '2' }, ...at('b.ts', 5) },
      { fingerprints: { a: '1', b: '3' } },
    );
    expect([same, moved]).toEqual([one, one]);
    expect(other).not.toBe(one);
  });

  it('are identified by their partial fingerprints only within a file, because a copy of the code has the same ones', () => {
    const partialFingerprints = { primaryLocationLineHash: '39fa2ee980eb94b0:1' };
    const [one, otherLine, copy, ...others] = [at('a.ts', 1), at('a.ts', 7), at('b.ts', 1), {}].flatMap(
      (place) => sarif([{ ruleId: 'sql', ...place, partialFingerprints }]).findings,
    );
    expect(otherLine).toEqual(one);
    expect(copy?.id).not.toBe(one?.id);
    expect(others).toEqual([]);
  });

  it('have no identity without a rule or a place, if their rules contradict each other, or if they do not count', () => {
    const suppressed = { ruleId: 'sql', ...at('a.ts', 1), suppressions: [{ kind: 'inSource' }] };
    const results = [at('a.ts', 1), { ruleId: 'sql' }, { ruleId: 'sql', ruleIndex: 1, ...at('a.ts', 1) }, suppressed];
    const report = sarif(results);
    expect(report.metrics.sast_scan).toMatchObject({ medium: 3 });
    expect(report.findings).toEqual([]);
  });
});

describe('the findings of Trivy', () => {
  it('are counted by vulnerability, check or secret and target', () => {
    const Vulnerabilities = [
      { VulnerabilityID: 'CVE-1', PkgName: 'tar', Severity: 'HIGH' },
      { VulnerabilityID: 'CVE-1', PkgName: 'zip', Severity: 'HIGH' },
      { PkgName: 'no id', Severity: 'HIGH' },
      { VulnerabilityID: 'CVE-2', Fingerprint: 'sha256:1', Severity: 'LOW' },
    ];
    const Misconfigurations = [
      { ID: 'DS002', Severity: 'CRITICAL', Status: 'FAIL' },
      { ID: 'DS003', Severity: 'LOW', Status: 'PASS' },
    ];
    const Secrets = [{ RuleID: 'jwt', Severity: 'MEDIUM' }];
    const Results = [
      { Target: 'app', Vulnerabilities, Misconfigurations, Secrets },
      { Vulnerabilities: [{ VulnerabilityID: 'CVE-3' }] },
    ];
    const report = read({ SchemaVersion: 2, ArtifactName: 'app', Results });
    expect(labelsOf(report)).toEqual([
      'critical 1 DS002 in app',
      'high 2 CVE-1 in app',
      'medium 1 jwt in app',
      'low 1 CVE-2 in app',
    ]);
    expect(report.findings.at(-1)?.id).toBe(digest('Trivy', 'CVE-2', 'sha256:1'));
  });
});

describe('the findings of npm audit', () => {
  const audit = (vulnerabilities: object): ParsedReport =>
    read({
      auditReportVersion: 2,
      vulnerabilities,
      metadata: { vulnerabilities: { critical: 0, high: 9 }, dependencies: { total: 12 } },
    });

  it('are identified by their package and all of its advisories', () => {
    const advisory = (source: number): object => ({
      source,
      title: 'Traversal',
      url: `https://github.com/advisories/${source}`,
    });
    const one = audit({ tar: { name: 'tar', severity: 'high', via: [advisory(1), 'minipass'] } });
    expect(labelsOf(one)).toEqual(['high 1 https://github.com/advisories/1, minipass in tar']);
    const more = audit({ tar: { name: 'tar', severity: 'high', via: ['minipass', advisory(1), advisory(2)] } });
    expect(more.findings[0]?.id).not.toBe(one.findings[0]?.id);
    const same = audit({ tar: { name: 'tar', severity: 'high', via: ['minipass', advisory(1)] } });
    expect(same.findings).toEqual(one.findings);
  });

  it('have no identity without an advisory, or if the totals alone have them', () => {
    expect(
      audit({ tar: { name: 'tar', severity: 'high', via: [] }, zip: { name: 'zip', severity: 'low', via: [{}] } })
        .findings,
    ).toEqual([]);
  });

  it('of the older version are identified by their advisory and package', () => {
    const advisories = {
      7: { id: 7, module_name: 'tar', severity: 'moderate', url: 'https://npmjs.com/advisories/7' },
    };
    const metadata = { vulnerabilities: { moderate: 3 }, totalDependencies: 4 };
    expect(labelsOf(read({ advisories, metadata }))).toEqual(['medium 1 https://npmjs.com/advisories/7 in tar']);
  });
});
