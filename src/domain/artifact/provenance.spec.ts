import { describe, expect, it } from '@jest/globals';
import { findIdentityProblem, type ProvenanceIdentity, toProvenance } from './provenance.js';

const ISSUER = 'https://token.actions.githubusercontent.com';
const EXPECTED = {
  issuer: ISSUER,
  repositoryId: 4711,
  evidenceEvents: ['pull_request', 'pull_request_target', 'issue_comment'],
};
const IDENTITY: ProvenanceIdentity = {
  issuer: ISSUER,
  buildSigner: 'https://github.com/acme/payments/.github/workflows/build.yml@refs/heads/main',
  runnerEnvironment: 'github-hosted',
  sourceSha: 'c'.repeat(40),
  repositoryId: '4711',
  trigger: 'push',
  runUri: 'https://github.com/acme/payments/actions/runs/9007199254740993/attempts/2',
};

describe('findIdentityProblem', () => {
  it.each<Partial<ProvenanceIdentity>>([
    {},
    { trigger: 'workflow_dispatch' },
    { trigger: 'issue_comment' },
    { buildSigner: 'https://github.com/acme/builders/.github/workflows/build.yml@refs/tags/v1' },
    { runnerEnvironment: 'self-hosted' },
  ])('accepts %j', (change) => {
    expect(findIdentityProblem({ ...IDENTITY, ...change }, EXPECTED)).toBeNull();
  });

  it.each<[Partial<ProvenanceIdentity>, RegExp]>([
    [{ issuer: `${ISSUER}/acme` }, /issuer is ".*\/acme"/],
    [{ issuer: `${ISSUER}/` }, /issuer/],
    [{ issuer: 'https://gitlab.com' }, /issuer/],
    [{ repositoryId: '4712' }, /id 4712/],
    [{ repositoryId: '04711' }, /id 04711/],
    [{ repositoryId: '4711.0' }, /id 4711\.0/],
    [{ trigger: 'pull_request' }, /"pull_request"/],
    [{ trigger: 'pull_request_target' }, /"pull_request_target"/],
    [{ trigger: 'workflow_run' }, /"workflow_run"/],
    [{ sourceSha: 'C'.repeat(40) }, /not a commit/],
    [{ sourceSha: 'refs/heads/main' }, /not a commit/],
    [{ runUri: 'https://github.com/acme/payments/actions/runs/x/attempts/1' }, /run and a workflow/],
    [{ runUri: 'https://github.com/acme/payments' }, /run and a workflow/],
    [{ buildSigner: 'https://github.com/acme/payments/.github/workflows/build.yml' }, /run and a workflow/],
    [{ buildSigner: 'user@example.com' }, /run and a workflow/],
  ])('rejects %j', (change, reason) => {
    expect(findIdentityProblem({ ...IDENTITY, ...change }, EXPECTED)).toMatch(reason);
  });

  it('rejects an event that the policy does not allow', () => {
    expect(findIdentityProblem({ ...IDENTITY, trigger: 'issue_comment' }, { ...EXPECTED, evidenceEvents: [] })).toMatch(
      /"issue_comment"/,
    );
  });
});

describe('toProvenance', () => {
  it('reads the run and the workflow', () => {
    expect(toProvenance(IDENTITY)).toEqual({
      sourceSha: 'c'.repeat(40),
      runId: '9007199254740993',
      runnerEnvironment: 'github-hosted',
      signerWorkflow: 'acme/payments/.github/workflows/build.yml',
    });
  });

  it.each([
    ['build.yml@deploy.yml@refs/heads/main', 'build.yml@deploy.yml'],
    ['build.yml@refs/heads/a@b', 'build.yml@refs/heads/a'],
    [`build.yml@${'d'.repeat(40)}`, 'build.yml'],
  ])('never reads %s as a workflow whose name only begins so', (file, name) => {
    const folder = 'acme/payments/.github/workflows/';
    expect(toProvenance({ ...IDENTITY, buildSigner: `https://github.com/${folder}${file}` })?.signerWorkflow).toBe(
      folder + name,
    );
  });
});
