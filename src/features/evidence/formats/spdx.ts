import { BillOfMaterials, type Component } from './bill-of-materials.js';
import { excerpt } from './bounded-list.js';
import { type JsonMembers, JsonDocument } from './json-document.js';
import type { JsonPath } from '../../../http/body/json-scanner.js';
import type { ParsedContent, ReportFormat, ReportLimits } from './report-format.js';
import { type ReportBeginning, ReportError, type ReportText } from './report-text.js';

const VERSION_2 = /^SPDX-2\.[23]$/;
/** The only member of GitHub's answer. */
const WRAPPER = 'sbom';
const CONTEXT_3 = /^https:\/\/spdx\.org\/rdf\/3\.\d+(?:\.\d+)?\/spdx-context\.jsonld$/;

function readSpdxJson(report: ReportText, limits: ReportLimits): ParsedContent {
  const json = new JsonDocument(report, limits);
  const root = json.object(json.root, []);
  const wrapped = root[WRAPPER];
  if (wrapped !== undefined && Object.keys(root).length > 1) {
    throw json.errorAt([WRAPPER], 'not expected beside other members');
  }
  // GitHub's API wraps the document of a repository's dependency graph.
  const [document, path] = wrapped === undefined ? [root, []] : [json.object(wrapped, [WRAPPER]), [WRAPPER]];
  const bill = new BillOfMaterials(limits);
  if (document['spdxVersion'] !== undefined && document['@graph'] !== undefined) {
    throw json.errorAt([...path, '@graph'], 'not expected in a document of SPDX 2');
  }
  if (document['@graph'] === undefined) addPackages(document, path, json, bill);
  else addGraph(document, path, json, bill);
  return bill.result();
}

function addPackages(document: JsonMembers, documentPath: JsonPath, json: JsonDocument, bill: BillOfMaterials): void {
  const versionPath = [...documentPath, 'spdxVersion'];
  if (!VERSION_2.test(json.string(document['spdxVersion'], versionPath))) {
    throw json.errorAt(versionPath, 'SPDX-2.2 or SPDX-2.3 is expected');
  }
  const packagesPath = [...documentPath, 'packages'];
  for (const [index, entry] of json.optionalArray(document['packages'], packagesPath).entries()) {
    const path = [...packagesPath, index];
    const found = json.object(entry, path);
    bill.add({
      name: json.string(found['name'], [...path, 'name']),
      version: json.optionalString(found['versionInfo'], [...path, 'versionInfo']),
      locator: findPackageUrl(found, path, json),
    });
  }
}

function findPackageUrl(found: JsonMembers, path: JsonPath, json: JsonDocument): string | undefined {
  const referencesPath = [...path, 'externalRefs'];
  for (const [index, entry] of json.optionalArray(found['externalRefs'], referencesPath).entries()) {
    const referencePath = [...referencesPath, index];
    const reference = json.object(entry, referencePath);
    if (reference['referenceType'] !== 'purl') continue;
    return json.optionalString(reference['referenceLocator'], [...referencePath, 'referenceLocator']);
  }
  return undefined;
}

/** Reads version 3, which is a flat list of typed elements. */
function addGraph(document: JsonMembers, documentPath: JsonPath, json: JsonDocument, bill: BillOfMaterials): void {
  const contexts = [document['@context']].flat();
  if (!contexts.some((context) => typeof context === 'string' && CONTEXT_3.test(context))) {
    throw json.errorAt([...documentPath, '@context'], 'the context of SPDX 3 is expected');
  }
  const graphPath = [...documentPath, '@graph'];
  for (const [index, entry] of json.array(document['@graph'], graphPath).entries()) {
    const path = [...graphPath, index];
    const element = json.object(entry, path);
    if ((element['type'] ?? element['@type']) !== 'software_Package') continue;
    bill.add({
      name: json.optionalString(element['name'], [...path, 'name']),
      version: json.optionalString(element['software_packageVersion'], [...path, 'software_packageVersion']),
      locator: json.optionalString(element['software_packageUrl'], [...path, 'software_packageUrl']),
    });
  }
}

