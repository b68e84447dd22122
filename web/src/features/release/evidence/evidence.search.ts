import type { Schema } from '../../../api/client.js';
import {
  compact,
  parseChoice,
  parsePage,
  parseText,
  type PageSearch,
  type RawSearch,
} from '../../../api/search-params.js';

type EvidenceType = Schema<'EvidenceItem'>['type'];

export const EVIDENCE_TYPES = [
  'unit_tests',
  'integration_tests',
  'e2e_tests',
  'coverage',
  'sast_scan',
  'security',
  'sbom',
  'performance',
  'manual',
  'custom',
] as const satisfies EvidenceType[];

const USED = 'used';
const MAX_ENVIRONMENT_LENGTH = 100;

/** The filters in the URL. */
export interface EvidenceSearch extends PageSearch {
  readonly type?: EvidenceType | undefined;
  readonly environment?: string | undefined;
  /** Only the evidence that the verdict uses, in pages. */
  readonly only?: typeof USED | undefined;
}

/** Parses the query string of any URL. Ignores unknown names and invalid values. */
export const parseEvidenceSearch = (query: RawSearch): EvidenceSearch =>
  compact({
    type: parseChoice(EVIDENCE_TYPES, query['type']),
    environment: parseText(query['environment'])?.slice(0, MAX_ENVIRONMENT_LENGTH),
    only: parseChoice([USED], query['only']),
    ...parsePage(query),
  });
