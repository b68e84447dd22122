import { describe, expect, it } from '@jest/globals';
import { npmAudit } from './npm-audit.js';
import { REPORT_LIMITS, type ParsedContent } from './report-format.js';
import { ReportText } from './report-text.js';

const textOf = (document: unknown): ReportText =>
  ReportText.decode('audit.json', new TextEncoder().encode(JSON.stringify(document, null, 2)));

const read = (document: unknown): ParsedContent => npmAudit.read(textOf(document), REPORT_LIMITS);

const NONE = { info: 0, low: 0, moderate: 0, high: 0, critical: 0 };

const report = (severities: Readonly<Record<string, string>>, stated: object): object => ({
  auditReportVersion: 2,
  vulnerabilities: Object.fromEntries(
    Object.entries(severities).map(([name, severity]) => [name, { name, severity, via: [], range: '<2.0.0' }]),
  ),
  metadata: { vulnerabilities: { ...NONE, ...stated }, dependencies: { total: 12 } },
});

const advisories = (list: readonly object[], stated: object): object => ({
  actions: [],
  advisories: Object.fromEntries(list.map((advisory, id) => [id, advisory])),
  muted: [],
  metadata: { vulnerabilities: { ...NONE, ...stated }, totalDependencies: 12 },
});

const severities = (critical: number, high: number, medium: number, low: number): object => ({
  measure: { of: 'findings', value: { critical, high, medium, low } },
});

const ANSWER = {
  message: '405 Method Not Allowed',
  method: 'POST',
  uri: 'https://r/',
  headers: {},
  statusCode: 405,
  body: {},
};

