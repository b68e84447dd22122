import type { MigrationInterface, QueryRunner } from 'typeorm';

const TYPES = `'sync.started', 'sync.progress', 'sync.completed', 'sync.failed', 'release.updated', 'review.updated', 'repo.updated', 'evidence.received'`;

/** Events also say that members, keys, the plan, freezes or projects of a workspace changed. */
export class AnnounceWorkspaceChanges1790710003200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table event add column what text,
        drop constraint event_type_check,
        add constraint event_type_check check (type in (${TYPES}, 'workspace.updated')),
        add constraint event_what_check check (what in ('members', 'keys', 'plan', 'freezes', 'projects')),
        add constraint event_workspace_check check ((type = 'workspace.updated') = (what is not null));
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      delete from event where type = 'workspace.updated';
      alter table event drop constraint event_workspace_check,
        drop constraint event_what_check,
        drop constraint event_type_check,
        add constraint event_type_check check (type in (${TYPES})),
        drop column what;
    `);
  }
}
