import type { Schema } from '../../api/client.js';
import { counted, formatNumber } from './counted.js';
import { evidenceKinds } from './evidence-kinds.js';

type Item = Schema<'EvidenceItem'>;
type Details = Schema<'EvidenceDetails'>;

const percent = (value: number): string => `${formatNumber(value)} %`;

/** Texts of the evidence of a release. */
export const text = {
  failed: 'The evidence could not be loaded.',
  detailsFailed: 'This upload could not be loaded.',
  filters: { type: 'Type', environment: 'Environment', all: 'All' },
  used: 'Used by the verdict now',
  usedNone: 'The verdict uses no matching evidence now.',
  usedShipped: 'This release is shipped, so its facts are frozen and no evidence is used any more.',
  usedMore: (total: number) => `Show all ${formatNumber(total)}`,
  back: 'All evidence',
  others: 'Not used',
  othersLead: 'Evidence of earlier commits and runs, and evidence that a later one replaced.',
  othersShipped: 'Evidence of this release',
  othersShippedLead: 'All uploads for it, newest first.',
  captionUsed: 'Evidence that the verdict uses, by type and environment',
  captionOthers: 'Other evidence, newest first',
  columns: {
    evidence: 'Evidence',
    result: 'Result',
    numbers: 'Numbers',
    commit: 'Commit',
    run: 'CI run',
    uploaded: 'Uploaded',
  },
  none: 'There is no evidence yet.',
  noneHint: 'It appears when the CI workflow of the repository uploads its reports.',
  noMatch: 'No evidence matches these filters.',
  run: 'Open the run',
  noRun: 'Not stated',
  types: evidenceKinds as Readonly<Record<string, string>>,
  statuses: { passed: 'Passed', failed: 'Failed', unmeasured: 'No result' } satisfies Record<Item['status'], string>,
  tests: (total: number, passed: number, failed: number, skipped: number) =>
    `${counted(total, 'test', 'tests')}: ${formatNumber(passed)} passed, ${formatNumber(failed)} failed, ${formatNumber(skipped)} skipped`,
  flaky: (count: number) => `${formatNumber(count)} flaky`,
  lines: (value: number) => `${percent(value)} of the lines`,
  branches: (value: number) => `${percent(value)} of the branches`,
  findings: (critical: number, high: number, medium: number, low: number) =>
    `${formatNumber(critical)} critical, ${formatNumber(high)} high, ${formatNumber(medium)} medium, ${formatNumber(low)} low`,
  upload: (pipeline: string) => `Upload of ${pipeline}`,
  facts: {
    pipeline: 'Pipeline',
    environment: 'Environment',
    job: 'Job',
    group: 'Group of jobs',
    run: 'CI run',
    commit: 'Commit',
    uploaded: 'Uploaded',
    sha256: 'SHA-256 of the upload',
    stated: 'Numbers that the upload states',
  },
  group: (name: string, total: number | null) => (total === null ? name : `${name}, ${counted(total, 'job', 'jobs')}`),
  runOf: (id: string, attempt: number) => `${id}, attempt ${attempt}`,
  proven: 'proven by an identity token',
  notProven: 'as the upload states it',
  commitSources: {
    token: 'from the identity token',
    stated: 'as the upload states it',
    candidate: 'the candidate at the time of the upload, which named no commit',
    branch_head: 'the head of the development branch at the time of the upload, which named no commit',
  } satisfies Record<Details['commitSource'], string>,
  uploaders: { api_key: 'with an API key', identity_token: 'with an identity token' } satisfies Record<
    Details['uploadedBy'],
    string
  >,
  flags: 'Contradictions in this upload',
  items: 'Results',
  itemsCaption: 'Results of this upload, one for each type',
  usedLabel: 'Used now',
  notUsedLabel: 'Not used now',
  reports: 'Reports',
  noReports: 'This upload has no files.',
  report: { format: 'Format', size: 'Size', sha256: 'SHA-256' },
  size: (bytes: number) => `${formatNumber(bytes)} bytes`,
  noResult: 'No parser reads this file. It is stored as a document.',
  failures: 'Failures',
  notes: 'Notes of the parser',
  details: (count: number) => `${counted(count, 'entry', 'entries')} of this report`,
  detailsCaption: 'Failed tests, findings, or files with uncovered lines, at most 100',
  detailColumns: { title: 'Title', location: 'Location', message: 'Message' },
  viewText: 'View text',
  hideText: 'Hide text',
  download: 'Download',
  actionOf: (action: string, name: string) => `${action}: ${name}`,
  onlyDownload:
    'An HTML report can contain scripts, so Shipgate does not show it. Download it, and open it only if you trust its CI run.',
  text: {
    label: (name: string) => `Text of ${name}`,
    failed: 'The text could not be loaded.',
    cut: 'These are the first 1 MB. Download the report to read the rest.',
    lines: (count: number) => counted(count, 'line', 'lines'),
    search: 'Search in the text',
    next: 'Next match',
    previous: 'Previous match',
    found: (at: number, count: number) => `${formatNumber(at)} of ${formatNumber(count)}`,
    notFound: 'No match',
  },
} as const;
