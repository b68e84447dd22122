import type { Schema } from '../../api/client.js';

interface ConditionHelp {
  readonly title: string;
  /** The next step of its actor. */
  readonly next: string;
}

const WAIT = 'Wait. Shipgate does this automatically.';

/** The title of each condition, and the next step. The sentence of the service has the details. */
export const conditionHelp: Readonly<Record<Schema<'Condition'>['code'], ConditionHelp>> = {
  not_started: {
    title: 'Work has not started',
    next: 'Link a pull request to an issue of the milestone, push the release branch, upload evidence, or start the work here.',
  },
  scope_empty: { title: 'The scope is empty', next: 'Link issues to the release, on the tab Scope or on GitHub.' },
  issue_unowned: { title: 'An issue has no owner', next: 'Assign the issue, on the tab Scope or on GitHub.' },
  issue_open: { title: 'An issue is open', next: 'Close the issue, give it an exempt label, or unlink it.' },
  no_candidate: {
    title: 'There is no candidate',
    next: 'Push the release branch, or upload evidence of a commit on the development branch.',
  },
  two_release_branches: {
    title: 'The release has several branches',
    next: 'Delete all branches of this release but one.',
  },
  no_development_branch: {
    title: 'The development branch does not exist',
    next: 'Correct stages.development.branch in sdlc.yaml, or create the branch.',
  },
  check_missing: { title: 'A required check has not reported', next: 'Run the check at the candidate.' },
  check_pending: { title: 'A required check is running', next: 'Wait until the check has finished.' },
  check_failing: { title: 'A required check failed', next: 'Fix the failure, or run the check again.' },
  check_skipped: {
    title: 'A required check was skipped',
    next: 'Run the check at the candidate, or set allow_skipped for it in sdlc.yaml.',
  },
  evidence_missing: { title: 'Evidence is missing', next: 'Run the CI workflow that uploads it for the candidate.' },
  evidence_failing: { title: 'Evidence fails', next: 'Fix the failures, and upload the evidence again.' },
  evidence_incomplete: {
    title: 'Evidence is incomplete',
    next: 'Wait for the jobs of the run, or run the missing ones again.',
  },
  too_few_tests: { title: 'Too few tests passed', next: 'Add tests, or correct the minimum in sdlc.yaml.' },
  quality_evidence_missing: {
    title: 'A quality gate has no evidence',
    next: 'Upload the coverage or the scan for the candidate.',
  },
  quality_gate_failing: { title: 'A quality gate fails', next: 'Fix the findings, and upload the evidence again.' },
  policy_missing: { title: 'There is no policy', next: 'Add a valid sdlc.yaml to the default branch.' },
  policy_invalid: { title: 'The policy is not valid', next: 'Correct sdlc.yaml at the place that the reason names.' },
  policy_unknown: { title: 'The policy is not known', next: 'Add a valid sdlc.yaml to the default branch.' },
  evidence_pull_pending: { title: 'The evidence pull request is being opened', next: WAIT },
  evidence_pull_outdated: { title: 'The evidence pull request is being updated', next: WAIT },
  evidence_pull_closed: {
    title: 'The evidence pull request is closed',
    next: 'Reopen it on GitHub, or open another one here.',
  },
  evidence_pull_merged_unapproved: { title: 'The evidence was merged without its approvals', next: WAIT },
  evidence_pull_not_merged: {
    title: 'The evidence pull request is not merged',
    next: 'Merge it. No approvals are required, so the merge is the approval.',
  },
  evidence_pull_altered: {
    title: 'The evidence pull request was changed',
    next: 'Push its branch back to the commit of Shipgate, or close it and open another one.',
  },
  approvals_missing: { title: 'Approvals are missing', next: 'Review the evidence pull request on GitHub.' },
  changes_requested: {
    title: 'A reviewer requested changes',
    next: 'Resolve what the reviewer asks for, and request another review.',
  },
  no_reviewer_left: {
    title: 'No reviewer is left who may approve',
    next: 'Add users to the teams, because each member wrote a part of the release.',
  },
  cancelled: { title: 'The release is cancelled', next: 'Reopen the milestone on GitHub.' },
  milestone_renamed: { title: 'The milestone was renamed', next: 'Restore the title of the milestone on GitHub.' },
  milestone_closed: {
    title: 'The milestone was closed early',
    next: 'No action is needed. The milestone was closed before Shipgate saw the deployment.',
  },
  freeze: { title: 'Deployments are frozen', next: 'Wait for the end of the freeze, or ask an admin.' },
  tampered: {
    title: 'A managed workflow file was changed',
    next: 'Restore the file as Shipgate published it, on the branch that the reason names.',
  },
  workflows_unknown: { title: 'The workflow files are being checked', next: WAIT },
  plan_limit: {
    title: 'The limit of the plan is reached',
    next: 'Request the pro plan, or remove a managed repository from the app’s installation.',
  },
  repository_removed: {
    title: 'The repository cannot be reached',
    next: 'Give the app access to the repository again.',
  },
  not_the_candidate: {
    title: 'The commit is not the candidate',
    next: 'Deploy the candidate, or release this commit.',
  },
  not_ready: { title: 'A stage is not passed', next: 'Meet the other conditions first.' },
  not_deployed: { title: 'The release is not deployed', next: 'Deploy it when all other conditions are met.' },
  unknown: { title: 'A fact is not known', next: 'Read the release again. GitHub may not have answered in time.' },
  facts_stale: { title: 'The facts are too old', next: 'Read the release again.' },
};
