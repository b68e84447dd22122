import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { BillOfMaterials } from './bill-of-materials.js';
import { parseReport, type ParsedReport } from './formats.js';
import { REPORT_LIMITS } from './report-format.js';

const FIXTURES = new URL('../../../../test/fixtures/reports/', import.meta.url);

function read(path: string): ParsedReport {
  const report = parseReport({ filename: 'bom', content: [readFileSync(new URL(path, FIXTURES))], kind: 'unit_tests' });
  if (!('metrics' in report)) throw new Error('kept as HTML');
  return report;
}

describe('a bill of materials', () => {
  // npm counts the project itself among the packages of SPDX, as SPDX requires.
  it.each([
    ['cyclonedx/npm-11.json', 8],
    ['cyclonedx/cyclonedx-npm-6.json', 8],
    ['cyclonedx/cyclonedx-npm-6.xml', 8],
    ['spdx/npm-11.json', 9],
    ['spdx/tags-2.3.spdx', 2],
    ['spdx/graph-3.0.json', 2],
  ])('%s lists %i components, and is no evidence of another kind', (path, components) => {
    expect(read(path)).toMatchObject({ kind: 'sbom', metrics: {}, components, failures: [], testResults: null });
  });

  it('lists the first components, up to the maximum', () => {
    expect(read('cyclonedx/cyclonedx-npm-6.xml').details).toEqual(read('cyclonedx/cyclonedx-npm-6.json').details);
    const bill = new BillOfMaterials({ ...REPORT_LIMITS, details: 2 });
    for (const name of ['a', 'b', 'c']) bill.add({ name });
    expect(bill.result()).toMatchObject({
      measure: { value: { components: 3 } },
      details: [{ title: 'a', location: null, message: '' }, { title: 'b' }],
    });
  });
});
