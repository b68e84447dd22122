import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { JsonObject } from '../../domain/audit/canonical-json.js';
import type { IssueFact } from '../../domain/facts/facts.js';
import type { OrgId } from '../ids.js';

// Deployments.

/** A deployment as it was last read from GitHub. */
@Entity('deployment')
@ForeignKey('Repository', ['orgId', 'repositoryId'], ['orgId', 'id'])
@Check('deployment_state_check', "state in ('success', 'failure', 'pending', 'inactive')")
@Index('deployment_waiting', ['orgId', 'repositoryId'], { where: 'waiting' })
export class Deployment {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') repositoryId: string;
  @PrimaryColumn('bigint') githubId: number;
  @Column('text') sha: string;
  @Column('text') environment: string;
  @Column('text', { nullable: true }) creator: string | null;
  @Column('text') state: 'success' | 'failure' | 'pending' | 'inactive';
  @Column('timestamptz', { name: 'began_at' }) startedAt: Date;
  @Column('timestamptz', { nullable: true }) succeededAt: Date | null;
  @Column('timestamptz') observedAt: Date;
  @Column('boolean', { default: false }) waiting: boolean;
}

/** An entry of the deployment history: reported by GitHub, or recorded by an admin. */
@Entity('deployment_record')
@Unique(['orgId', 'repositoryId', 'deploymentGithubId'])
@ForeignKey('Decision', ['orgId', 'decisionId'], ['orgId', 'id'])
@ForeignKey('Release', ['orgId', 'releaseId'], ['orgId', 'id'])
@ForeignKey('Repository', ['orgId', 'repositoryId'], ['orgId', 'id'])
@Check('deployment_record_kind_check', "kind in ('release', 'hotfix', 'rollback', 'ungoverned')")
@Index('deployment_record_by_time', { synchronize: false })
@Index('deployment_record_of_kind', { synchronize: false })
@Index('deployment_record_of_release', ['orgId', 'releaseId', 'deployedAt'])
@Index('deployment_record_of_repository', { synchronize: false })
@Index('deployment_record_of_shipped_releases', { synchronize: false })
export class DeploymentRecord {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') id: string;
  @Column('uuid') repositoryId: string;
  @Column('uuid', { nullable: true }) releaseId: string | null;
  @Column('text', { nullable: true }) version: string | null;
  @Column('text') kind: 'release' | 'hotfix' | 'rollback' | 'ungoverned';
  @Column('text') commitSha: string;
  @Column('text') environment: string;
  @Column('bigint', { nullable: true }) deploymentGithubId: number | null;
  @Column('timestamptz') deployedAt: Date;
  @Column('text', { nullable: true }) deployedBy: string | null;
  @Column('jsonb') approvers: readonly string[];
  @Column('uuid', { nullable: true }) decisionId: string | null;
  @Column('bigint', { nullable: true }) leadTimeSeconds: number | null;
  @Column('timestamptz') recordedAt: Date;
  @Column('jsonb', { nullable: true }) scope: readonly IssueFact[] | null;
  @Column('bigint', { nullable: true }) recordedBy: number | null;
  @Column('text', { nullable: true }) note: string | null;
  @Column('jsonb', { default: [] }) overrides: readonly JsonObject[];
  @Column('numeric', { nullable: true }) score: string | null;
}

/** The one call that started the promotion workflow for a candidate. */
@Entity('promotion')
@ForeignKey('Release', ['orgId', 'releaseId'], ['orgId', 'id'])
@Check('promotion_outcome_check', "outcome in ('sent', 'unknown')")
export class Promotion {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') releaseId: string;
  @PrimaryColumn('text') candidateSha: string;
  @Column('text', { array: true }) candidateShas: readonly string[];
  @Column('timestamptz') claimedAt: Date;
  @Column('text', { nullable: true }) outcome: 'sent' | 'unknown' | null;
}

/** The jobs of a run that wait or waited for the protection rule of an environment. */
@Entity('deployment_hold')
@ForeignKey('Repository', ['orgId', 'repositoryId'], ['orgId', 'id'])
@ForeignKey('Release', ['orgId', 'releaseId'], ['orgId', 'id'])
@ForeignKey('Decision', ['orgId', 'decisionId'], ['orgId', 'id'])
@Check('deployment_hold_state_check', "state in ('waiting', 'approved', 'rejected', 'gone')")
@Check(
  'deployment_hold_check',
  "state <> 'approved' or (release_id is not null and decision_id is not null and sent_at is not null)",
)
@Index('deployment_hold_waiting', ['orgId', 'repositoryId', 'runId', 'environment'], {
  unique: true,
  where: "state = 'waiting'",
})
@Index('deployment_hold_by_run', ['orgId', 'repositoryId', 'runId'])
@Index('deployment_hold_approved', ['orgId', 'repositoryId', 'sha'], { where: "state = 'approved'" })
export class DeploymentHold {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') id: string;
  @Column('uuid') repositoryId: string;
  @Column('bigint') runId: number;
  @Column('integer', { nullable: true }) runAttempt: number | null;
  @Column('text') environment: string;
  @Column('text', { nullable: true }) sha: string | null;
  @Column('bigint', { array: true, default: [] }) deploymentGithubIds: readonly number[];
  @Column('timestamptz') requestedAt: Date;
  @Column('text', { default: 'waiting' }) state: 'waiting' | 'approved' | 'rejected' | 'gone';
  @Column('uuid', { nullable: true }) releaseId: string | null;
  @Column('uuid', { nullable: true }) decisionId: string | null;
  @Column('timestamptz', { nullable: true }) sentAt: Date | null;
  @Column('timestamptz', { nullable: true }) endedAt: Date | null;
  @Column('text', { nullable: true }) reportedDigest: string | null;
  @Column('timestamptz', { nullable: true }) reportedAt: Date | null;
  @Column('integer', { default: 0 }) reports: number;
}
