import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { OrgId } from '../ids.js';

/** A synchronization of a workspace with GitHub. */
@Entity('sync_run')
export class SyncRun {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') id: string;
  @Column('timestamptz', { name: 'begun_at' }) startedAt: Date;
  @Column('timestamptz', { nullable: true, name: 'listed_at' }) repositoriesListedAt: Date | null;
  @Column('timestamptz', { nullable: true }) finishedAt: Date | null;
  @Column('text', { nullable: true }) failure: string | null;
  /** Postgres numbers the runs. */
  @Column({ type: 'bigint', insert: false, update: false }) number: number;
}
