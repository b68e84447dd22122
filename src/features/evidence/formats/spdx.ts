import type { Reading, ReportFormat, ReportLimits } from './report-format.js';
import type { ReportText } from './report-text.js';
import { readSpdxJson } from './spdx-json.js';
import { isSpdxTagValue, readSpdxTagValue } from './spdx-tag-value.js';

/**
 * SPDX (ISO/IEC 5962): versions 2.2 and 2.3 as JSON or as tags and values, version 3 as JSON-LD. Its packages are the
 * components; SPDX counts what a document describes among them.
 */
export const spdx: ReportFormat = {
  name: 'spdx',
  title: 'SPDX',
  defaultKind: 'sbom',

  detect: (report) =>
    report.jsonKeys.has('spdxVersion') ||
    (report.jsonKeys.has('@graph') && report.jsonKeys.has('@context')) ||
    isSpdxTagValue(report),

  read: (report: ReportText, limits: ReportLimits): Reading =>
    isSpdxTagValue(report) ? readSpdxTagValue(report, limits) : readSpdxJson(report, limits),
};
