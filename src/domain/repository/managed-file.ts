/** The workflow files that the service installs; a repository that is governed does not change them by itself. */
export const MANAGED_WORKFLOWS: readonly string[] = [
  '.github/workflows/shipgate-ci.yml',
  '.github/workflows/shipgate-enforce.yml',
];

/** The file of the rules: written once by the service, and the team's own from then on. */
export const POLICY_FILE = 'sdlc.yaml';

const BOOTSTRAP_BRANCH = 'shipgate/bootstrap';
const WORKFLOW_UPDATE_PREFIX = 'shipgate-workflow-update-';

/** Whether the service writes managed files to a branch of this name; anybody may make one that is called so. */
export const isInstallationBranch = (branch: string): boolean =>
  branch === BOOTSTRAP_BRANCH || branch.startsWith(WORKFLOW_UPDATE_PREFIX);
