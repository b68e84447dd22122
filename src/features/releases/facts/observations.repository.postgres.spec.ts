import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestWorkspaceDatabase } from '../../../../test/support/test-workspace-database.js';
import type { WorkspaceRows } from '../../../../test/support/workspace-rows.js';
import type { Database } from '../../../database/database.js';
import type { FactValues, RunJobsFact } from '../../../domain/facts/facts.js';
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

describe('the time since when the deployments of an environment are known', () => {
  const first = { githubId: 1, sha: 'a'.repeat(40), periods: [{ from: '2026-01-01T08:00:00Z', to: null }] };
  const second = { githubId: 2, sha: 'b'.repeat(40), periods: [{ from: '2026-01-01T08:10:00Z', to: null }] };
  const again = { ...first, periods: [...first.periods, { from: '2026-01-01T08:20:00Z', to: null }] };

  it.each<[string, FactValues['deployments'], FactValues['deployments'], boolean]>([
    ['goes on if all are still listed', [second, first], [second, again], true],
    ['goes on if an earlier one leaves the list', [second, first], [second], true],
    ['begins again if a later one was deleted', [second, first], [first], false],
    ['begins again if one was deleted whose last success was later', [second, again], [second], false],
  ])('%s', async (key, before, after, goesOn) => {
    const read = (value: FactValues['deployments'], minute: number): NumberedObservation => ({
      kind: 'deployments',
      key,
      value,
      observedAt: new Date(Date.UTC(2026, 0, 1, 9, minute)),
      readNumber: String(minute),
    });
    await record(read(before, 1));
    await record(read(after, 2));
    const [row] = await database.inTenant(rows.orgId, (tx) =>
      tx.query(`select known_since from observation where kind = 'deployments' and key = $1`, [key]),
    );
    expect(row).toEqual({ known_since: new Date(Date.UTC(2026, 0, 1, 9, goesOn ? 1 : 2)) });
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
