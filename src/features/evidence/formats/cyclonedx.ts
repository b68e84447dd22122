import { BillOfMaterials, type Component, vulnerabilityNotes } from './bill-of-materials.js';
import { type JsonMembers, JsonDocument } from './json-document.js';
import type { JsonPath } from '../../../http/body/json-scanner.js';
import type { ParsedContent, ReportFormat, ReportLimits } from './report-format.js';
import type { ReportText } from './report-text.js';
import { readXml, type XmlAttributes, type CreateXmlError, type XmlVisitor } from './xml-reader.js';

/** Version 1.2 or later. Later versions only add members. */
const VERSION = /^1\.(?:[2-9]|[1-9]\d)$/;

function readCycloneDxJson(report: ReportText, limits: ReportLimits): ParsedContent {
  const json = new JsonDocument(report, limits);
  const bom = json.object(json.root, []);
  if (bom['bomFormat'] !== 'CycloneDX') throw json.errorAt(['bomFormat'], '"CycloneDX" is expected');
  if (!VERSION.test(json.string(bom['specVersion'], ['specVersion']))) {
    throw json.errorAt(['specVersion'], 'version 1.2 or later is expected');
  }
  const bill = new BillOfMaterials(limits);
  addComponents(bom, [], json, bill);
  const vulnerabilities = json.optionalArray(bom['vulnerabilities'], ['vulnerabilities']);
  return bill.result(vulnerabilityNotes(vulnerabilities.length));
}

/** Components may contain components. The reader limits the depth. */
function addComponents(owner: JsonMembers, path: JsonPath, json: JsonDocument, bill: BillOfMaterials): void {
  const componentsPath = [...path, 'components'];
  for (const [index, entry] of json.optionalArray(owner['components'], componentsPath).entries()) {
    const entryPath = [...componentsPath, index];
    const component = json.object(entry, entryPath);
    bill.add({
      group: json.optionalString(component['group'], [...entryPath, 'group']),
      name: json.string(component['name'], [...entryPath, 'name']),
      version: json.optionalString(component['version'], [...entryPath, 'version']),
      locator: json.optionalString(component['purl'], [...entryPath, 'purl']),
    });
    addComponents(component, entryPath, json, bill);
  }
}

const NAMESPACE = /^http:\/\/cyclonedx\.org\/schema\/bom\/1\.(?:[2-9]|[1-9]\d)$/;
const TEXT_LENGTH = 1_000;
/** The child elements of a component and the members that they become. */
const COMPONENT_FIELDS: ReadonlyMap<string, keyof Component> = new Map([
  ['group', 'group'],
  ['name', 'name'],
  ['version', 'version'],
  ['purl', 'locator'],
]);

function readCycloneDxXml(report: ReportText, limits: ReportLimits): ParsedContent {
  return readXml(report, limits, (toError) => new CycloneDxVisitor(limits, toError)).result();
}

class CycloneDxVisitor implements XmlVisitor {
  private readonly bill: BillOfMaterials;
  private readonly elements: string[] = [];
  /** The number of open elements below the root that alternate between `<components>` and `<component>`. */
  private content = 0;
  private readonly components: Record<keyof Component, string>[] = [];
  private vulnerabilities = 0;

  constructor(
    limits: ReportLimits,
    private readonly toError: CreateXmlError,
  ) {
    this.bill = new BillOfMaterials(limits);
  }

  open(name: string, attributes: XmlAttributes): void {
    const depth = this.elements.length;
    if (depth === 0) this.checkRoot(attributes);
    else if (depth === 2 && name === 'vulnerability' && this.elements[1] === 'vulnerabilities')
      this.vulnerabilities += 1;
    else if (depth === this.content + 1) this.openContent(name);
    this.elements.push(name);
  }

  text(chunk: string): void {
    const component = this.components.at(-1);
    const field = COMPONENT_FIELDS.get(this.elements.at(-1) ?? '');
    const isOfComponent = this.elements.length === this.content + 2;
    if (component === undefined || field === undefined || !isOfComponent) return;
    component[field] += chunk.slice(0, TEXT_LENGTH - component[field].length);
  }

  close(): void {
    if (this.content > 0 && this.elements.length === this.content + 1) this.closeContent();
    this.elements.pop();
  }

  result(): ParsedContent {
    return this.bill.result(vulnerabilityNotes(this.vulnerabilities));
  }

  private checkRoot(attributes: XmlAttributes): void {
    const namespaces = [...attributes].filter(([name]) => name === 'xmlns' || name.startsWith('xmlns:'));
    if (!namespaces.some(([, uri]) => NAMESPACE.test(uri))) {
      throw this.toError('the namespace of CycloneDX 1.2 or later is expected');
    }
  }

  private openContent(name: string): void {
    if (name !== (this.content % 2 === 0 ? 'components' : 'component')) return;
    this.content += 1;
    if (name === 'component') this.components.push({ group: '', name: '', version: '', locator: '' });
  }

  private closeContent(): void {
    this.content -= 1;
    if (this.content % 2 === 1) this.bill.add(this.components.pop() ?? {});
  }
}

/** CycloneDX (ECMA-424), version 1.2 or later, as JSON or XML. */
export const cyclonedx: ReportFormat = {
  name: 'cyclonedx',
  title: 'CycloneDX',
  defaultKind: 'sbom',

  detect: ({ prolog, jsonKeys }) => prolog?.root === 'bom' || jsonKeys.has('bomFormat'),

  read: (report: ReportText, limits: ReportLimits): ParsedContent =>
    report.prolog === null ? readCycloneDxJson(report, limits) : readCycloneDxXml(report, limits),
};
