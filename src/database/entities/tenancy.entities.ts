import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Plan } from '../../domain/billing/plan.js';
import type { OrgId } from '../ids.js';

/** A workspace: one GitHub organization, which is one tenant. */
@Entity('organization')
export class Organization {
  @PrimaryColumn('uuid') orgId: OrgId;
  @Column('bigint') githubId: number;
  @Column('text') login: string;
  @Column('bigint', { nullable: true }) installationId: number | null;
  @Column('timestamptz', { nullable: true }) suspendedAt: Date | null;
  @Column('text') plan: Plan;
  @Column('timestamptz') createdAt: Date;
  @Column('jsonb', { nullable: true }) grantedPermissions: Readonly<Record<string, string>> | null;
}
