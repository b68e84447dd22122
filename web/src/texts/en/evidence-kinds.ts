import type { Schema } from '../../api/client.js';

/** One word for each kind of evidence. */
export const evidenceKinds: Readonly<Record<Schema<'QualityResult'>['type'], string>> = {
  unit_tests: 'Unit tests',
  integration_tests: 'Integration tests',
  e2e_tests: 'End-to-end tests',
  coverage: 'Coverage',
  sast_scan: 'Code scan',
  security: 'Security scan',
  sbom: 'Bill of materials',
  performance: 'Performance',
  manual: 'Manual check',
  custom: 'Other',
};
