import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { OrgId } from '../ids.js';
import { IdentityColumn } from './identity-column.js';

// The synchronization with GitHub.

/** A synchronization of a workspace. */
@Entity('sync_run')
@ForeignKey('Organization', ['orgId'], ['orgId'])
@Index('sync_run_by_time', ['orgId', 'startedAt'])
@Index('sync_run_under_way', ['orgId'], { unique: true, where: 'finished_at is null' })
export class SyncRun {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') id: string;
  @Column('timestamptz', { name: 'begun_at' }) startedAt: Date;
  @Column('timestamptz', { nullable: true, name: 'listed_at' }) repositoriesListedAt: Date | null;
  @Column('timestamptz', { nullable: true }) finishedAt: Date | null;
  @Column('text', { nullable: true }) failure: string | null;
  @IdentityColumn('bigint') number: number;
}

/** The last synchronization of a repository. */
@Entity('repository_sync')
@ForeignKey('Repository', ['orgId', 'repositoryId'], ['orgId', 'id'])
@ForeignKey('SyncRun', ['orgId', 'runId'], ['orgId', 'id'], { onDelete: 'SET NULL' })
@Check('repository_sync_status_check', "status in ('waiting', 'done', 'failed')")
@Index('repository_sync_by_run', ['orgId', 'runId'])
export class RepositorySync {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') repositoryId: string;
  @Column('uuid', { nullable: true }) runId: string | null;
  @Column('text') status: 'waiting' | 'done' | 'failed';
  @Column('text', { nullable: true }) detail: string | null;
  @Column('timestamptz', { nullable: true }) syncedAt: Date | null;
}

/** A sync that was requested while another one ran. */
@Entity('sync_follow_up')
@ForeignKey('Organization', ['orgId'], ['orgId'])
export class SyncFollowUp {
  @PrimaryColumn('uuid') orgId: OrgId;
  @Column('uuid') id: string;
  @Column('uuid', { array: true, nullable: true }) repositoryIds: readonly string[] | null;
  @Column('timestamptz', { name: 'asked_at' }) requestedAt: Date;
}
