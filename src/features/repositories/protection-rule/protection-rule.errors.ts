import { DomainError } from '../../../http/errors/domain-error.js';

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
