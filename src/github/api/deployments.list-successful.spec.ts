import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { KnownDeployment } from './deployments.js';
import { APP, startFakeGitHubGateway, type FakeGitHubGateway } from '../../../test/support/fake-github-gateway.js';

const SHA = 'a'.repeat(40);
const DEPLOYMENTS = 'GET /repos/acme/app/deployments';
const deploymentJson = (id: number, environment = 'staging'): object => ({
  id,
  sha: SHA,
  environment,
  creator: null,
  created_at: '2026-05-04T08:00:00Z',
});

type Periods = readonly (readonly [from: number, to: number | null])[];

/** The time of a status, by its number in the order in which the statuses were created. */
const timeOf = (status: number): string => `2026-05-04T09:0${status}:00Z`;

describe('listSuccessful', () => {
  let fake: FakeGitHubGateway;
  beforeEach(async () => {
    fake = await startFakeGitHubGateway();
  });
  afterEach(() => fake.server.stop());

  /** The statuses of a deployment in the order of their creation. GitHub lists the newest first. */
  const statuses = (id: number, states: readonly string[]): void => {
    const json = states.map((state, index) => ({ id: index + 1, state, created_at: timeOf(index + 1) })).toReversed();
    fake.server.on(`${DEPLOYMENTS}/${id}/statuses`, { json });
  };
  const listed = async (known: (since: string | null) => readonly KnownDeployment[] = () => []) =>
    (await fake.github.deployments.listSuccessful(APP, 'staging', (since) => Promise.resolve(known(since)))).value;

  it.each<[Periods, readonly string[]]>([
    [[[1, null]], ['success']],
    [[[3, null]], ['queued', 'in_progress', 'success']],
    [[[2, 3]], ['in_progress', 'success', 'inactive']],
    [[[1, 2]], ['success', 'failure']],
    [[[1, 2]], ['success', 'error', 'inactive']],
    [[[1, 2]], ['success', 'in_progress']],
    [[[1, 2]], ['success', 'something new']],
    // A further success may make the deployment the latest one again.
    [
      [
        [1, 2],
        [2, null],
      ],
      ['success', 'success'],
    ],
    [
      [
        [1, 2],
        [3, null],
      ],
      ['success', 'inactive', 'success'],
    ],
    [
      [
        [2, 3],
        [5, 6],
      ],
      ['failure', 'success', 'failure', 'in_progress', 'success', 'inactive'],
    ],
  ])('returns the periods %j of the statuses %j', async (periods, states) => {
    fake.server.on(DEPLOYMENTS, { json: [deploymentJson(70)] });
    statuses(70, states);
    expect(await listed()).toEqual([
      {
        githubId: 70,
        sha: SHA,
        periods: periods.map(([from, to]) => ({ from: timeOf(from), to: to === null ? null : timeOf(to) })),
      },
    ]);
  });

  it.each([[[]], [['waiting']], [['queued', 'in_progress', 'failure']], [['inactive']]])(
    'leaves out a deployment that never succeeded: %j',
    async (states) => {
      fake.server.on(DEPLOYMENTS, { json: [deploymentJson(71), deploymentJson(70)] });
      statuses(71, states);
      statuses(70, ['success']);
      expect((await listed()).map(({ githubId }) => githubId)).toEqual([70]);
    },
  );

  it('orders statuses of the same second by their ids, in whatever order GitHub lists them', async () => {
    fake.server.on(DEPLOYMENTS, { json: [deploymentJson(70)] });
    const json = [
      { id: 2, state: 'inactive', created_at: timeOf(1) },
      { id: 1, state: 'success', created_at: timeOf(1) },
    ];
    for (const given of [json, json.toReversed()]) {
      fake.server.on(`${DEPLOYMENTS}/70/statuses`, { json: given });
      expect((await listed())[0]?.periods).toEqual([{ from: timeOf(1), to: timeOf(1) }]);
    }
  });

  it('fails if the statuses of one deployment cannot be read', async () => {
    fake.server.on(DEPLOYMENTS, { json: [deploymentJson(71), deploymentJson(70)] });
    statuses(70, ['success']);
    fake.server.on(`${DEPLOYMENTS}/71/statuses`, { status: 403 });
    await expect(listed()).rejects.toMatchObject({ kind: 'forbidden' });
  });

  it('reads the deployments that are known beside the 30 newest ones, and no others', async () => {
    const created = (id: number): string => `2026-05-04T08:00:${id}Z`;
    const newest = Array.from({ length: 31 }, (_, index) => 40 - index);
    fake.server.on(DEPLOYMENTS, { json: newest.map((id) => ({ ...deploymentJson(id), created_at: created(id) })) });
    for (const id of newest) statuses(id, id === 10 ? ['success'] : ['failure']);
    statuses(3, ['in_progress', 'success']);
    const asked: (string | null)[] = [];
    const found = await listed((since) => {
      asked.push(since);
      return [40, 3].map((githubId) => ({ githubId, sha: 'b'.repeat(40), succeededAt: null }));
    });
    expect(found).toEqual([{ githubId: 3, sha: 'b'.repeat(40), periods: [{ from: timeOf(2), to: null }] }]);
    expect(asked).toEqual([created(11)]);
  });

  it.each([
    ['the creation of the oldest listed one', [deploymentJson(70)], '2026-05-04T08:00:00Z'],
    ['no time if none is listed', [], null],
  ])('asks for the known ones since %s', async (_, json, since) => {
    fake.server.on(DEPLOYMENTS, { json });
    statuses(70, ['success']);
    const asked: (string | null)[] = [];
    await listed((time) => {
      asked.push(time);
      return [];
    });
    expect(asked).toEqual([since]);
  });

  it('fails if a listed deployment was deleted meanwhile', async () => {
    fake.server.on(DEPLOYMENTS, { json: [deploymentJson(70)] });
    fake.server.on(`${DEPLOYMENTS}/70/statuses`, { status: 404 });
    await expect(listed()).rejects.toMatchObject({ kind: 'not_found' });
  });

  it('keeps the known success of a deployment that was deleted', async () => {
    fake.server.on(DEPLOYMENTS, { json: [] });
    for (const id of [5, 6]) fake.server.on(`${DEPLOYMENTS}/${id}/statuses`, { status: 404 });
    const found = await listed(() => [
      { githubId: 5, sha: SHA, succeededAt: timeOf(7) },
      { githubId: 6, sha: SHA, succeededAt: null },
    ]);
    expect(found).toEqual([{ githubId: 5, sha: SHA, periods: [{ from: timeOf(7), to: timeOf(7) }] }]);
  });
});
