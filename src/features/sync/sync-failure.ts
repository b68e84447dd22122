import { GitHubError } from '../../github/transport/github-error.js';

/** Why something could not be read, for the people of the workspace: what the host said, and nothing of our own inside. */
export const failureOf = (error: unknown): string =>
  error instanceof GitHubError ? error.message : 'It failed inside the service, whose log says why; it is tried again.';
