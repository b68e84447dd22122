import { BillOfMaterials } from './bill-of-materials.js';
import { JsonReader, type JsonObject } from './json-reader.js';
import type { JsonPath } from './json-scanner.js';
import type { Reading, ReportLimits } from './report-format.js';
import type { ReportText } from './report-text.js';

const VERSION_2 = /^SPDX-2\.[23]$/;
const CONTEXT_3 = /^https:\/\/spdx\.org\/rdf\/3\.\d+(?:\.\d+)?\/spdx-context\.jsonld$/;

export function readSpdxJson(report: ReportText, limits: ReportLimits): Reading {
  const json = new JsonReader(report, limits);
  const document = json.object(json.root, []);
  const bill = new BillOfMaterials(limits);
  if (document['spdxVersion'] === undefined) addGraph(document, json, bill);
  else addPackages(document, json, bill);
  return bill.reading();
}

function addPackages(document: JsonObject, json: JsonReader, bill: BillOfMaterials): void {
  if (!VERSION_2.test(json.string(document['spdxVersion'], ['spdxVersion']))) {
    throw json.errorAt(['spdxVersion'], 'SPDX-2.2 or SPDX-2.3 is expected');
  }
  for (const [index, entry] of json.optionalArray(document['packages'], ['packages']).entries()) {
    const path = ['packages', index];
    const found = json.object(entry, path);
    bill.add({
      name: json.string(found['name'], [...path, 'name']),
      version: json.optionalString(found['versionInfo'], [...path, 'versionInfo']),
      locator: packageUrlOf(found, path, json),
    });
  }
}

function packageUrlOf(found: JsonObject, path: JsonPath, json: JsonReader): string | undefined {
  const referencesPath = [...path, 'externalRefs'];
  for (const [index, entry] of json.optionalArray(found['externalRefs'], referencesPath).entries()) {
    const referencePath = [...referencesPath, index];
    const reference = json.object(entry, referencePath);
    if (reference['referenceType'] !== 'purl') continue;
    return json.optionalString(reference['referenceLocator'], [...referencePath, 'referenceLocator']);
  }
  return undefined;
}

/** Version 3 is a flat list of elements, each with its type. */
function addGraph(document: JsonObject, json: JsonReader, bill: BillOfMaterials): void {
  const contexts = [document['@context']].flat();
  if (!contexts.some((context) => typeof context === 'string' && CONTEXT_3.test(context))) {
    throw json.errorAt(['@context'], 'the context of SPDX 3 is expected');
  }
  for (const [index, entry] of json.array(document['@graph'], ['@graph']).entries()) {
    const path = ['@graph', index];
    const element = json.object(entry, path);
    if ((element['type'] ?? element['@type']) !== 'software_Package') continue;
    bill.add({
      name: json.optionalString(element['name'], [...path, 'name']),
      version: json.optionalString(element['software_packageVersion'], [...path, 'software_packageVersion']),
      locator: json.optionalString(element['software_packageUrl'], [...path, 'software_packageUrl']),
    });
  }
}
