import { describe, expect, it } from '@jest/globals';
import { cyclonedx } from './cyclonedx.js';
import { REPORT_LIMITS, type ParsedContent } from './report-format.js';
import { ReportText } from './report-text.js';

const textOf = (document: unknown): ReportText => {
  const text = typeof document === 'string' ? document : JSON.stringify(document);
  return ReportText.decode('bom', new TextEncoder().encode(text));
};

const read = (document: unknown): ParsedContent => cyclonedx.read(textOf(document), REPORT_LIMITS);

const json = (rest: object = {}): object => ({ bomFormat: 'CycloneDX', specVersion: '1.6', ...rest });

const xml = (content: string, version = '1.6'): string =>
  `<?xml version="1.0"?>\n<bom xmlns="http://cyclonedx.org/schema/bom/${version}" version="1">${content}</bom>`;

const components = (count: number): object => ({ measure: { of: 'components', value: { components: count } } });

const INNER = { type: 'library', name: 'inner', version: '2.0.0' };
const OUTER = {
  type: 'library',
  group: 'acme',
  name: 'outer',
  purl: 'pkg:npm/outer@1.0.0',
  version: '1.0.0',
  components: [INNER],
};

describe('CycloneDX', () => {
  it.each([
    [json(), true],
    [xml(''), true],
    ['<c:bom xmlns:c="http://cyclonedx.org/schema/bom/1.4"/>', true],
    [{ specVersion: '1.6', components: [] }, false],
    ['<boms/>', false],
  ])('is detected by its root: %j', (document, expected) => {
    expect(cyclonedx.detect(textOf(document))).toBe(expected);
  });

  it.each(['1.2', '1.3', '1.4', '1.5', '1.6', '1.7', '1.10'])('is read in version %s', (version) => {
    expect(read(json({ specVersion: version, components: [INNER] }))).toMatchObject(components(1));
    expect(read(xml('<components><component><name>a</name></component></components>', version))).toMatchObject(
      components(1),
    );
  });

  it('counts nested components, and not tools or the subject of the document', () => {
    const metadata = { component: { type: 'application', name: 'cart' }, tools: { components: [INNER] } };
    expect(read(json({ metadata, components: [OUTER, INNER] }))).toMatchObject({
      ...components(3),
      failures: [],
      notes: [],
      details: [
        { title: 'acme/outer 1.0.0', location: 'pkg:npm/outer@1.0.0', message: '' },
        { title: 'inner 2.0.0', location: null },
        { title: 'inner 2.0.0', location: null },
      ],
    });
  });

  it('counts nested components in XML, and not tools or the subject of the document', () => {
    const inner = '<component type="library"><name>inner</name><version>2.0.0</version></component>';
    const content = `<metadata><tools><components>${inner}</components></tools><component><name>cart</name></component></metadata>
      <components><component type="library"><supplier><name>Acme</name></supplier><group>acme</group><name>outer</name><version>1.0.0</version>
      <purl>pkg:npm/outer@1.0.0</purl><pedigree><ancestors>${inner}</ancestors></pedigree>
      <components>${inner}</components></component>${inner}</components>
      <services><service><components>${inner}</components></service></services>`;
    expect(read(xml(content))).toMatchObject({
      ...components(3),
      details: [
        { title: 'inner 2.0.0', location: null },
        { title: 'acme/outer 1.0.0', location: 'pkg:npm/outer@1.0.0' },
        { title: 'inner 2.0.0', location: null },
      ],
    });
  });

  it.each([[json()], [json({ components: [] })], [xml('')], [xml('<components/>')]])(
    'notes that it lists no component: %j',
    (document) => {
      expect(read(document)).toMatchObject({ ...components(0), failures: [], notes: ['it lists no component'] });
    },
  );

  it.each([
    [json({ components: [INNER], vulnerabilities: [{ id: 'CVE-1' }, { id: 'CVE-2' }] })],
    [
      xml(`<components><component><name>a</name></component></components>
      <vulnerabilities><vulnerability><id>CVE-1</id></vulnerability><vulnerability/></vulnerabilities>`),
    ],
  ])('does not count its vulnerabilities as a scan', (document) => {
    expect(read(document)).toMatchObject({
      ...components(1),
      notes: ['2 listed vulnerabilities do not count: only the report of a scan counts'],
    });
  });

  it.each([
    [json({ bomFormat: 'Other' }), '"CycloneDX" is expected'],
    [json({ specVersion: '1.1' }), 'version 1.2 or later is expected'],
    [json({ specVersion: '2.0' }), 'version 1.2 or later is expected'],
    [json({ specVersion: 1.6 }), 'a string is expected'],
    [json({ components: {} }), 'components: an array is expected'],
    [json({ components: [{ components: [{}] }] }), 'components[0].name: a string is expected'],
    [json({ components: [{ name: 'a', components: ['b'] }] }), 'components[0].components[0]: an object is expected'],
    [xml('', '1.1'), 'the namespace of CycloneDX 1.2 or later is expected'],
    ['<bom/>', 'the namespace of CycloneDX 1.2 or later is expected'],
    [xml('<components>').slice(0, -6), 'not well-formed'],
  ])('rejects %j', (document, reason) => {
    expect(() => read(document)).toThrow(reason);
  });
});
