/** Where GitHub looks for workflows, and so where all managed ones are. */
export const WORKFLOW_FOLDER = '.github/workflows';

/** Runs the repository's tests and uploads their reports; a repository may have a CI of its own instead. */
export const CI_WORKFLOW = '.github/workflows/shipgate-ci.yml';
/** The gate that deployments need. */
export const ENFORCE_WORKFLOW = '.github/workflows/shipgate-enforce.yml';

/** The workflow files that the service installs; a repository that is governed does not change them by itself. */
export const MANAGED_WORKFLOWS: readonly string[] = [CI_WORKFLOW, ENFORCE_WORKFLOW];

/** The file of the rules: written once by the service, and the team's own from then on. */
export const POLICY_FILE = 'sdlc.yaml';

/** The branch of the pull request that sets a repository up. */
export const BOOTSTRAP_BRANCH = 'shipgate/bootstrap';
/** What the branches of workflow updates are called, before the revision that they bring. */
export const WORKFLOW_UPDATE_PREFIX = 'shipgate-workflow-update-';

/** Whether the service writes managed files to a branch of this name; anybody may make one that is called so. */
export const isManagedBranch = (branch: string): boolean =>
  branch === BOOTSTRAP_BRANCH || branch.startsWith(WORKFLOW_UPDATE_PREFIX);
