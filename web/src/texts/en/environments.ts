import type { Schema } from '../../api/client.js';
import { counted } from './counted.js';

type Environment = Schema<'ReleaseEnvironment'>;
type Deployment = Schema<'ReleaseDeployment'>;

/** Texts of what is deployed where. */
export const text = {
  title: 'Environments',
  roles: { development: 'Development', testing: 'Testing', deployment: 'Target' } satisfies Record<
    Environment['role'],
    string
  >,
  states: {
    not_deployed: 'Not deployed',
    deploying: 'Deployment is running',
    failed: 'Deployment failed',
    deployed: 'Deployed',
    soaking: 'Soaking',
    soaked: 'Soak completed',
    unknown: 'Unknown',
  } satisfies Record<Environment['state'], string>,
  candidate: 'Candidate',
  otherCommit: 'Deployed there:',
  lastKnown: 'Last known:',
  nothing: 'No deployment is known.',
  soakEnds: 'Soak ends in',
  soakEnded: 'The time of the soak is over. Shipgate reads the deployments again.',
  soakAhead: (time: string) => `A soak of ${time} is required.`,
  unknownHint: 'The stored facts do not tell it. Read again.',
  run: 'Open the run',
  noRelease: 'no release',
  ungoverned: 'Ungoverned',
  deployments: {
    failed: 'The deployments could not be loaded.',
    caption: 'Deployments of the release, the latest first',
    columns: { environment: 'Environment', status: 'Status', commit: 'Commit', source: 'Source', began: 'Began' },
    statuses: {
      started: 'Running',
      succeeded: 'Succeeded',
      failed: 'Failed',
      cancelled: 'Cancelled',
      inactive: 'Ended',
      unknown: 'Unknown',
    } satisfies Record<Deployment['status'], string>,
    closedGate: 'It started while the gate was closed.',
    noEnd: 'No end is known.',
    changed: (count: number) => `${counted(count, 'deployment has', 'deployments have')} changed. Show the new list`,
    none: 'No deployment of this release is known.',
    noneHint: 'Deployments on GitHub appear here, and those that a CI system reports.',
  },
  view: {
    title: 'What is where',
    caption: 'Repositories that you can read, with what is deployed to their environments',
    search: 'Search by repository',
    count: (count: number) => counted(count, 'repository', 'repositories'),
    changed: (count: number) => `${counted(count, 'repository has', 'repositories have')} changed. Show the new list`,
    failed: 'The environments could not be loaded.',
    none: 'No repository has a valid policy.',
    noneHint: 'The environments are those that the sdlc.yaml of a repository names.',
    noMatch: 'No repository matches this search.',
  },
} as const;
