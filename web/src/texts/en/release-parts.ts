import type { Schema } from '../../api/client.js';
import { counted, formatNumber } from './counted.js';

type Rules = Schema<'PolicyRules'>;

/** The service returns no more results of a search on GitHub. */
const MOST_MATCHES = 50;

const describeMatches = (count: number, matches: string): string =>
  count < MOST_MATCHES ? `Found ${matches}.` : `Found ${matches} or more. Type more to find others.`;

/** Texts of the scope of a release. */
export const scopeText = {
  caption: 'Issues of the release',
  columns: { issue: 'Issue', state: 'State', owners: 'Owners', labels: 'Labels' },
  actionsColumn: 'Actions',
  states: { open: 'Open', closed: 'Closed' } satisfies Record<Schema<'ScopeIssue'>['state'], string>,
  none: 'No issue belongs to this release.',
  noneHint: 'An issue belongs to a release if it has its milestone on GitHub.',
  noOwner: 'No owner',
  searching: 'Searching on GitHub…',
  searchFailed: 'GitHub could not be searched. You can still type the whole value.',
  noRole: 'You need the role triage or a higher one in the repository on GitHub.',
  final: 'The release is shipped, so its scope is final.',
  notKnown: 'Your role on GitHub is not known yet. GitHub decides at each change.',
  inYourName: 'Each change is made in your name on GitHub.',
  link: {
    button: 'Link an issue',
    title: 'Link an issue to the release',
    confirm: 'Link the issue',
    issue: 'Issue',
    hint: 'An open issue without a milestone. Search the title, or type the number.',
    choices: 'Issues that can be linked',
    invalid: 'Choose an issue, or type its number.',
    count: (count: number) => describeMatches(count, counted(count, 'issue', 'issues')),
    done: (number: number) => `Issue #${number} is linked.`,
  },
  unlink: {
    button: 'Unlink',
    of: (number: number) => `Unlink issue #${number}`,
    title: (number: number) => `Unlink issue #${number}`,
    effect: 'The issue is closed. Only an open issue can be linked, so you cannot undo this here.',
    done: (number: number) => `Issue #${number} is unlinked.`,
  },
  assign: {
    button: 'Assign',
    of: (number: number) => `Assign issue #${number}`,
    title: (number: number) => `Assign issue #${number}`,
    confirm: 'Assign the issue',
    login: 'Login on GitHub',
    choices: 'Users to whom the issue can be assigned',
    loginHint: 'Search the name, or type the login. The user must be able to read the repository.',
    count: (count: number) => describeMatches(count, counted(count, 'user', 'users')),
    done: (number: number, login: string) => `${login} owns issue #${number}.`,
  },
  unassign: {
    of: (number: number, login: string) => `Remove ${login} from issue #${number}`,
    done: (number: number, login: string) => `${login} no longer owns issue #${number}.`,
  },
} as const;

/** Texts of the checks of a release. */
export const checksText = {
  caption: 'Checks at the candidate, required ones first',
  columns: { check: 'Check', state: 'State', required: 'Required' },
  at: 'Checks at the candidate',
  states: {
    success: 'Passed',
    failure: 'Failed',
    pending: 'Running',
    skipped: 'Skipped',
  } satisfies Record<Schema<'ReportedCheck'>['state'], string>,
  missing: 'Not reported',
  required: 'Required',
  notRequired: 'Not required',
  mayBeSkipped: 'May be skipped',
  commitStatus: 'Commit status',
  anyApp: 'Any app',
  none: 'No check has reported at the candidate.',
  noneHint: 'The policy requires none.',
  noCandidate: 'There is no candidate yet, so there are no checks.',
} as const;

/** Texts of the approvals of a release. */
export const approvalsText = {
  given: (given: number, required: number) =>
    `${formatNumber(given)} of ${counted(required, 'required approval', 'required approvals')} given`,
  givenOnly: (given: number) => `${counted(given, 'approval', 'approvals')} given`,
  notRequired: 'The policy requires no approval.',
  openPull: 'Review on GitHub',
  noPull: 'There is no evidence pull request yet. Shipgate opens it when the release reaches the stage Evidencing.',
  changes: 'What changed since the last shipped release',
  you: 'You',
  eligibility: {
    eligible: 'You can approve',
    ineligible: 'You cannot approve',
    unknown: 'Not known yet',
  } satisfies Record<Schema<'ReviewEligibility'>['status'], string>,
  reviews: 'Reviews',
  caption: 'The last review of each user, newest first',
  columns: { user: 'User', review: 'Review', counts: 'Counts', commit: 'Commit', time: 'Time' },
  states: {
    approved: 'Approved',
    changes_requested: 'Changes requested',
    dismissed: 'Dismissed',
  } satisfies Record<Schema<'EvidenceReview'>['state'], string>,
  counts: 'Counts',
  blocks: 'Blocks the approval',
  countsNot: 'Does not count',
  noReviews: 'There is no review of the evidence yet.',
  others: 'Who can still approve',
  teams: 'Members of these teams',
  everyWriter: 'Every user with write access to the repository can approve.',
  known: 'Known to be able to approve now',
  incomplete: 'Other users may be able to approve, too. This list has only users who used Shipgate recently.',
  final: 'The release is shipped, so the approvals are final.',
} as const;

