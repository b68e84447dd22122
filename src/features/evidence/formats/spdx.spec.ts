import { describe, expect, it } from '@jest/globals';
import { REPORT_LIMITS, type ParsedContent } from './report-format.js';
import { ReportText } from './report-text.js';
import { spdx } from './spdx.js';

const textOf = (document: unknown): ReportText => {
  const text = typeof document === 'string' ? document : JSON.stringify(document);
  return ReportText.decode('sbom.spdx', new TextEncoder().encode(text));
};

const read = (document: unknown): ParsedContent => spdx.read(textOf(document), REPORT_LIMITS);

const json = (packages: unknown, spdxVersion = 'SPDX-2.3'): object => ({
  spdxVersion,
  SPDXID: 'SPDXRef-DOCUMENT',
  packages,
});

const CONTEXT = 'https://spdx.org/rdf/3.0.1/spdx-context.jsonld';
const graph = (elements: unknown, context: unknown = CONTEXT): object => ({ '@context': context, '@graph': elements });

const tags = (...lines: readonly string[]): string =>
  ['SPDXVersion: SPDX-2.3', 'DataLicense: CC0-1.0', ...lines].join('\n');

const components = (count: number): object => ({
  measure: { of: 'components', value: { components: count } },
  failures: [],
});

const PURL = 'pkg:npm/tar@6.2.1';
const BARE = { name: 'a', externalRefs: [{ referenceType: 'cpe23Type', referenceLocator: 'cpe:2.3:a' }] };
const TAR = {
  name: 'tar',
  versionInfo: '6.2.1',
  externalRefs: [
    { referenceType: 'cpe23Type', referenceLocator: 'cpe:2.3:a:tar' },
    { referenceType: 'purl', referenceLocator: PURL },
  ],
};

describe('SPDX', () => {
  it.each([
    [json([]), true],
    [graph([]), true],
    [tags(), true],
    [{ sbom: json([]) }, true],
    [{ sbom: json([]), note: 1 }, false],
    ['# made by a tool\n\nSPDXVersion: SPDX-2.3', true],
    [{ '@context': CONTEXT }, false],
    ['DataLicense: CC0-1.0\nSPDXVersion: SPDX-2.3', false],
  ])('is detected by its beginning: %j', (document, expected) => {
    expect(spdx.detect(textOf(document))).toBe(expected);
  });

  const software = {
    type: 'software_Package',
    name: 'tar',
    software_packageVersion: '6.2.1',
    software_packageUrl: PURL,
  };
  it.each([
    ['JSON', json([TAR])],
    ['JSON of version 2.2', json([TAR], 'SPDX-2.2')],
    ['JSON that GitHub wraps', { sbom: json([TAR]) }],
    ['JSON-LD', graph([{ type: 'SpdxDocument' }, software, { '@type': 'Person', name: 'A' }])],
    ['JSON-LD of several contexts', graph([software], [{ a: 'b' }, CONTEXT])],
    [
      'tags and values',
      tags(
        '',
        'PackageName: tar',
        'PackageVersion: 6.2.1',
        `ExternalRef: PACKAGE-MANAGER purl ${PURL}`,
        'FileName: ./a.js',
      ),
    ],
  ])('counts packages in %s', (_name, document) => {
    expect(read(document)).toMatchObject({
      ...components(1),
      notes: [],
      details: [{ title: 'tar 6.2.1', location: PURL, message: '' }],
    });
  });

  it('shows a package with few details', () => {
    expect(read(json([BARE, { name: 'b' }])).details).toEqual([
      { title: 'a', location: null, message: '' },
      { title: 'b', location: null, message: '' },
    ]);
  });

  it('reads no tag within a text', () => {
    const lines = [
      'PackageName: a',
      'PackageComment: <text>first',
      'PackageName: b',
      'no tag</text>',
      'PackageName: c',
    ];
    expect(read(tags(...lines, 'PackageComment: <text>one line</text>', 'PackageName: d'))).toMatchObject(
      components(3),
    );
  });

  it.each([[json([])], [json(undefined)], [graph([])], [tags()]])('notes that it lists no package: %j', (document) => {
    expect(read(document)).toMatchObject({ ...components(0), notes: ['it lists no component'] });
  });

  it.each([
    [json([], 'SPDX-2.1'), 'spdxVersion: SPDX-2.2 or SPDX-2.3 is expected'],
    [json([], 'SPDX-3.0'), 'spdxVersion: SPDX-2.2 or SPDX-2.3 is expected'],
    [json({}), 'packages: an array is expected'],
    [json([{}]), 'packages[0].name: a string is expected'],
    [json([{ name: 'a', externalRefs: ['b'] }]), 'packages[0].externalRefs[0]: an object is expected'],
    [{ sbom: json([], 'SPDX-2.1') }, 'sbom.spdxVersion: SPDX-2.2 or SPDX-2.3 is expected'],
    [{ sbom: json([{}]) }, 'sbom.packages[0].name: a string is expected'],
    [{ sbom: { bomFormat: 'CycloneDX' } }, 'sbom.spdxVersion: a string is expected'],
    [{ sbom: [] }, 'sbom: an object is expected'],
    [{ ...json([]), sbom: json([TAR]) }, 'sbom: not expected beside other members'],
    [{ ...json([TAR]), ...graph([]) }, '@graph: not expected in a document of SPDX 2'],
    [graph([], 'https://schema.org'), '@context: the context of SPDX 3 is expected'],
    [graph({}), '@graph: an array is expected'],
    [graph([1]), '@graph[0]: an object is expected'],
    ['SPDXVersion: SPDX-2.1', 'sbom.spdx:1: SPDX-2.2 or SPDX-2.3 is expected'],
    [tags('PackageName'), 'sbom.spdx:3: "PackageName" is not a tag with a value'],
    [tags('PackageComment: <text>cut'), 'sbom.spdx:3: a <text> is not closed'],
  ])('rejects %j', (document, reason) => {
    expect(() => read(document)).toThrow(reason);
  });
});
