/** Texts of the dialog that creates a release. */
export const text = {
  open: 'New release',
  title: 'New release',
  titleIn: (repository: string) => `New release of ${repository}`,
  effect: 'Shipgate creates a milestone on GitHub. Its issues become the scope of the release.',
  repository: 'Repository',
  choose: 'Choose a repository',
  searchRepository: 'Search for a repository',
  repositoriesFailed: 'The repositories could not be loaded.',
  version: 'Version',
  versionHint: 'In the naming format of the policy of the repository, for example v1.4.0',
  dueOn: 'Due date',
  description: 'Description',
  confirm: 'Create the release',
  done: (repository: string, version: string) => `The release ${version} of ${repository} was created.`,
  show: 'Open the release',
  perhapsCreated: 'GitHub did not confirm the milestone. The release may still appear.',
} as const;
