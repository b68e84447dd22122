import type { GivenGitHub } from './given-github.js';

/** An organization on the host with one public repository, and the app installed there. */
export function givenRepository(
  { github, variables }: GivenGitHub,
  { login, name }: { readonly login: string; readonly name: string },
): { readonly repositoryId: number; readonly installationId: number } {
  const app = github.world.apps.findByIssuer(variables['GITHUB_APP_ID'] ?? '');
  if (!app) throw new Error('the host has no app');
  const organization = github.createOrganization({ login });
  const { id: repositoryId } = github.createRepository(organization, {
    name,
    files: { 'README.md': 'What it is for.' },
    private: false,
  });
  return { repositoryId, installationId: github.installApp(app, organization).id };
}
