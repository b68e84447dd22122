import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestWorkspaceDatabase } from '../../../../test/support/test-workspace-database.js';
import type { WorkspaceRows } from '../../../../test/support/workspace-rows.js';
import type { Database } from '../../../database/database.js';
import {
  FACT_LIFETIME_MS,
  type FactKind,
  type FactValues,
  type MomentRange,
  type Observation,
  type RunJobsFact,
} from '../../../domain/facts/facts.js';
import { FactHintsRepository } from './fact-hints.repository.js';
import { type NumberedObservation, ObservationsRepository } from './observations.repository.js';

let listed: TestWorkspaceDatabase;
let database: Database;
let rows: WorkspaceRows;
let repositoryId: string;

beforeAll(async () => {
  listed = await TestWorkspaceDatabase.open();
  ({ database } = listed);
  rows = await listed.workspace('acme');
  repositoryId = await rows.repository('payments');
});
afterAll(() => listed.close());

const buildJobs = (
  run: string,
  minute: number,
  names: Readonly<Record<number, string>>,
  { complete = true }: Partial<RunJobsFact> = {},
): NumberedObservation => {
  const jobs = Object.entries(names).map(([id, name]) => ({
    id: Number(id),
    name,
    attempt: 1,
    state: 'success' as const,
  }));
  const value: RunJobsFact = { granted: true, jobs, complete };
  return {
    kind: 'run_jobs',
    key: run,
    value,
    observedAt: new Date(Date.UTC(2026, 0, 1, 9, minute)),
    readNumber: String(minute),
  };
};

const record = (...observations: readonly NumberedObservation[]): Promise<unknown> =>
  database.inTenant(rows.orgId, (tx) =>
    new ObservationsRepository(new FactHintsRepository(database)).save(tx, repositoryId, observations),
  );

const names = (): Promise<readonly { readonly id: string; readonly name: string }[]> =>
  database.inTenant(rows.orgId, (tx) => tx.query('select id, name from workflow_job order by id'));

describe('the stored names of jobs', () => {
  it('remain stored when GitHub does not list the run any more', async () => {
    await record(buildJobs('7', 1, { 72: 'test (2)', 71: 'test (1)' }), buildJobs('8', 1, { [2 ** 53 - 1]: 'lint' }));
    await record(buildJobs('7', 2, { 71: 'test (1)', 73: 'test (2)' }));
    await record(buildJobs('7', 3, {}));
    const expected = [
      { id: '71', name: 'test (1)' },
      { id: '72', name: 'test (2)' },
      { id: '73', name: 'test (2)' },
      { id: '9007199254740991', name: 'lint' },
    ];
    expect(await names()).toEqual(expected);
  });

  it('are complete when several readers save the same run at the same time', async () => {
    const forward = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [1_000 + index, `test (${index})`]));
    const readings = Array.from({ length: 6 }, (_, index) =>
      record(buildJobs('9', index, forward), buildJobs(`9${index}`, 1, forward)),
    );
    await Promise.all(readings);
    expect(await names()).toHaveLength(304);
  });

  it('do not include a name from an incomplete list, because another job may have the same name', async () => {
    await record(buildJobs('11', 1, { 6: 'fixed' }, { complete: false }));
    expect((await names()).map(({ name }) => name)).not.toContain('fixed');
    await record(buildJobs('11', 2, { 6: 'fixed', 7: 'fixed' }));
    expect((await names()).map(({ name }) => name)).not.toContain('fixed');
  });

  it('are rolled back together with their observation', async () => {
    const failing = database.inTenant(rows.orgId, async (tx) => {
      await new ObservationsRepository(new FactHintsRepository(database)).save(tx, repositoryId, [
        buildJobs('10', 1, { 5: 'never' }),
      ]);
      throw new Error('halfway');
    });
    await expect(failing).rejects.toThrow('halfway');
    expect((await names()).map(({ name }) => name)).not.toContain('never');
  });
});

