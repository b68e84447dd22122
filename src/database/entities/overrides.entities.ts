import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Subject } from '../../domain/facts/condition.js';
import type { ConditionCode } from '../../domain/facts/condition-catalogue.js';
import type { OrgId } from '../ids.js';

// Freezes and overrides of admins.

/** A range of days on which nothing is deployed. */
@Entity('deployment_freeze')
export class DeploymentFreeze {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') id: string;
  @Column('date', { name: 'from_day' }) from: string;
  @Column('date', { name: 'to_day' }) to: string;
  @Column('text') reason: string;
  @Column('bigint', { name: 'made_by' }) createdBy: number;
  @Column('timestamptz', { name: 'made_at' }) createdAt: Date;
  @Column('bigint', { nullable: true }) liftedBy: number | null;
  @Column('timestamptz', { nullable: true }) liftedAt: Date | null;
}

/** A request of one admin that another one confirms. */
abstract class Override {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') id: string;
  @Column('uuid') releaseId: string;
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

/** A condition that two admins set aside for one candidate. */
@Entity('waiver')
export class Waiver extends Override {
  @Column('text') condition: ConditionCode;
  @Column('text', { array: true }) details: readonly string[];
  @Column('jsonb') subjects: readonly Subject[];
  @Column('text') candidateSha: string;
}

/** A permission of two admins to deploy one commit although the gate is closed. */
@Entity('break_glass_request')
export class BreakGlassRequest extends Override {
  @Column('text', { name: 'commit_sha' }) sha: string;
}
