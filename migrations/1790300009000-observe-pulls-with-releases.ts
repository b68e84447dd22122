import type { MigrationInterface, QueryRunner } from 'typeorm';

const READ = ['release', 'evidence_pull', 'observation'];
const eachForced = (how: 'force' | 'no force'): string =>
  READ.map((table) => `alter table ${table} ${how} row level security;`).join('\n');

/** What was observed of a release's latest evidence pull request, kept with it: the list of reviews looks it up no more. */
export class ObservePullsWithReleases1790300009000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table release
        -- The latest evidence pull request that counts, and as what it was observed last; one that is gone is closed.
        add column pull_number integer,
        add column pull_state text,
        add column pull_seen_at timestamptz;

      -- Whoever migrates is in no workspace, and is shown the rows of all for this one statement.
      ${eachForced('no force')}
      update release set pull_number = pull.number, pull_state = seen.state, pull_seen_at = seen.observed_at
      from (
        select distinct on (p.org_id, p.release_id) p.org_id, p.release_id, p.repository_id, p.number
        from evidence_pull p where p.abandoned_at is null
        order by p.org_id, p.release_id, p.opened_at desc, p.number desc) pull
      left join lateral (
        select coalesce(o.value ->> 'state', 'closed') as state, o.observed_at from observation o
        where o.org_id = pull.org_id and o.repository_id = pull.repository_id and o.kind = 'pull'
          and o.key = pull.number::text) seen on true
      where release.org_id = pull.org_id and release.id = pull.release_id;
      ${eachForced('force')}
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`alter table release drop column pull_seen_at, drop column pull_state, drop column pull_number`);
  }
}