describe('npm audit', () => {
  it.each([
    [report({}, {}), true],
    [advisories([], {}), true],
    [{ error: { code: 'ENOLOCK', summary: 'a lockfile is required', detail: '' } }, true],
    [{ ...ANSWER, error: { summary: '', detail: '' } }, true],
    [ANSWER, true],
    [{ message: 'hello' }, false],
    [{ error: {}, results: [] }, false],
    [{ advisories: {} }, false],
    [{ invalid: [], missing: [] }, false],
    [{}, false],
  ])('is detected by its keys: %j', (document, expected) => {
    expect(npmAudit.detect(textOf(document))).toBe(expected);
  });

  it('counts each vulnerable package, as npm does', () => {
    const found = { a: 'critical', b: 'high', c: 'moderate', d: 'moderate', e: 'low', f: 'info' };
    const reading = read(report(found, { critical: 1, high: 1, moderate: 2, low: 1, info: 1 }));
    expect(reading).toMatchObject({ ...severities(1, 1, 2, 2), failures: [], notes: [] });
  });

  it('counts the advisories of the older version, or the paths to them if there are more', () => {
    const list = [
      { module_name: 'minimist', severity: 'high', title: 'Prototype pollution', vulnerable_versions: '<1.2.6' },
      { module_name: 'tar', severity: 'moderate', title: 'Path traversal', vulnerable_versions: '<6' },
    ];
    expect(read(advisories(list, { high: 3, moderate: 1 }))).toMatchObject({
      ...severities(0, 3, 1, 0),
      notes: ['3 high vulnerabilities stated, 1 listed; the greater number counts'],
      details: [
        { title: 'high: minimist', location: 'minimist <1.2.6', message: 'Prototype pollution' },
        { title: 'medium: tar', location: 'tar <6', message: 'Path traversal' },
      ],
    });
  });

  it('loses no vulnerability that is stated and not listed, or listed and not stated', () => {
    expect(read(report({ a: 'high' }, { critical: 1 }))).toMatchObject({
      ...severities(1, 1, 0, 0),
      notes: [
        '1 critical vulnerabilities stated, 0 listed; the greater number counts',
        '0 high vulnerabilities stated, 1 listed; the greater number counts',
      ],
    });
  });

  it('fails if it states more vulnerabilities than it lists', () => {
    expect(read(report({ a: 'high' }, { high: 1, total: 3 })).failures).toEqual([
      '3 vulnerabilities stated in total, 1 counted by severity',
    ]);
    expect(read(report({ a: 'high' }, { high: 1, total: 1 })).failures).toEqual([]);
  });

  it('counts a package as severely as its worst advisory, with a note', () => {
    const via = ['tar', { title: 'a', severity: 'moderate' }, { title: 'b', severity: 'critical' }];
    const vulnerabilities = { zip: { name: 'zip', severity: 'low', via } };
    expect(read({ ...report({}, { critical: 1 }), vulnerabilities })).toMatchObject({
      ...severities(1, 0, 0, 0),
      notes: ['zip is low, its advisories are moderate, critical; the worst counts'],
    });
  });

  it('fails if it counts vulnerabilities of an unknown severity', () => {
    expect(read(report({}, { unknown: 2 })).failures).toEqual(['vulnerabilities of the unknown severity unknown: 2']);
    expect(read(report({}, { unknown: 0 })).failures).toEqual([]);
  });

  it('explains why a package is vulnerable: by its own advisory, or by a dependency', () => {
    const vulnerabilities = {
      mkdirp: { name: 'mkdirp', severity: 'high', via: ['minimist'], range: '0.4.1 - 0.5.1' },
      minimist: {
        name: 'minimist',
        severity: 'critical',
        via: ['x', { title: 'Prototype pollution' }],
        range: '<1.2.6',
      },
      odd: { severity: 'low', via: null },
    };
    const { details } = read({ ...report({}, { high: 1, critical: 1, low: 1 }), vulnerabilities });
    expect(details).toEqual([
      { title: 'critical: minimist', location: 'minimist <1.2.6', message: 'Prototype pollution' },
      { title: 'high: mkdirp', location: 'mkdirp 0.4.1 - 0.5.1', message: 'by minimist' },
      { title: 'low: odd', location: 'odd', message: 'by' },
    ]);
  });

  it.each([
    [{ dependencies: { total: 0 } }],
    [{ dependencies: 0, totalDependencies: 0 }],
    [{ dependencies: { prod: 0, dev: 0, total: 12 } }],
  ])('fails if nothing was audited: %j', (counts) => {
    expect(read({ ...report({}, {}), metadata: { vulnerabilities: NONE, ...counts } }).failures).toEqual([
      'no dependency was audited',
    ]);
  });

  it.each([
    [{ ...ANSWER, error: { summary: '', detail: '' } }, 'the audit failed: 405 Method Not Allowed'],
    [ANSWER, 'the audit failed: 405 Method Not Allowed'],
    [
      { error: { code: 'ENOLOCK', summary: 'needs\n a lockfile', detail: 'x' } },
      'the audit failed: ENOLOCK: needs a lockfile',
    ],
    [
      { error: { code: 'ERR_PNPM_AUDIT_BAD_RESPONSE', message: 'bad' } },
      'the audit failed: ERR_PNPM_AUDIT_BAD_RESPONSE: bad',
    ],
    [{ ...report({}, {}), error: { code: 'EAUDIT' } }, 'the audit failed: EAUDIT'],
  ])('fails if the audit failed: %j', (document, failure) => {
    expect(read(document).failures).toEqual([failure]);
  });

  it.each([
    [{ error: 'not found' }, 'error: an object is expected'],
    [{ error: {} }, 'the document: neither a result of npm audit nor an error'],
    [{ ...report({}, {}), auditReportVersion: 3 }, 'auditReportVersion: version 2 is expected'],
    [{ ...report({}, {}), vulnerabilities: undefined }, 'vulnerabilities: an object is expected'],
    [{ ...report({}, {}), vulnerabilities: [] }, 'vulnerabilities: an object is expected'],
    [{ ...report({}, {}), metadata: undefined }, 'metadata: an object is expected'],
    [{ ...report({}, {}), metadata: {} }, 'metadata.vulnerabilities: an object is expected'],
    [report({ a: 'medium' }, {}), 'vulnerabilities.a.severity: one of critical, high, moderate, low, info is expected'],
    [report({}, { high: -1 }), 'metadata.vulnerabilities.high: a count is expected'],
    [report({}, { high: '1' }), 'metadata.vulnerabilities.high: a count is expected'],
    ...[
      {},
      { dependencies: {} },
      { dependencies: null },
      { dependencies: [12] },
      { dependencies: 12 },
      { totalDependencies: null },
    ].map(
      (counts) =>
        [
          { ...report({}, {}), metadata: { vulnerabilities: NONE, ...counts } },
          'the number of audited dependencies is expected',
        ] as const,
    ),
    [
      { ...report({}, {}), metadata: { vulnerabilities: NONE, dependencies: { total: '12' } } },
      'metadata.dependencies.total: a count',
    ],
    [{ ...report({}, {}), advisories: {} }, 'advisories: not expected beside vulnerabilities'],
    [
      { ...report({}, {}), vulnerabilities: { a: { severity: 'low', via: [{ severity: 'grave' }] } } },
      'vulnerabilities.a.via[0].severity: one of critical',
    ],
    [advisories([{}], {}), 'advisories.0.severity: one of critical'],
  ])('rejects %j', (document, reason) => {
    expect(() => read(document)).toThrow(reason);
  });

  it('rejects a count beyond the range', () => {
    const text = JSON.stringify(report({}, { high: 7 })).replace('7', '1e999');
    expect(() => npmAudit.read(ReportText.decode('a', new TextEncoder().encode(text)), REPORT_LIMITS)).toThrow(
      'a count is expected',
    );
  });
});
