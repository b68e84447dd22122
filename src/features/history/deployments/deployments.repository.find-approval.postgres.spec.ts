import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { sha } from '../../../../test/support/given-facts.js';
import { TestWorkspaceDatabase } from '../../../../test/support/test-workspace-database.js';
import type { WorkspaceRows } from '../../../../test/support/workspace-rows.js';
import type { Database } from '../../../database/database.js';
import type { DeploymentFact } from '../../../domain/facts/facts.js';
import { DeploymentsRepository } from './deployments.repository.js';

const NOON = Date.parse('2026-05-04T12:00:00Z');
/** A time so many seconds after the deployment was created. */
const at = (seconds: number): Date => new Date(NOON + seconds * 1000);

/** A deployment that was created at second 0, known to a second, and began between second 60 and second 61. */
const DEPLOYMENT: DeploymentFact = {
  githubId: 70,
  sha: sha('c'),
  environment: 'production',
  creator: null,
  createdAt: at(0).toISOString(),
  beganAt: at(60).toISOString(),
  state: 'pending',
  waiting: false,
  succeededAt: null,
  runId: null,
};
const TIMES = { created: { earliest: at(0), latest: at(1) }, began: { earliest: at(60), latest: at(61) } };

/** An answer about a hold. By default it is an approval of the deployment by an open decision. */
interface GivenHold {
  readonly sent: number;
  readonly open?: boolean;
  readonly state?: 'approved' | 'rejected' | 'gone' | 'waiting';
  readonly commit?: string;
  readonly environment?: string;
  readonly deployments?: readonly number[];
}

let listed: TestWorkspaceDatabase;
let database: Database;
let rows: WorkspaceRows;
let repositories = 0;

beforeAll(async () => {
  listed = await TestWorkspaceDatabase.open();
  ({ database } = listed);
  rows = await listed.workspace('acme');
});
afterAll(() => listed.close());

