/** What people are told of the protection of a repository: each sentence says what to do next. */
import type { FoundProtection } from '../../../domain/repository/protection.js';

export const BYPASS_UNSEEN =
  'The rulesets are as wanted. Who may bypass them GitHub tells only those who administer the repository.';

export const ADVISORY: FoundProtection = {
  status: 'advisory',
  detail:
    'GitHub offers no rulesets for this repository under the plan of its organization, so nothing but agreement keeps people to pull requests and reviews. The deploy gate is the same.',
};

export const failed = (detail: string): FoundProtection => ({ status: 'failed', detail });

export const NOT_REACHED = failed(
  'The app does not reach the repository. Have an owner give it to the installation, then configure the rulesets again.',
);

export const NO_POLICY = failed(
  'There is no valid sdlc.yaml on the default branch, which says what to protect. Mend it, then configure the rulesets again.',
);

export const NO_CHECKS = failed(
  'The rulesets ask for the check "Shipgate", and the app may not publish it here: nothing could be merged any more. Have an owner grant it "checks: write", then configure the rulesets again.',
);

export const NEEDS_TOKEN: FoundProtection = {
  ...failed(
    'The app may not administer the repository. Configure the rulesets again with a personal access token of somebody who may, or have an owner grant the app "administration: write".',
  ),
  awaitsToken: true,
};

export const TOKEN_REFUSED = failed(
  'GitHub refused the personal access token. It has to be one of somebody who administers the repository, and to allow just that (the scope "repo", or "Administration: read and write").',
);

export const refusedByHost = (sentence: string): FoundProtection =>
  failed(`GitHub refused the rulesets (${sentence}). Configure them again once that is mended.`);

export const notAsAsked = (drift: readonly string[]): FoundProtection =>
  failed(`GitHub took the rulesets, and does not show them as asked. ${drift.join(' ')}`);
