import type { Schema } from '../../api/client.js';
import { common } from './common.js';
import { counted, formatNumber } from './counted.js';

type Counts = Schema<'ProjectCounts'>;

/** Texts of the projects. */
export const text = {
  title: 'Projects',
  caption: 'Projects of the workspace, the last changed first',
  search: 'Search by project, repository or version',
  count: (count: number) => counted(count, 'project', 'projects'),
  changedRows: (count: number) => `${counted(count, 'project has', 'projects have')} changed. Show the new list`,
  failed: 'The projects could not be loaded.',
  failedOne: 'The project could not be loaded.',
  columns: {
    project: 'Project',
    target: 'Target date',
    outcome: 'Outcome',
    releases: 'Releases',
    repositories: 'Repositories',
  },
  releases: (counts: Counts) =>
    counts.all === 0
      ? 'No active release'
      : (['blocked', 'needs_approval', 'in_progress', 'ready_to_deploy'] as const)
          .filter((outcome) => counts[outcome] > 0)
          .map((outcome) => `${formatNumber(counts[outcome])} ${common.outcomes[outcome].toLowerCase()}`)
          .join(', '),
  releasesTitle: (counts: Counts) => counted(counts.all, 'active release', 'active releases'),
  none: 'There is no project yet.',
  noneHint: 'A project shows the releases of several repositories together. Create the first one.',
  noMatch: 'No project matches this search.',
  noDate: 'No target date',
  all: 'All projects',

  create: 'Create a project',
  created: (name: string) => `The project "${name}" is created.`,
  edit: 'Edit',
  editTitle: 'Edit the project',
  save: 'Save',
  changed: (name: string) => `The project "${name}" is saved.`,
  name: 'Name',
  description: 'Description',
  targetDate: 'Target date',
  targetHint: 'The day on which all releases of the project should be deployed.',
  delete: 'Delete',
  deleteTitle: 'Delete the project',
  deleteEffect: (name: string, repositories: number) =>
    `The project "${name}" and its links to ${counted(repositories, 'repository', 'repositories')} that you can read are deleted. Repositories and releases do not change. This cannot be undone.`,
  deleted: (name: string) => `The project "${name}" is deleted.`,

  repositories: 'Repositories that you can read',
  repositoryColumns: { repository: 'Repository', release: 'Release', outcome: 'Outcome', actions: 'Actions' },
  noRepository: 'The project has no repository that you can read.',
  noRepositoryHint: 'Add a repository, and choose the release that the project waits for.',
  noRelease: 'No release is chosen.',
  cancelled: 'Cancelled',
  add: 'Add a repository',
  addConfirm: 'Add',
  searchRepository: 'Search by repository',
  noRepositoryMatches: 'No other repository matches.',
  choose: 'Choose a release',
  chooseOf: (repo: string) => `Choose a release of ${repo}`,
  chooseConfirm: 'Choose',
  searchRelease: 'Search by version',
  noReleaseMatches: 'No release matches.',
  withoutRelease: 'No release',
  linked: (repo: string) => `${repo} is saved in the project.`,
  remove: 'Remove',
  removeOf: (repo: string) => `Remove ${repo}`,
  unlinked: (repo: string) => `${repo} is removed from the project.`,
  lastChanged: 'Last changed',
} as const;
