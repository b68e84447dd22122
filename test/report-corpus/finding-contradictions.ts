import { type Contradiction, pick, type Reading } from './contradiction.js';

type Members = Readonly<Record<string, unknown>>;

const bad = (reading: Reading, members: Members): Members => (reading === 'good' ? {} : members);

/** Replaces a member `x` by two members of one name, unless both readings are good. */
const twice = (json: string, one: Reading, other: Reading, name: string, good: string, worse: string): string =>
  json.replace(
    '"x":1',
    one === other && one === 'good'
      ? `"${name}":"${good}"`
      : [one, other].map((reading) => `"${name}":"${pick(reading, good, worse)}"`).join(),
  );

const SCORED = { properties: { 'security-severity': '9.8' } };
/** The first and the second rule are mild, the third one is severe. */
const RULES = [
  { id: 'mild', defaultConfiguration: { level: 'note' } },
  { id: 'mild-too', defaultConfiguration: { level: 'note' } },
  { id: 'severe', ...SCORED },
];

const sarif = (result: Members, run: Members = {}, rules: readonly object[] = RULES): string =>
  JSON.stringify({
    version: '2.1.0',
    runs: [{ tool: { driver: { name: 'Scanner', rules } }, results: [result], ...run }],
  });

const SARIF: readonly Contradiction[] = [
  {
    format: 'sarif',
    pair: 'ruleId and ruleIndex',
    write: (id, index) => sarif({ ruleId: pick(id, 'mild', 'severe'), ruleIndex: index === 'good' ? 0 : 2 }),
  },
  {
    format: 'sarif',
    pair: 'ruleId and the id of the rule reference',
    write: (id, reference) =>
      sarif({ ruleId: pick(id, 'mild', 'severe'), rule: { id: pick(reference, 'mild', 'severe') } }),
  },
  {
    format: 'sarif',
    pair: 'ruleIndex and the index of the rule reference',
    write: (index, reference) =>
      sarif({ ruleIndex: index === 'good' ? 0 : 2, rule: { index: reference === 'good' ? 0 : 2 } }),
  },
  {
    format: 'sarif',
    pair: 'ruleId, and an unknown index',
    write: (id, index) => sarif({ ruleId: pick(id, 'mild', 'severe'), ruleIndex: index === 'good' ? 0 : 9 }),
  },
  {
    format: 'sarif',
    pair: 'two rules of one id',
    write: (one, other) =>
      sarif(
        { ruleId: 'twice' },
        {},
        [one, other].map((reading) => ({
          id: 'twice',
          defaultConfiguration: { level: 'note' },
          ...bad(reading, SCORED),
        })),
      ),
  },
  {
    format: 'sarif',
    pair: 'the level of a rule, and its configuration in an invocation',
    write: (level, override) => {
      const configuration = { level: pick(override, 'note', 'error') };
      const invocations = [
        { executionSuccessful: true, ruleConfigurationOverrides: [{ descriptor: { id: 'a' }, configuration }] },
      ];
      return sarif({ ruleId: 'a' }, { invocations }, [
        { id: 'a', defaultConfiguration: { level: pick(level, 'note', 'error') } },
      ]);
    },
  },
  {
    format: 'sarif',
    pair: 'the score of a result, and that of its rule',
    write: (result, rule) =>
      sarif({ ruleId: 'a', properties: { 'security-severity': pick(result, '1.0', '9.8') } }, {}, [
        { id: 'a', properties: { 'security-severity': pick(rule, '1.0', '9.8') } },
      ]),
  },
  {
    format: 'sarif',
    pair: 'a score that is no number, and the level',
    write: (score, level) => {
      const isUnreadable = score === 'bad' || level === 'bad';
      const properties = { 'security-severity': isUnreadable ? 'undefined' : '' };
      return sarif({ level: pick(level, 'note', 'error'), properties });
    },
  },
  {
    format: 'sarif',
    pair: 'kind and level of a result',
    write: (kind, level) => sarif({ kind: pick(kind, 'pass', 'fail'), level: pick(level, 'none', 'error') }),
  },
  {
    format: 'sarif',
    pair: 'occurrenceCount of a result, and its level',
    bothCount: true,
    write: (count, level) => sarif({ level: pick(level, 'note', 'error'), ...bad(count, { occurrenceCount: 5 }) }),
  },
  {
    format: 'sarif',
    pair: 'two suppressions of a result',
    write: (one, other) =>
      sarif({
        level: 'error',
        suppressions: [one, other].map((reading) => ({
          kind: 'external',
          status: pick(reading, 'accepted', 'rejected'),
        })),
      }),
  },
  {
    format: 'sarif',
    pair: 'success of an invocation, and its signal',
    write: (success, signal) =>
      sarif(
        { level: 'note' },
        { invocations: [{ executionSuccessful: success === 'good', ...bad(signal, { exitSignalName: 'SIGKILL' }) }] },
      ),
  },
  {
    format: 'sarif',
    pair: 'the results, and results in another file',
    write: (results, external) =>
      sarif(
        { level: pick(results, 'note', 'error') },
        bad(results === 'bad' ? results : external, {
          externalPropertyFileReferences: { results: [{ location: {} }] },
        }),
      ),
  },
  {
    format: 'sarif',
    pair: 'two members of one name',
    write: (one, other) => twice(sarif({ x: 1 }), one, other, 'level', 'note', 'error'),
  },
];