type Source = Schema<'RequiredCheck'>['source'];

const SOURCES = { organization: 'from the organization', repository: 'from the repository' } satisfies Record<
  NonNullable<Source>,
  string
>;

/** Adds where a requirement comes from. Nothing without a default of the organization. */
const withSource = (requirement: string, source: Source): string =>
  source === undefined ? requirement : `${requirement} (${SOURCES[source]})`;

/** Returns the text of a limit. Empty if there is none. */
const limit = (value: number | null, describe: (value: number) => string, source: Source): readonly string[] =>
  value === null ? [] : [withSource(describe(value), source)];

const atMost =
  (name: string) =>
  (max: number): string =>
    `at most ${formatNumber(max)} ${name}`;

/** Texts of the policy of a release. */
export const policyText = {
  none: 'No valid rules are known.',
  states: { valid: 'Valid', invalid: 'Not valid', missing: 'Missing' } satisfies Record<
    NonNullable<Schema<'ReleasePolicy'>['state']>,
    string
  >,
  file: 'sdlc.yaml',
  withSource,
  digest: 'Digest of the rules',
  copyDigest: 'Copy the digest',
  general: 'General',
  name: 'Name',
  naming: 'Names of releases',
  hotfixes: 'Branches of hotfixes',
  and: ' and ',
  events: 'More events that may upload evidence',
  requireIssues: 'The scope is not empty',
  requireOwners: 'Each open issue has an owner',
  requireClosed: 'All issues are closed',
  closedIssues: ({ exemptLabels, source }: Schema<'ClosedIssuesRule'>) =>
    withSource(
      exemptLabels.length === 0 ? 'Required' : `Required, except with a label ${exemptLabels.join(' or ')}`,
      source,
    ),
  required: 'Required',
  notRequired: 'Not required',
  branch: 'Branch',
  defaultBranch: 'The default branch',
  branches: 'Branches of releases',
  deployTarget: 'Deployed to',
  deployed: (label: string, time: string) => `${label}, and must stay there for ${time}`,
  checks: 'Required checks',
  check: ({ name, app, allowSkipped, source }: Schema<'RequiredCheck'>) =>
    withSource(`${name}${app === null ? '' : ` by ${app}`}${allowSkipped ? ', may be skipped' : ''}`, source),
  evidence: 'Required evidence',
  requiredEvidence: ({ kind, environment, minTests, afterDeployment, source }: Schema<'RequiredEvidence'>) =>
    withSource(
      `${kind}${environment === null ? '' : ` from ${environment}`}${
        minTests > 1 ? `, at least ${counted(minTests, 'passed test', 'passed tests')}` : ''
      }${afterDeployment ? ', after the deployment' : ''}`,
      source,
    ),
  artifacts: 'Required artifacts',
  artifact: ({ name, provenance, builder, signerWorkflow, source }: Schema<'RequiredArtifact'>) =>
    withSource(
      provenance
        ? `${name}, with provenance${builder === 'any' ? '' : `, built on a ${builder} runner`}${
            signerWorkflow === null ? '' : `, signed by ${signerWorkflow}`
          }`
        : name,
      source,
    ),
  gates: 'Quality gates',
  coverage: 'Coverage',
  sast: 'Static analysis',
  security: 'Security scan',
  coverageLimits: ({ minLinePercent, maxDrop, sources }: Rules['qualityGates']['coverage']) => [
    ...limit(minLinePercent, (percent) => `at least ${formatNumber(percent)} % of lines`, sources?.minLinePercent),
    ...limit(
      maxDrop,
      (points) => `at most ${counted(points, 'point', 'points')} less than the last release`,
      sources?.maxDrop,
    ),
  ],
  severityLimits: ({ maxCritical, maxHigh, maxMedium, maxLow, sources }: Schema<'SeverityLimits'>) => [
    ...limit(maxCritical, atMost('critical'), sources?.maxCritical),
    ...limit(maxHigh, atMost('high'), sources?.maxHigh),
    ...limit(maxMedium, atMost('medium'), sources?.maxMedium),
    ...limit(maxLow, atMost('low'), sources?.maxLow),
  ],
  approvals: 'Required approvals',
  reviewers: ({ minApprovals, teams, excludeReleaseAuthors, source }: Schema<'ReviewerRequirement'>) =>
    withSource(
      `${minApprovals} by ${
        teams.length === 0 ? 'any user with write access' : `members of ${teams.join(' or ')}`
      }${excludeReleaseAuthors ? ', without the authors of the release' : ''}`,
      source,
    ),
  target: 'Target',
  promotion: 'Promotion',
  promotions: { manual: 'Manual', auto: 'Automatic' } satisfies Record<Rules['deployment']['promotion'], string>,
  approval: 'Approval of the evidence',
  freezes: 'Freezes of this repository',
  freeze: (from: string, to: string) => (from === to ? from : `${from} to ${to}`),
  noFreezes: 'The policy has no freezes.',
  days: 'Days are in UTC. The first and the last day are included.',
} as const;
