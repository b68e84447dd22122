import type { Environment } from '../config/environment.js';

/** The configured GitHub server, whose pages the URLs name. */
export type GitHubServer = Pick<Environment, 'githubUrl'>;

/** Returns the URL of a repository on the configured GitHub server, which may be a GitHub Enterprise Server. */
export const repositoryUrl = ({ githubUrl }: GitHubServer, { org, name }: RepositoryName): string =>
  `${githubUrl}/${org}/${name}`;

/** Returns the URL of a commit on the configured GitHub server. */
export const commitUrl = (server: GitHubServer, repository: RepositoryName, sha: string): string =>
  `${repositoryUrl(server, repository)}/commit/${sha}`;

/** Returns the URL of the page of a release in the dashboard. */
export const releasePageUrl = ({ baseUrl }: Pick<Environment, 'baseUrl'>, org: string, releaseId: string): string =>
  `${baseUrl}/w/${encodeURIComponent(org)}/releases/${releaseId}`;

/** The current names of a repository and its owner. */
interface RepositoryName {
  readonly org: string;
  readonly name: string;
}