const trivy = (result: Members): string =>
  JSON.stringify({ SchemaVersion: 2, ArtifactName: 'app', Results: [{ Target: 'app', ...result }] });

const TRIVY: readonly Contradiction[] = [
  {
    format: 'trivy',
    pair: 'failures in the summary, and the failed checks',
    write: (summary, list) =>
      trivy({
        MisconfSummary: { Failures: summary === 'good' ? 0 : 1 },
        Misconfigurations: [{ ID: 'DS002', Severity: 'LOW', Status: pick(list, 'PASS', 'FAIL') }],
      }),
  },
  {
    format: 'trivy',
    pair: 'two entries of one vulnerability',
    bothCount: true,
    write: (one, other) =>
      trivy({
        Vulnerabilities: [one, other].map((reading) => ({
          VulnerabilityID: 'CVE-1',
          Severity: pick(reading, 'LOW', 'CRITICAL'),
        })),
      }),
  },
  {
    format: 'trivy',
    pair: 'two members of one name',
    write: (one, other) => twice(trivy({ Secrets: [{ RuleID: 'jwt', x: 1 }] }), one, other, 'Severity', 'LOW', 'HIGH'),
  },
];

const audit = (
  vulnerabilities: Members,
  counts: Members,
  rest: Members = {},
  dependencies: Members = { total: 12 },
): string =>
  JSON.stringify({
    auditReportVersion: 2,
    vulnerabilities,
    metadata: { vulnerabilities: counts, dependencies },
    ...rest,
  });
const tar = (severity: string, via: readonly object[] = []): Members => ({ tar: { name: 'tar', severity, via } });

const NPM_AUDIT: readonly Contradiction[] = [
  {
    format: 'npm-audit',
    pair: 'vulnerabilities by severity, and the list',
    write: (counts, list) => audit(bad(list, tar('critical')), { critical: counts === 'good' ? 0 : 1 }),
  },
  {
    format: 'npm-audit',
    pair: 'the total of vulnerabilities, and their severities',
    write: (total, counts) =>
      audit(bad(counts, tar('high')), { total: total === 'good' ? 0 : 1, ...bad(counts, { high: 1 }) }),
  },
  {
    format: 'npm-audit',
    pair: 'the severity of a package, and that of its advisories',
    write: (entry, advisory) =>
      audit(tar(pick(entry, 'low', 'high'), [{ title: 'a', severity: pick(advisory, 'low', 'high') }]), {
        [entry === 'good' && advisory === 'good' ? 'low' : 'high']: 1,
      }),
  },
  {
    format: 'npm-audit',
    pair: 'known and unknown severities',
    bothCount: true,
    write: (known, unknown) =>
      audit(bad(known, tar('high')), { ...bad(known, { high: 1 }), ...bad(unknown, { grave: 1 }) }),
  },
  {
    format: 'npm-audit',
    pair: 'the lists of both versions',
    bothCount: true,
    write: (one, other) =>
      audit(bad(one, tar('high')), bad(one, { high: 1 }), bad(other, { advisories: { 7: { severity: 'high' } } })),
  },
  {
    format: 'npm-audit',
    pair: 'an error, and the list',
    bothCount: true,
    write: (error, list) =>
      audit(bad(list, tar('high')), bad(list, { high: 1 }), bad(error, { error: { code: 'EAUDIT' } })),
  },
  {
    format: 'npm-audit',
    pair: 'the total of dependencies, and their kinds',
    write: (total, kinds) =>
      audit({}, {}, {}, { total: total === 'good' ? 12 : 0, prod: kinds === 'good' ? 12 : 0, dev: 0 }),
  },
];

const packages = (count: number): readonly object[] =>
  Array.from({ length: count }, (_, index) => ({ name: `p${index}` }));
const spdx = (reading: Reading): Members => ({
  spdxVersion: 'SPDX-2.3',
  packages: packages(reading === 'good' ? 2 : 0),
});
const GRAPH = { '@context': 'https://spdx.org/rdf/3.0.1/spdx-context.jsonld', '@graph': [] };

const COMPONENTS: readonly Contradiction[] = [
  {
    format: 'spdx',
    pair: 'the document, and a document inside of it',
    write: (outer, inner) => JSON.stringify({ ...spdx(outer), ...bad(inner, { sbom: spdx('bad') }) }),
  },
  {
    format: 'spdx',
    pair: 'version 2, and the graph of version 3',
    write: (document, graph) => JSON.stringify({ ...spdx(document), ...bad(graph, GRAPH) }),
  },
  {
    format: 'cyclonedx',
    pair: 'two members of one name',
    write: (one, other) =>
      JSON.stringify({
        bomFormat: 'CycloneDX',
        specVersion: '1.5',
        components: packages(one === 'good' ? 2 : 0),
        x: 1,
      }).replace('"x":1', pick(other, '"x":1', '"components":[]')),
  },
];

/** Contradictions in reports of findings and in bills of materials. */
export const FINDING_CONTRADICTIONS: readonly Contradiction[] = [...SARIF, ...TRIVY, ...NPM_AUDIT, ...COMPONENTS];
