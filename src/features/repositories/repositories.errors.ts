import { DomainError } from '../../http/errors/domain-error.js';

export const policyNotValid = (): DomainError =>
  new DomainError('conflict', 'There is no valid sdlc.yaml on the default branch, so the target is not known.', {
    errorCode: 'policy_not_valid',
  });

export const promotionIsAutomatic = (): DomainError =>
  new DomainError(
    'conflict',
    'sdlc.yaml has promotion: auto. GitHub starts such a deployment at the head of the default branch, which the rule would ' +
      'reject unless it is the candidate. Set promotion: manual first.',
    { errorCode: 'promotion_automatic' },
  );

export const rulesNotOffered = (): DomainError =>
  new DomainError(
    'conflict',
    'GitHub offers no custom deployment protection rules for this repository under the plan of its organization.',
    { errorCode: 'rules_not_offered' },
  );

export const ruleNotAdded = (environment: string): DomainError =>
  new DomainError(
    'conflict',
    `GitHub did not add the rule to the environment ${environment}. It may have six rules, which is the most.`,
    { errorCode: 'github_rejected' },
  );

export const enableByHand = (environment: string): DomainError =>
  new DomainError(
    'unprocessable',
    'The app may not administer the repository, so an administrator enables the rule on GitHub: open Settings, choose ' +
      `Environments, choose ${environment} or create it, check Shipgate under Deployment protection rules, and save.`,
    { errorCode: 'administration_required' },
  );

export const verdictsNotPermitted = (): DomainError =>
  new DomainError(
    'unprocessable',
    'The app may not decide about deployments, so every deployment would wait. Ask an owner of the organization to accept ' +
      'the permissions that the app requests.',
    { errorCode: 'deployments_required' },
  );

/** What the app lacks and a personal access token must allow instead. */
const MISSING_PERMISSIONS = {
  workflows: {
    action: 'write workflow files in the repository',
    needed: 'that may write contents and workflows of this repository',
  },
  administration: {
    action: 'administer the repository',
    needed: 'of an administrator, with the scope "repo" or with "Administration: read and write"',
  },
} as const;

/** The app lacks a permission, and there is no personal access token that has it. */
export const patRequired = (permission: keyof typeof MISSING_PERMISSIONS): DomainError => {
  const { action, needed } = MISSING_PERMISSIONS[permission];
  return new DomainError(
    'unprocessable',
    `PAT_REQUIRED: The app may not ${action}. Send a personal access token as "pat" ${needed}.`,
    { errorCode: 'pat_required' },
  );
};

/** @param reason A sentence. */
export const patRejected = (reason: string, cause?: unknown): DomainError =>
  new DomainError('unprocessable', `PAT_REQUIRED: GitHub does not accept this personal access token. ${reason}`, {
    errorCode: 'pat_rejected',
    cause,
  });

export const planLimitReached = (): DomainError =>
  new DomainError('plan_limit', "The plan's limit of managed repositories is reached. Request the pro plan.");

export const bootstrapInProgress = (): DomainError =>
  new DomainError(
    'conflict',
    'The repository is already set up, or its bootstrap pull request is open or being opened.',
    { errorCode: 'bootstrap_in_progress' },
  );

export const bootstrapNotPossible = (reason: string): DomainError =>
  new DomainError('unprocessable', reason, { errorCode: 'files_rejected' });

export const bootstrapNotMerged = (): DomainError =>
  new DomainError(
    'conflict',
    'The bootstrap pull request of the repository is not merged. Open and merge it before you protect branches.',
    { errorCode: 'bootstrap_not_merged' },
  );

export const repositoryNotSetUp = (): DomainError =>
  new DomainError('conflict', 'The repository has no workflow files of Shipgate. Set it up first.', {
    errorCode: 'not_set_up',
  });

export const branchConflict = (branch: string): DomainError =>
  new DomainError(
    'conflict',
    `CONFLICT: The branch ${branch} has changes or a pull request that Shipgate did not create. Close the pull request, delete the branch, and try again.`,
    { errorCode: 'branch_conflict' },
  );