describe('since when the deployments of an environment are known without a gap', () => {
  const LIFETIME_S = FACT_LIFETIME_MS.deployments / 1000;
  const START = Date.UTC(2026, 0, 1, 9);
  /** A time so many seconds after the first read. */
  const at = (seconds: number): Date => new Date(START + seconds * 1000);
  const FROM = '2026-01-01T08:00:00Z';
  const TO = '2026-01-01T08:30:00Z';
  let environments = 0;

  /** Reads the deployments of an environment that no other test uses, one after the other. Returns what is stored. */
  async function read(
    reads: readonly (Partial<NumberedObservation<'deployments'>> & { readonly after: number })[],
  ): Promise<Observation | undefined> {
    const key = `staging-${(environments += 1)}`;
    for (const [index, { after, ...changes }] of reads.entries()) {
      await record({
        kind: 'deployments',
        key,
        value: [],
        observedAt: at(after),
        readNumber: String(index + 1),
        ...changes,
      });
    }
    return stored('deployments', key);
  }

  const stored = async (kind: FactKind, key: string): Promise<Observation | undefined> => {
    const [observation] = await database.inTenant(rows.orgId, (tx) =>
      new ObservationsRepository(new FactHintsRepository(database)).list(tx, repositoryId, [{ kind, key }]),
    );
    return observation;
  };

  it.each<[string, readonly number[], number]>([
    ['is the first read', [0], 0],
    ['stays at a read right before the end of the lifetime', [0, LIFETIME_S - 0.001], 0],
    ['is the next read at the end of the lifetime', [0, LIFETIME_S], LIFETIME_S],
    ['is the next read after the end of the lifetime', [0, LIFETIME_S + 3_600], LIFETIME_S + 3_600],
    ['stays through many reads without a gap', [0, 1_000, 2_000, 3_000, 4_000], 0],
    ['is the read after the last gap', [0, 1_000, 3_000, 4_000, 5_000], 3_000],
    ['stays if the clock went back', [100, 0], 100],
  ])('%s', async (_, times, since) => {
    expect(await read(times.map((after) => ({ after })))).toMatchObject({ knownSince: at(since).getTime() });
  });

  const first = { githubId: 1, sha: 'a'.repeat(40), periods: [{ from: FROM, to: null }] };
  const second = { githubId: 2, sha: 'b'.repeat(40), periods: [{ from: '2026-01-01T08:10:00Z', to: null }] };
  const again = { ...first, periods: [...first.periods, { from: '2026-01-01T08:20:00Z', to: null }] };

  it.each<[string, FactValues['deployments'], FactValues['deployments'], number]>([
    ['stays if all are still listed', [second, first], [second, again], 0],
    ['stays if an earlier one leaves the list', [second, first], [second], 0],
    ['is the next read if the last success of a deleted one is lost', [again], [first, second], 60],
    ['is the next read if a later one was deleted', [second, first], [first], 60],
    ['is the next read if one was deleted whose last success was later', [second, again], [second], 60],
  ])('%s', async (_, before, after, since) => {
    const observation = await read([
      { after: 0, value: before },
      { after: 60, value: after },
    ]);
    expect(observation).toMatchObject({ knownSince: at(since).getTime() });
  });

  it('does not change by a read that began before the stored one', async () => {
    const observation = await read([
      { after: 1_000, readNumber: '9' },
      { after: 0, readNumber: '8' },
    ]);
    expect(observation).toMatchObject({ observedAt: at(1_000), knownSince: at(1_000).getTime() });
  });

  it('has no gap by a hint, before and during a read', async () => {
    const key = 'hinted';
    const facts = new ObservationsRepository(new FactHintsRepository(database));
    const observe = (readNumber: string, after: number): Promise<unknown> =>
      record({ kind: 'deployments', key, value: [], observedAt: at(after), readNumber });
    await observe('1', 0);
    await database.inTenant(rows.orgId, (tx) => facts.expire(tx, repositoryId, [{ kind: 'deployments', key }], '5'));
    expect(await stored('deployments', key)).toMatchObject({ observedAt: new Date(0), knownSince: at(0).getTime() });
    await rows.write(
      `insert into fact_hint (org_id, repository_id, number, kind, key) values ($1, $2, 10, 'deployments', $3)`,
      [rows.orgId, repositoryId, key],
    );
    await observe('9', 1_000);
    expect(await stored('deployments', key)).toMatchObject({ observedAt: new Date(0), knownSince: at(0).getTime() });
    await observe('11', 2_000);
    expect(await stored('deployments', key)).toMatchObject({ observedAt: at(2_000), knownSince: at(0).getTime() });
    await observe('12', 2_000 + LIFETIME_S);
    expect(await stored('deployments', key)).toMatchObject({ knownSince: at(2_000 + LIFETIME_S).getTime() });
  });

  it('is not stored of other facts', async () => {
    await record(buildJobs('20', 1, { 8: 'lint' }));
    expect(await stored('run_jobs', '20')).not.toHaveProperty('knownSince');
  });

  it('keeps the widest range of each moment, and drops the moments that are not in the value any more', async () => {
    const moments = (ranges: Readonly<Record<string, MomentRange>>) => ({ moments: ranges });
    const widest = await read([
      { after: 0, ...moments({ [FROM]: [10, 20] }) },
      { after: 1, ...moments({ [FROM]: [12, 25], [TO]: [50, 60] }) },
      { after: 2, ...moments({ [FROM]: [5, 22], [TO]: [49.5, 55] }) },
    ]);
    expect(widest?.moments).toEqual({ [FROM]: [5, 25], [TO]: [49.5, 60] });
    const dropped = await read([
      { after: 0, ...moments({ [FROM]: [10, 20], [TO]: [50, 60] }) },
      { after: 1, ...moments({ [TO]: [55, 56] }) },
      { after: 2, ...moments({ [FROM]: [12, 13], [TO]: [55, 56] }) },
    ]);
    expect(dropped?.moments).toEqual({ [FROM]: [12, 13], [TO]: [50, 60] });
    expect(await read([{ after: 0, ...moments({ [FROM]: [10, 20] }) }, { after: 1 }])).not.toHaveProperty('moments');
  });
});

describe('the permission of an installation to read Actions', () => {
  it.each([
    [null, false],
    [{}, false],
    [{ actions: 'none' }, false],
    [{ checks: 'write' }, false],
    [{ actions: 'read' }, true],
    [{ actions: 'write' }, true],
  ])('follows from the granted permissions %j', async (granted, reads) => {
    await rows.write('update organization set granted_permissions = $1', [granted && JSON.stringify(granted)]);
    const [row] = await database.inTenant(rows.orgId, (tx) => tx.query('select reads_actions from organization'));
    expect(row).toEqual({ reads_actions: reads });
  });
});
