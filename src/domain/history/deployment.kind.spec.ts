import { describe, expect, it } from '@jest/globals';
import { sha } from '../../../test/support/given-facts.js';
import type { DeploymentFact } from '../facts/facts.js';
import { type DeployedRelease, deploymentKind, isDeployedToTarget } from './deployment.js';

const release: DeployedRelease = {
  hotfix: false,
  shippedAt: null,
  superseded: false,
  decision: { id: 'decision', open: true },
  frozen: false,
};
const shippedAt = new Date('2026-05-04T10:00:00Z');
const closed = { id: 'decision', open: false };

describe('deploymentKind', () => {
  it.each<[string, DeployedRelease | null, ReturnType<typeof deploymentKind>]>([
    ['a commit that is the candidate of no release', null, 'ungoverned'],
    ['a release whose gate was open', release, 'release'],
    ['a hotfix whose gate was open', { ...release, hotfix: true }, 'hotfix'],
    ['a release whose gate was closed', { ...release, decision: closed }, 'ungoverned'],
    ['a hotfix whose gate was closed', { ...release, hotfix: true, decision: closed }, 'ungoverned'],
    ['a release without a decision', { ...release, decision: null }, 'ungoverned'],
    ['a release during a freeze', { ...release, frozen: true }, 'ungoverned'],
    ['the release that runs already', { ...release, shippedAt }, 'again'],
    ['a release before the last one', { ...release, shippedAt, superseded: true }, 'rollback'],
    [
      'an earlier release, with any state of its gate',
      { ...release, shippedAt, superseded: true, decision: null, frozen: true },
      'rollback',
    ],
  ])('classifies the deployment of %s', (_name, found, kind) => {
    expect(deploymentKind(found)).toBe(kind);
  });
});

describe('isDeployedToTarget', () => {
  const deployment: DeploymentFact = {
    githubId: 1,
    sha: sha('c'),
    environment: 'production',
    creator: null,
    createdAt: '2026-05-04T09:00:00Z',
    beganAt: '2026-05-04T09:00:00Z',
    state: 'success',
    waiting: false,
    succeededAt: '2026-05-04T09:10:00Z',
    runId: null,
  };

  it.each<[string, Partial<DeploymentFact>, boolean]>([
    ['succeeded', {}, true],
    ['succeeded and was replaced since', { state: 'inactive' }, true],
    ['was replaced and never succeeded', { state: 'inactive', succeededAt: null }, false],
    ['has not succeeded', { state: 'pending', succeededAt: null }, false],
    ['is pending again', { state: 'pending' }, false],
    ['failed after it succeeded', { state: 'failure' }, false],
    ['went to another environment', { environment: 'staging' }, false],
    ['went to the environment in another case', { environment: 'Production' }, true],
    ['went to an environment with another name', { environment: 'production ' }, false],
  ])('returns whether a deployment reached the target if it %s', (_name, changes, reached) => {
    expect(isDeployedToTarget({ ...deployment, ...changes }, 'production')).toBe(reached);
  });
});
