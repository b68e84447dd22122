import { readCycloneDxJson } from './cyclonedx-json.js';
import { readCycloneDxXml } from './cyclonedx-xml.js';
import type { Reading, ReportFormat, ReportLimits } from './report-format.js';
import type { ReportText } from './report-text.js';

/** CycloneDX (ECMA-424) from version 1.2 on, as JSON or XML: the components that a release is made of. */
export const cyclonedx: ReportFormat = {
  name: 'cyclonedx',
  title: 'CycloneDX',
  defaultKind: 'sbom',

  detect: ({ prolog, jsonKeys }) => prolog?.root === 'bom' || jsonKeys.has('bomFormat'),

  read: (report: ReportText, limits: ReportLimits): Reading =>
    report.prolog === null ? readCycloneDxJson(report, limits) : readCycloneDxXml(report, limits),
};