/** Saves the holds in a new repository, each with its own release and decision. Returns the ids of the decisions. */
async function givenHolds(holds: readonly GivenHold[], owner = rows): Promise<[string, readonly string[]]> {
  repositories += 1;
  const repositoryId = await owner.repository(`payments-${repositories}`);
  const decisions: string[] = [];
  for (const [index, hold] of holds.entries()) {
    const releaseId = await owner.release({ repositoryId, version: `v1.${index}.0` });
    const decisionId = randomUUID();
    decisions.push(decisionId);
    await owner.write(
      `insert into decision (org_id, id, release_id, at, open, candidate_sha, verdict, inputs)
       values ($1, $2, $3, $4, $5, $6, $7, '{}')`,
      [
        owner.orgId,
        decisionId,
        releaseId,
        at(hold.sent),
        hold.open ?? true,
        sha('c'),
        JSON.stringify({ candidateShas: [sha('c'), sha('d')], overrides: [] }),
      ],
    );
    await owner.write(
      `insert into deployment_hold (org_id, id, repository_id, run_id, environment, sha, deployment_github_ids, requested_at, state,
         release_id, decision_id, sent_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
      [
        owner.orgId,
        randomUUID(),
        repositoryId,
        700 + index,
        hold.environment ?? 'production',
        sha(hold.commit ?? 'c'),
        hold.deployments ?? [70],
        at(0),
        hold.state ?? 'approved',
        releaseId,
        decisionId,
        at(hold.sent),
      ],
    );
  }
  return [repositoryId, decisions];
}

const find = (repositoryId: string, deployment = DEPLOYMENT, owner = rows) =>
  database.inTenant(owner.orgId, (tx) => new DeploymentsRepository().findApproval(tx, repositoryId, deployment, TIMES));

describe('findApproval', () => {
  it('returns the release and the decision of the approval, with its commits', async () => {
    const [repositoryId, [decisionId]] = await givenHolds([{ sent: 30 }]);
    const [release] = await database.inTenant(rows.orgId, (tx) =>
      tx.query<{ readonly id: string }>('select id from release where repository_id = $1', [repositoryId]),
    );
    expect(await find(repositoryId)).toEqual({
      releaseId: release?.id,
      decision: {
        id: decisionId,
        open: true,
        candidateSha: sha('c'),
        candidateShas: [sha('c'), sha('d')],
        overrides: [],
      },
    });
  });

  it.each<[string, GivenHold, Partial<DeploymentFact>]>([
    ['was sent at the creation of the deployment', { sent: 0 }, {}],
    ['was sent right before the deployment began', { sent: 60.999 }, {}],
    ['is for the environment in another case', { sent: 30, environment: 'Production' }, {}],
    ['names no deployment', { sent: 30, deployments: [] }, {}],
    ['names other deployments, too', { sent: 30, deployments: [69, 70, 71] }, {}],
    ['names only another deployment, while no delivery named this one', { sent: 30, deployments: [69] }, {}],
    ['is about a large id', { sent: 30, deployments: [2 ** 52] }, { githubId: 2 ** 52 }],
  ])('finds an approval that %s', async (_, hold, changes) => {
    const [repositoryId, [decisionId]] = await givenHolds([hold]);
    expect(await find(repositoryId, { ...DEPLOYMENT, ...changes })).toMatchObject({ decision: { id: decisionId } });
  });

  it.each<[string, GivenHold]>([
    ['was rejected', { sent: 30, state: 'rejected' }],
    ['ended without an answer', { sent: 30, state: 'gone' }],
    ['still waits, although an answer was sent', { sent: 30, state: 'waiting' }],
    ['was approved for an environment before the target by a closed gate', { sent: 30, open: false }],
    ['was approved before the deployment was created', { sent: -0.001 }],
    ['was approved after the deployment began', { sent: 61 }],
    ['was approved for another commit', { sent: 30, commit: 'd' }],
    ['was approved for another environment', { sent: 30, environment: 'staging' }],
  ])('finds nothing if the deployment %s', async (_, hold) => {
    const [repositoryId] = await givenHolds([hold]);
    expect(await find(repositoryId)).toBeNull();
  });

  it.each<[string, readonly GivenHold[], number | null]>([
    ['the latest of several open decisions', [{ sent: 10 }, { sent: 50 }, { sent: 30 }], 1],
    ['an open decision that a closed one follows', [{ sent: 10 }, { sent: 30, open: false }], 0],
    ['an open decision that follows a closed one', [{ sent: 10, open: false }, { sent: 30 }], 1],
    [
      'none of several closed ones',
      [
        { sent: 10, open: false },
        { sent: 30, open: false },
      ],
      null,
    ],
    ['an approval that a rejection of another run follows', [{ sent: 10 }, { sent: 30, state: 'rejected' }], 0],
    ['the last approval before the deployment began', [{ sent: 10 }, { sent: 60 }, { sent: 62 }], 1],
    ['the own approval, not a later one that names another', [{ sent: 10 }, { sent: 30, deployments: [71] }], 0],
    [
      'none of another hold, if the own hold was rejected',
      [
        { sent: 10, state: 'rejected' },
        { sent: 30, deployments: [71] },
      ],
      null,
    ],
    [
      'none of another hold, if the own hold still waits',
      [
        { sent: 10, state: 'waiting' },
        { sent: 30, deployments: [] },
      ],
      null,
    ],
    [
      'none of another hold, if the own decision was closed',
      [
        { sent: 10, open: false },
        { sent: 30, deployments: [] },
      ],
      null,
    ],
  ])('finds of a sequence %s', async (_, holds, expected) => {
    const [repositoryId, decisions] = await givenHolds(holds);
    const found = await find(repositoryId);
    expect(found?.decision.id ?? null).toBe(expected === null ? null : decisions[expected]);
  });

  it('finds nothing of another repository, and nothing of another workspace', async () => {
    const [approved] = await givenHolds([{ sent: 30 }]);
    const [other] = await givenHolds([]);
    const elsewhere = await listed.workspace('elsewhere');
    expect(await find(other)).toBeNull();
    expect(await find(approved, DEPLOYMENT, elsewhere)).toBeNull();
    expect(await find(approved)).not.toBeNull();
  });
});
