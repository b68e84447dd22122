import { describe, expect, it } from '@jest/globals';
import { readPayloadChanges } from './payload-changes.js';

const NO_MEMBERS = { belonging: [], reading: [] };
const EVERYONE = { belonging: [], reading: 'everyone' };
const MIA = { id: 501, login: 'mia' };

describe('hints about the target of a delivery', () => {
  it.each([
    ['organization', { action: 'member_removed', membership: { user: MIA } }, { belonging: [501], reading: [] }],
    ['organization', { action: 'renamed' }, NO_MEMBERS],
    ['member', { action: 'removed', member: MIA }, { belonging: [], reading: [501] }],
    ['membership', { action: 'removed', member: MIA, team: { slug: 'a' } }, { belonging: [], reading: [501] }],
    ['team', { action: 'removed_from_repository', team: { slug: 'a' } }, EVERYONE],
    ['team', { action: 'deleted', team: { slug: 'a' } }, EVERYONE],
    ['repository', { action: 'privatized' }, EVERYONE],
    ['repository', { action: 'publicized' }, EVERYONE],
    ['repository', { action: 'transferred' }, EVERYONE],
    ['repository', { action: 'created' }, EVERYONE],
    ['repository', { action: 'renamed' }, NO_MEMBERS],
    ['installation', { action: 'suspend' }, EVERYONE],
    ['installation_repositories', { action: 'removed' }, EVERYONE],
    ['push', { ref: 'refs/heads/main' }, NO_MEMBERS],
    ['member', { action: 'removed', member: { id: '501' } }, NO_MEMBERS],
    ['member', { action: 'removed', member: { id: -1 } }, NO_MEMBERS],
    ['member', [], NO_MEMBERS],
  ])('%s %j', (event, payload, members) => {
    expect(readPayloadChanges(event, payload)).toMatchObject(members);
  });
});

describe('hints about proposed merges', () => {
  const SHA = 'a'.repeat(40);
  const BASE = 'b'.repeat(40);
  const pull = { number: 4, title: 'Fix #7', head: { sha: SHA } };
  const group = { head_sha: SHA, base_sha: BASE, head_ref: 'refs/heads/gh-readonly-queue/main/pr-4-b' };
  const tried = { sha: SHA, mergeGroup: { branch: 'gh-readonly-queue/main/pr-4-b', baseSha: BASE } };

  it.each([
    ['pull_request', { action: 'opened', pull_request: pull }, [{ sha: SHA, mergeGroup: null }]],
    ['pull_request', { action: 'synchronize', pull_request: pull }, [{ sha: SHA, mergeGroup: null }]],
    ['pull_request', { action: 'edited', pull_request: pull }, [{ sha: SHA, mergeGroup: null }]],
    ['pull_request', { action: 'milestoned', pull_request: pull }, [{ sha: SHA, mergeGroup: null }]],
    ['pull_request', { action: 'closed', pull_request: pull }, []],
    ['pull_request', { action: 'opened', pull_request: { ...pull, head: { sha: 'main' } } }, []],
    ['pull_request', { action: 'opened', pull_request: null }, []],
    ['pull_request_review', { action: 'submitted', pull_request: pull }, []],
    ['merge_group', { action: 'checks_requested', merge_group: group }, [tried]],
    ['merge_group', { action: 'destroyed', merge_group: group }, []],
    ['merge_group', { action: 'checks_requested', merge_group: { ...group, base_sha: null } }, []],
    ['merge_group', { action: 'checks_requested', merge_group: { ...group, head_ref: 4 } }, []],
    ['merge_group', { action: 'checks_requested' }, []],
  ])('%s %j', (event, payload, heads) => {
    expect(readPayloadChanges(event, payload).heads).toEqual(heads);
  });

  it('also name the facts of the pull request', () => {
    expect(readPayloadChanges('pull_request', { action: 'opened', pull_request: pull }).facts).toEqual([
      { kind: 'pull', key: '4' },
      { kind: 'reviews', key: '4' },
      { kind: 'pulls_of_issue', key: '7' },
    ]);
  });
});

describe("hints about Shipgate's own pull requests", () => {
  const from = (ref: unknown) => ({ action: 'closed', pull_request: { number: 4, head: { ref } } });

  it.each([
    ['pull_request', from('shipgate/bootstrap'), 'shipgate/bootstrap'],
    ['pull_request', from('shipgate-workflow-update-1a2b'), 'shipgate-workflow-update-1a2b'],
    ['pull_request', from('shipgate/evidence/v1.0.0'), null],
    ['pull_request', from('main'), null],
    ['pull_request', from(7), null],
    ['pull_request', { action: 'closed', pull_request: null }, null],
    ['push', { ref: 'refs/heads/shipgate/bootstrap' }, null],
  ])('%s %j', (event, payload, branch) => {
    expect(readPayloadChanges(event, payload).managedBranch).toBe(branch);
  });
});