const VERSION = /^SPDX-2\.[23]$/;
const COMMENT_OR_SPACE = /\s+|#[^\n]*/y;
const FIRST_TAG = 'SPDXVersion:';
const TAG = /^([A-Za-z][A-Za-z0-9]*):(.*)$/s;
const PACKAGE_URL = /^PACKAGE[-_]MANAGER\s+purl\s+(\S+)$/;
const LINE_LENGTH = 300;

function isSpdxTagValue({ text }: ReportBeginning): boolean {
  let at = 0;
  for (COMMENT_OR_SPACE.lastIndex = 0; COMMENT_OR_SPACE.test(text); at = COMMENT_OR_SPACE.lastIndex);
  return text.startsWith(FIRST_TAG, at);
}

/** Reads one `Tag: value` per line (SPDX 2.3, § 6 and 7). A value between `<text>` and `</text>` may span lines. */
function readSpdxTagValue(report: ReportText, limits: ReportLimits): ParsedContent {
  return new TagValueReader(report, limits).read();
}

class TagValueReader {
  private readonly bill: BillOfMaterials;
  private component: { -readonly [K in keyof Component]: Component[K] } | null = null;
  private lineNumber = 0;
  private isInText = false;

  constructor(
    private readonly report: ReportText,
    limits: ReportLimits,
  ) {
    this.bill = new BillOfMaterials(limits);
  }

  read(): ParsedContent {
    for (const [number, line] of this.report.lines()) {
      this.lineNumber = number;
      this.line(line);
    }
    if (this.isInText) throw this.error('a <text> is not closed');
    this.endComponent();
    return this.bill.result();
  }

  private line(line: string): void {
    if (this.isInText) {
      this.isInText = !line.includes('</text>');
      return;
    }
    if (line === '' || line.startsWith('#')) return;
    const [, tag, value] = TAG.exec(line) ?? [];
    if (tag === undefined || value === undefined) throw this.error(`"${line}" is not a tag with a value`);
    this.isInText = value.includes('<text>') && !value.includes('</text>');
    this.tag(tag, value.trim());
  }

  private tag(tag: string, value: string): void {
    if (tag === 'SPDXVersion' && !VERSION.test(value)) throw this.error('SPDX-2.2 or SPDX-2.3 is expected');
    if (tag === 'PackageName') {
      this.endComponent();
      this.component = { name: value };
    } else if (this.component !== null) {
      if (tag === 'PackageVersion') this.component.version = value;
      else if (tag === 'ExternalRef') this.component.locator ??= PACKAGE_URL.exec(value)?.[1];
    }
  }

  private endComponent(): void {
    if (this.component !== null) this.bill.add(this.component);
    this.component = null;
  }

  private error(reason: string): ReportError {
    return new ReportError(this.report.file, this.lineNumber, null, excerpt(reason, LINE_LENGTH));
  }
}

/**
 * SPDX (ISO/IEC 5962): versions 2.2 and 2.3 as JSON or as tags and values, version 3 as JSON-LD. Its packages are the
 * components. They include the described software itself. JSON may be wrapped in `{"sbom": …}`, as GitHub's API does.
 */
export const spdx: ReportFormat = {
  name: 'spdx',
  title: 'SPDX',
  defaultKind: 'sbom',

  detect: (report) =>
    report.jsonKeys.has('spdxVersion') ||
    (report.jsonKeys.has(WRAPPER) && report.jsonKeys.size === 1) ||
    (report.jsonKeys.has('@graph') && report.jsonKeys.has('@context')) ||
    isSpdxTagValue(report),

  read: (report: ReportText, limits: ReportLimits): ParsedContent =>
    isSpdxTagValue(report) ? readSpdxTagValue(report, limits) : readSpdxJson(report, limits),
};
