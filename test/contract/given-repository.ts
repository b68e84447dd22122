import type { App } from '../github-sim/state/app.js';
import type { Repository } from '../github-sim/state/repository.js';
import type { GivenGitHub } from './given-github.js';

/** A public repository on GitHub with the app installed. */
export interface GivenRepository {
  readonly app: App;
  readonly repository: Repository;
  readonly repositoryId: number;
  readonly installationId: number;
}

/** An organization on GitHub with one public repository, where the app is installed. */
export function givenRepository(
  { github, variables }: GivenGitHub,
  { login, name }: { readonly login: string; readonly name: string },
): GivenRepository {
  const app = github.state.apps.findByIssuer(variables['GITHUB_APP_ID'] ?? '');
  if (!app) throw new Error('GitHub has no app');
  const organization = github.createOrganization({ login });
  const repository = github.createRepository(organization, {
    name,
    files: { 'README.md': 'What it is for.' },
    private: false,
  });
  return {
    app,
    repository,
    repositoryId: repository.id,
    installationId: github.installApp(app, organization).id,
  };
}