describe('hints of the jobs of CI runs', () => {
  const SHA = 'c'.repeat(40);
  const jobs = (key: string) => ({ kind: 'run_jobs', key });

  it.each([
    [
      'workflow_job',
      { action: 'queued', workflow_job: { id: 5, run_id: 9_007_199_254_740_991 } },
      [jobs('9007199254740991')],
    ],
    ['workflow_job', { action: 'in_progress', workflow_job: { id: 5, run_id: 77 } }, [jobs('77')]],
    ['workflow_job', { action: 'waiting', workflow_job: { id: 5, run_id: 77 } }, [jobs('77')]],
    ['workflow_job', { action: 'completed', workflow_job: { id: 5, run_id: 77, head_sha: SHA } }, [jobs('77')]],
    ['workflow_job', { action: 'completed', workflow_job: { id: 5, run_id: '77' } }, []],
    ['workflow_job', { action: 'completed' }, []],
    ['workflow_run', { workflow_run: { id: 77, head_sha: SHA } }, [{ kind: 'checks', key: SHA }, jobs('77')]],
    ['workflow_run', { workflow_run: { id: -1, head_sha: SHA } }, [{ kind: 'checks', key: SHA }]],
    ['check_run', { check_run: { id: 5, head_sha: SHA } }, [{ kind: 'checks', key: SHA }]],
  ])('%s %j', (event, payload, facts) => {
    expect(readPayloadChanges(event, payload).facts).toEqual(facts);
  });
});

describe('hints from a label', () => {
  it.each([
    ['created', []],
    ['edited', [{ kind: 'issues', key: null }]],
    ['deleted', [{ kind: 'issues', key: null }]],
  ])('that was %s', (action, facts) => {
    expect(readPayloadChanges('label', { action, label: { name: 'bug' } }).facts).toEqual(facts);
  });
});

describe('hints about facts of approvals', () => {
  const TEAMS = { kind: 'team', key: null };
  const PERMISSIONS = { kind: 'permission', key: null };
  const HERS = { kind: 'permission', key: 'mia' };

  it.each([
    ['team', { action: 'edited', team: { slug: 'a' } }, [TEAMS, PERMISSIONS]],
    ['team', { action: 'removed_from_repository', team: { slug: 'a' } }, [TEAMS, PERMISSIONS]],
    ['team', { action: 'deleted' }, [TEAMS, PERMISSIONS]],
    ['membership', { action: 'removed', member: MIA, team: { slug: 'child' } }, [TEAMS, HERS]],
    ['membership', { action: 'removed', team: { slug: 'child' } }, [TEAMS, PERMISSIONS]],
    ['organization', { action: 'member_removed', membership: { user: MIA } }, [TEAMS, HERS]],
    ['organization', { action: 'renamed' }, [TEAMS, PERMISSIONS]],
    ['member', { action: 'removed', member: MIA }, [HERS]],
  ])('%s %j', (event, payload, facts) => {
    expect(readPayloadChanges(event, payload).facts).toEqual(facts);
  });
});

describe('hints without a delivery', () => {
  const EVERYTHING = [{ kind: null, key: null }];
  const POLICY = [{ kind: 'policy', key: '' }];

  it.each([
    ['installation', { action: 'unsuspend' }, { wholeOrganization: true, facts: EVERYTHING }],
    ['installation', { action: 'new_permissions_accepted' }, { wholeOrganization: true, facts: EVERYTHING }],
    [
      'installation_repositories',
      { action: 'added', repositories_added: [{ id: 7 }, { id: '8' }], repositories_removed: [{ id: 9 }] },
      { wholeOrganization: false, facts: EVERYTHING, reached: [7, 9] },
    ],
    ['repository', { action: 'transferred' }, { facts: EVERYTHING }],
    ['repository', { action: 'created' }, { facts: EVERYTHING }],
    ['repository', { action: 'renamed' }, { facts: POLICY }],
  ])('%s %j', (event, payload, hints) => {
    expect(readPayloadChanges(event, payload)).toMatchObject(hints);
  });
});

describe('hints of deployments that wait for the protection rule', () => {
  const url = (path: string) => `https://evil.example/repos/x/y/actions/runs/${path}`;
  const request = { action: 'requested', environment: 'production', deployment: { id: 9 }, workflow_run: { id: 77 } };
  const hold = { runId: 77, environment: 'production', deploymentId: 9 };

  it.each([
    [request, [hold]],
    [{ ...request, deployment: null }, [{ ...hold, deploymentId: null }]],
    // The address names the run, and is never called.
    [{ ...request, workflow_run: null, deployment_callback_url: url('77/deployment_protection_rule') }, [hold]],
    [{ ...request, workflow_run: null, deployment_callback_url: url('77/jobs') }, []],
    [{ ...request, workflow_run: null, deployment_callback_url: url('0/deployment_protection_rule') }, []],
    [{ ...request, workflow_run: { id: '77' } }, []],
    [{ ...request, environment: 'a'.repeat(256) }, []],
    [{ ...request, environment: 'a\u0000' }, []],
    [{ ...request, environment: 7 }, []],
    [{ action: 'requested' }, []],
  ])('%j', (payload, holds) => {
    expect(readPayloadChanges('deployment_protection_rule', payload).holds).toEqual(holds);
  });
});
