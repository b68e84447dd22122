import { BillOfMaterials, vulnerabilitiesNoted } from './bill-of-materials.js';
import { JsonReader, type JsonObject } from './json-reader.js';
import type { JsonPath } from './json-scanner.js';
import type { Reading, ReportLimits } from './report-format.js';
import type { ReportText } from './report-text.js';

/** Later versions only add to earlier ones. */
const VERSION = /^1\.(?:[2-9]|[1-9]\d)$/;

export function readCycloneDxJson(report: ReportText, limits: ReportLimits): Reading {
  const json = new JsonReader(report, limits);
  const bom = json.object(json.root, []);
  if (bom['bomFormat'] !== 'CycloneDX') throw json.errorAt(['bomFormat'], '"CycloneDX" is expected');
  if (!VERSION.test(json.string(bom['specVersion'], ['specVersion']))) {
    throw json.errorAt(['specVersion'], 'version 1.2 or later is expected');
  }
  const bill = new BillOfMaterials(limits);
  addComponents(bom, [], json, bill);
  const vulnerabilities = json.optionalArray(bom['vulnerabilities'], ['vulnerabilities']);
  return bill.reading(vulnerabilitiesNoted(vulnerabilities.length));
}

/** Components may hold components; the reader bounds how deep. */
function addComponents(owner: JsonObject, path: JsonPath, json: JsonReader, bill: BillOfMaterials): void {
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
