/** The folder in which GitHub requires workflow files. */
export const WORKFLOW_FOLDER = '.github/workflows';

/** Runs the tests of the repository and uploads the reports. A repository may use its own CI workflow instead. */
export const CI_WORKFLOW = '.github/workflows/shipgate-ci.yml';
/** Runs the gate before a deployment. */
export const ENFORCE_WORKFLOW = '.github/workflows/shipgate-enforce.yml';

/** The workflow files that the service installs. A change of them in a managed repository is tampering. */
export const MANAGED_WORKFLOWS: readonly string[] = [CI_WORKFLOW, ENFORCE_WORKFLOW];

/** The name of the repository whose policy is the default of its organization, in lower case. */
export const DEFAULT_POLICY_REPOSITORY = '.github';

/** The policy file. The service writes it once. After that it belongs to the team. */
export const POLICY_FILE = 'sdlc.yaml';

/** The branch of the bootstrap pull request. */
export const BOOTSTRAP_BRANCH = 'shipgate/bootstrap';
/** The prefix of the branches of workflow updates. The revision follows it. */
export const WORKFLOW_UPDATE_PREFIX = 'shipgate-workflow-update-';

/**
 * Returns whether the service writes managed files to branches of this name. Any user with write access can create such
 * a branch, so the name proves nothing.
 */
export const isManagedBranch = (branch: string): boolean =>
  branch === BOOTSTRAP_BRANCH || branch.startsWith(WORKFLOW_UPDATE_PREFIX);
