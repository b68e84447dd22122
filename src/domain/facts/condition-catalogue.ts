/**
 * Every condition of a release, with all that the service, the command line, the dashboard and the guide know about its code.
 * A new condition starts here: its rule does not compile without an entry.
 */

/** The part of a release that shows the facts of a condition. */
type ConditionArea = 'scope' | 'checks' | 'evidence' | 'policy' | 'approvals';

/**
 * The override that two admins may give. A waiver is for small, known problems and lasts for days. Break-glass is for
 * emergencies and lasts for hours; it also covers every condition that can be waived. A condition that is not known, or that
 * makes the answer itself unreliable, allows none.
 */
export type OverrideRule =
  | { readonly by: 'waiver' }
  /** Only break-glass. `why` is the reason why there is no waiver. */
  | { readonly by: 'break_glass'; readonly why: string }
  | { readonly by: 'none'; readonly why: string };

/** The overrides that admins can request for a condition. */
export const ALLOWED_OVERRIDES = ['waiver', 'break_glass', 'none'] as const satisfies readonly OverrideRule['by'][];
export type AllowedOverride = (typeof ALLOWED_OVERRIDES)[number];

export interface ConditionTraits {
  readonly title: string;
  /** The next step of its actor, as a sentence. The sentence of the condition has the details. */
  readonly next: string;
  /** Null if no part of a release shows its facts. */
  readonly area: ConditionArea | null;
  readonly override: OverrideRule;
  /** A user must act before the release can continue. Other conditions clear while users do their planned work, or by themselves. */
  readonly isBlocking: boolean;
  /** It begins and ends with time alone. Every read compares it with the clock, so that it is not stored as true. */
  readonly isTimeDependent?: true;
  /** No wait clears it. */
  readonly isFinal?: true;
  /** The evidence is missing. The other conditions of evidence mean bad evidence. */
  readonly isMissingEvidence?: true;
  /** Facts were not read yet or are too old. */
  readonly isUnreadFact?: true;
  /** The service clears it when it writes the evidence pull request. */
  readonly isClearedByEvidencePull?: true;
}

const WAIVER: OverrideRule = { by: 'waiver' };
const breakGlass = (why: string): OverrideRule => ({ by: 'break_glass', why });
const noOverride = (why: string): OverrideRule => ({ by: 'none', why });

const NO_EVIDENCE = breakGlass('evidence that does not exist shows nothing about the candidate.');
const NO_ARTIFACT = breakGlass('without a valid provenance it is not known which bytes would be deployed.');
const APPROVAL = breakGlass(
  'the approval on GitHub is the second review itself, and a waiver would replace it for days.',
);
const UNCLEAR_CANDIDATE = noOverride('it is not known which commit would be deployed.');
const NO_RULES = noOverride('without valid rules it is not known what the override covers.');
const NOT_KNOWN = noOverride('the value is not known, so it is not known what the override covers.');
const GATE_STAYS = noOverride('it does not close the gate.');

const WAIT = 'Wait. Shipgate does this automatically.';

