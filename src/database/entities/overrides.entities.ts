import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { OrgId } from '../ids.js';

// Freezes and overrides of admins.

/** A range of days on which nothing is deployed. */
@Entity('deployment_freeze')
@ForeignKey('Organization', ['orgId'], ['orgId'])
@Check('deployment_freeze_check', 'to_day >= from_day')
@Check('deployment_freeze_check1', '(lifted_by is null) = (lifted_at is null)')
@Index('deployment_freeze_by_end', ['orgId', 'toDay'])
export class DeploymentFreeze {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') id: string;
  @Column('date') fromDay: string;
  @Column('date') toDay: string;
  @Column('text') reason: string;
  @Column('bigint', { name: 'made_by' }) createdBy: number;
  @Column('timestamptz', { name: 'made_at' }) createdAt: Date;
  @Column('bigint', { nullable: true }) liftedBy: number | null;
  @Column('timestamptz', { nullable: true }) liftedAt: Date | null;
}

/** A condition that two admins set aside for one candidate. */
@Entity('waiver')
@ForeignKey('Release', ['orgId', 'releaseId'], ['orgId', 'id'])
@Check('waiver_check', 'confirmed_by <> requested_by')
@Check(
  'waiver_check1',
  '(confirmed_by is null) = (confirmed_at is null) and (confirmed_by is null) = (confirmed_by_login is null)',
)
@Check('waiver_check2', '(withdrawn_by is null) = (withdrawn_at is null)')
@Check('waiver_check3', "expires_at <= requested_at + interval '7 days'")
@Index('waiver_by_release', ['orgId', 'releaseId', 'expiresAt'])
@Index('waiver_by_end', ['orgId', 'expiresAt'], { where: 'withdrawn_at is null' })
export class Waiver {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') id: string;
  @Column('uuid') releaseId: string;
  @Column('text') condition: string;
  @Column('text', { array: true }) details: readonly string[];
  @Column('text') candidateSha: string;
  @Column('text') reason: string;
  @Column('bigint') requestedBy: number;
  @Column('text') requestedByLogin: string;
  @Column('timestamptz') requestedAt: Date;
  @Column('bigint', { nullable: true }) confirmedBy: number | null;
  @Column('text', { nullable: true }) confirmedByLogin: string | null;
  @Column('timestamptz', { nullable: true }) confirmedAt: Date | null;
  @Column('bigint', { nullable: true }) withdrawnBy: number | null;
  @Column('timestamptz', { nullable: true }) withdrawnAt: Date | null;
  @Column('timestamptz') expiresAt: Date;
}

/** A permission of two admins to deploy one commit although the gate is closed. */
@Entity('break_glass_request')
@ForeignKey('Release', ['orgId', 'releaseId'], ['orgId', 'id'])
@Check('break_glass_request_check', 'confirmed_by <> requested_by')
@Check(
  'break_glass_request_check1',
  '(confirmed_by is null) = (confirmed_at is null) and (confirmed_by is null) = (confirmed_by_login is null)',
)
@Check('break_glass_request_check2', '(withdrawn_by is null) = (withdrawn_at is null)')
@Check('break_glass_request_check3', "expires_at <= coalesce(confirmed_at, requested_at) + interval '4 hours'")
@Index('break_glass_request_by_release', ['orgId', 'releaseId', 'expiresAt'])
@Index('break_glass_request_by_end', ['orgId', 'expiresAt'], { where: 'withdrawn_at is null' })
export class BreakGlassRequest {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') id: string;
  @Column('uuid') releaseId: string;
  @Column('text') commitSha: string;
  @Column('text') reason: string;
  @Column('bigint') requestedBy: number;
  @Column('text') requestedByLogin: string;
  @Column('timestamptz') requestedAt: Date;
  @Column('bigint', { nullable: true }) confirmedBy: number | null;
  @Column('text', { nullable: true }) confirmedByLogin: string | null;
  @Column('timestamptz', { nullable: true }) confirmedAt: Date | null;
  @Column('bigint', { nullable: true }) withdrawnBy: number | null;
  @Column('timestamptz', { nullable: true }) withdrawnAt: Date | null;
  @Column('timestamptz') expiresAt: Date;
}
