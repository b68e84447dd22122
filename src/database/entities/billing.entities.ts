import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { UpgradeRequestStatus } from '../../domain/billing/plan.js';
import type { OrgId } from '../ids.js';

/** A request of a workspace for another plan, and its result. */
@Entity('upgrade_request')
export class UpgradeRequest {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') id: string;
  @Column('text') status: UpgradeRequestStatus;
  @Column('text', { nullable: true }) note: string | null;
  @Column('bigint') requestedBy: number;
  @Column('timestamptz') requestedAt: Date;
  @Column('bigint', { nullable: true }) decidedBy: number | null;
  @Column('timestamptz', { nullable: true }) decidedAt: Date | null;
  @Column('text', { nullable: true }) paymentReference: string | null;
  @Column('text', { nullable: true }) reason: string | null;
}