/** Each condition code with its traits, in the order of the stages. */
const CONDITIONS = {
  not_started: {
    title: 'Work has not started',
    next: 'Link a pull request to an issue of the milestone, push the release branch, upload evidence, or start the release.',
    area: null,
    override: breakGlass('starting the release clears it at once.'),
    isBlocking: false,
  },
  scope_empty: {
    title: 'The scope is empty',
    next: 'Link issues to the release, on its tab Scope or on GitHub.',
    area: 'scope',
    override: WAIVER,
    isBlocking: false,
  },
  issue_unowned: {
    title: 'An issue has no owner',
    next: 'Assign the issue, on the tab Scope or on GitHub.',
    area: 'scope',
    override: WAIVER,
    isBlocking: false,
  },
  issue_open: {
    title: 'An issue is open',
    next: 'Close the issue, give it an exempt label, or unlink it.',
    area: 'scope',
    override: WAIVER,
    isBlocking: false,
  },
  no_candidate: {
    title: 'There is no candidate',
    next: 'Push the release branch, or upload evidence of a commit on the development branch.',
    area: null,
    override: UNCLEAR_CANDIDATE,
    isBlocking: false,
  },
  two_release_branches: {
    title: 'The release has several branches',
    next: 'Delete all branches of this release but one.',
    area: null,
    override: UNCLEAR_CANDIDATE,
    isBlocking: true,
  },
  no_development_branch: {
    title: 'The development branch does not exist',
    next: 'Correct stages.development.branch in sdlc.yaml, or create the branch.',
    area: null,
    override: UNCLEAR_CANDIDATE,
    isBlocking: true,
  },
  not_deployed_to_stage: {
    title: 'The candidate is not deployed to an environment',
    next: 'Deploy the candidate to the environment that the reason names.',
    area: null,
    override: breakGlass('an environment without the candidate shows nothing about it.'),
    isBlocking: false,
  },
  soaking: {
    title: 'The candidate soaks in an environment',
    next: 'Wait until the soak ends, and deploy nothing else to the environment meanwhile.',
    area: null,
    override: breakGlass('the soak ends by itself.'),
    isBlocking: false,
  },
  check_missing: {
    title: 'A required check has not reported',
    next: 'Run the check at the candidate, or correct its name in sdlc.yaml.',
    area: 'checks',
    override: WAIVER,
    isBlocking: false,
  },
  check_pending: {
    title: 'A required check is running',
    next: 'Wait until the check has finished.',
    area: 'checks',
    override: breakGlass('the check will report its result.'),
    isBlocking: false,
  },
  check_failing: {
    title: 'A required check failed',
    next: 'Fix the failure, or run the check again.',
    area: 'checks',
    override: WAIVER,
    isBlocking: true,
  },
  check_skipped: {
    title: 'A required check was skipped',
    next: 'Run the check at the candidate, or set allow_skipped for it in sdlc.yaml.',
    area: 'checks',
    override: WAIVER,
    isBlocking: true,
  },
  evidence_missing: {
    title: 'Evidence is missing',
    next: 'Run the CI workflow that uploads it for the candidate.',
    area: 'evidence',
    override: NO_EVIDENCE,
    isBlocking: false,
    isMissingEvidence: true,
  },
  artifact_missing: {
    title: 'An artifact is missing',
    next: 'Run the CI workflow that builds it for the candidate and states its digest.',
    area: 'evidence',
    override: NO_ARTIFACT,
    isBlocking: false,
  },
  artifact_ambiguous: {
    title: 'An artifact has several digests',
    next: 'Start a new run that builds the artifact once.',
    area: 'evidence',
    override: NO_ARTIFACT,
    isBlocking: true,
  },
  provenance_missing: {
    title: 'Provenance is missing',
    next: 'Upload the provenance bundle of the artifact from the run that built it.',
    area: 'evidence',
    override: NO_ARTIFACT,
    isBlocking: false,
  },
  provenance_invalid: {
    title: 'Provenance is not valid',
    next: 'Start a new run of the required workflow that builds the artifact and uploads its provenance.',
    area: 'evidence',
    override: NO_ARTIFACT,
    isBlocking: true,
  },
  evidence_incomplete: {
    title: 'Evidence is incomplete',
    next: 'Wait for the jobs of the run, or run the missing ones again.',
    area: 'evidence',
    override: NO_EVIDENCE,
    isBlocking: false,
    isMissingEvidence: true,
  },
  evidence_failing: {
    title: 'Evidence fails',
    next: 'Fix the failures, and upload the evidence again.',
    area: 'evidence',
    override: WAIVER,
    isBlocking: true,
  },
  too_few_tests: {
    title: 'Too few tests passed',
    next: 'Add tests, or correct the minimum in sdlc.yaml.',
    area: 'evidence',
    override: WAIVER,
    isBlocking: true,
    isMissingEvidence: true,
  },
  quality_evidence_missing: {
    title: 'A quality gate has no evidence',
    next: 'Upload the coverage or the scan for the candidate.',
    area: 'evidence',
    override: NO_EVIDENCE,
    isBlocking: false,
    isMissingEvidence: true,
  },
  quality_gate_failing: {
    title: 'A quality gate fails',
    next: 'Fix the findings, and upload the evidence again.',
    area: 'evidence',
    override: WAIVER,
    isBlocking: true,
  },
  policy_missing: {
    title: 'There is no policy',
    next: 'Add a valid sdlc.yaml to the default branch.',
    area: 'policy',
    override: NO_RULES,
    isBlocking: true,
  },
  policy_invalid: {
    title: 'The policy is not valid',
    next: 'Correct sdlc.yaml at the place that the reason names.',
    area: 'policy',
    override: NO_RULES,
    isBlocking: true,
  },
  policy_unknown: {
    title: 'The policy is not known',
    next: 'Add a valid sdlc.yaml to the default branch.',
    area: 'policy',
    override: NO_RULES,
    isBlocking: true,
  },
  evidence_pull_pending: {
    title: 'The evidence pull request is being opened',
    next: WAIT,
    area: 'approvals',
    override: APPROVAL,
    isBlocking: false,
    isClearedByEvidencePull: true,
  },
  evidence_pull_outdated: {
    title: 'The evidence pull request is being updated',
    next: WAIT,
    area: 'approvals',
    override: APPROVAL,
    isBlocking: false,
    isClearedByEvidencePull: true,
  },
  evidence_pull_merged_unapproved: {
    title: 'The evidence was merged without its approvals',
    next: WAIT,
    area: 'approvals',
    override: APPROVAL,
    isBlocking: false,
    isClearedByEvidencePull: true,
  },
  evidence_pull_not_merged: {
    title: 'The evidence pull request is not merged',
    next: 'Merge it. No approvals are required, so the merge is the approval.',
    area: 'approvals',
    override: APPROVAL,
    isBlocking: false,
  },
  evidence_pull_closed: {
    title: 'The evidence pull request is closed',
    next: 'Reopen it on GitHub, or have another one opened on the page of the release.',
    area: 'approvals',
    override: APPROVAL,
    isBlocking: true,
  },
  evidence_pull_altered: {
    title: 'The evidence pull request was changed',
    next: 'Push its branch back to the commit of Shipgate, or close it and have another one opened.',
    area: 'approvals',
    override: APPROVAL,
    isBlocking: true,
  },
  approvals_missing: {
    title: 'Approvals are missing',
    next: 'Review the evidence pull request on GitHub.',
    area: 'approvals',
    override: APPROVAL,
    isBlocking: false,
  },
  changes_requested: {
    title: 'A reviewer requested changes',
    next: 'Resolve what the reviewer asks for, and request another review.',
    area: 'approvals',
    override: APPROVAL,
    isBlocking: true,
  },
  no_reviewer_left: {
    title: 'No reviewer is left who may approve',
    next: 'Add users to the teams, because each member wrote a part of the release.',
    area: 'approvals',
    override: APPROVAL,
    isBlocking: true,
  },
  not_deployed: {
    title: 'The release is not deployed',
    next: 'Deploy it when all other conditions are met.',
    area: null,
    override: GATE_STAYS,
    isBlocking: false,
  },
  cancelled: {
    title: 'The release is cancelled',
    next: 'Reopen the milestone on GitHub.',
    area: null,
    override: noOverride('the release is cancelled. Reopen the milestone.'),
    isBlocking: true,
    isFinal: true,
  },
  milestone_renamed: {
    title: 'The milestone was renamed',
    next: 'Restore the title of the milestone on GitHub. A release with a candidate cannot change its version.',
    area: null,
    override: noOverride('it is not known which version would be deployed.'),
    isBlocking: true,
  },
  milestone_closed: {
    title: 'The milestone was closed early',
    next: 'No action is needed. The milestone was closed before Shipgate saw the deployment.',
    area: null,
    override: GATE_STAYS,
    isBlocking: false,
  },
  freeze: {
    title: 'Deployments are frozen',
    next: 'Wait for the end of the freeze, or ask an admin.',
    area: null,
    override: WAIVER,
    isBlocking: true,
    isTimeDependent: true,
  },
  tampered: {
    title: 'A managed workflow file was changed',
    next: 'Restore the file as Shipgate published it, on the branch that the reason names.',
    area: null,
    override: noOverride('the results of changed workflow files cannot be trusted. Restore the files.'),
    isBlocking: true,
  },
  workflows_unknown: {
    title: 'The workflow files are being checked',
    next: WAIT,
    area: null,
    override: NOT_KNOWN,
    isBlocking: false,
  },
  plan_limit: {
    title: 'The limit of the plan is reached',
    next: 'Request the pro plan, or remove a managed repository from the installation of the app.',
    area: null,
    override: noOverride('the plan decides which repositories are governed.'),
    isBlocking: true,
  },
  repository_removed: {
    title: 'The repository cannot be reached',
    next: 'Give the app access to the repository again.',
    area: null,
    override: noOverride('the service has no access to the repository.'),
    isBlocking: true,
    isFinal: true,
  },
  not_the_candidate: {
    title: 'The commit or the artifact is not that of the candidate',
    next: 'Deploy the candidate and an artifact that the policy accepts, or release this commit.',
    area: null,
    override: noOverride('another commit has another release, or none.'),
    isBlocking: false,
  },
  environment_not_named: {
    title: 'The policy does not name the environment',
    next: 'Deploy to an environment that sdlc.yaml names, or add it there.',
    area: null,
    override: noOverride('it has no gate.'),
    isBlocking: false,
  },
  deployment_ended: {
    title: 'The deployment has ended',
    next: 'Report a new deployment with another id.',
    area: null,
    override: noOverride('a new deployment needs no override.'),
    isBlocking: false,
    isFinal: true,
  },
  not_ready: {
    title: 'A stage is not passed',
    next: 'Meet the other conditions first.',
    area: null,
    override: NOT_KNOWN,
    isBlocking: false,
  },
  unknown: {
    title: 'A fact is not known',
    next: 'Read the release again. GitHub may not have answered in time.',
    area: null,
    override: NOT_KNOWN,
    isBlocking: false,
    isUnreadFact: true,
  },
  facts_stale: {
    title: 'The facts are too old',
    next: 'Read the release again.',
    area: null,
    override: NOT_KNOWN,
    isBlocking: false,
    isTimeDependent: true,
    isUnreadFact: true,
  },
} as const satisfies Readonly<Record<string, ConditionTraits>>;

export type ConditionCode = keyof typeof CONDITIONS;

/** Every condition code. */
export const CONDITION_CODES = Object.keys(CONDITIONS) as readonly ConditionCode[];

/** Returns whether the text is the code of a condition. Codes that users send or that other versions stored may not be. */
export const isConditionCode = (code: string): code is ConditionCode => Object.hasOwn(CONDITIONS, code);

/** Returns the traits of a condition. */
export const getTraits = (code: ConditionCode): ConditionTraits => CONDITIONS[code];
