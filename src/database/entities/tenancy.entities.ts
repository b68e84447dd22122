import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { Plan } from '../../domain/billing/plan.js';
import type { OrgId } from '../ids.js';

// Workspaces and their repositories.

/** A workspace: one GitHub organization, which is one tenant. */
@Entity('organization')
@Unique(['githubId'])
@Unique(['installationId'])
@Check('organization_plan_check', "plan in ('free', 'pro')")
export class Organization {
  @PrimaryColumn('uuid') orgId: OrgId;
  @Column('bigint') githubId: number;
  @Column('text') login: string;
  @Column('bigint', { nullable: true }) installationId: number | null;
  @Column('timestamptz', { nullable: true }) suspendedAt: Date | null;
  @Column('text', { default: 'free' }) plan: Plan;
  @Column('timestamptz') createdAt: Date;
  @Column('jsonb', { nullable: true }) grantedPermissions: Readonly<Record<string, string>> | null;
  @Column({
    type: 'boolean',
    generatedType: 'STORED',
    asExpression: "coalesce(granted_permissions ->> 'actions' in ('read', 'write'), false)",
  })
  readsActions: boolean;
}

/** A repository of a workspace. If it was removed from GitHub, the row stays and `removedAt` is set. */
@Entity('repository')
@Unique(['orgId', 'githubId'])
@ForeignKey('Organization', ['orgId'], ['orgId'])
@Index('repository_by_name', ['orgId', 'lowerName'], { where: 'removed_at is null' })
@Index('repository_names', { synchronize: false })
@Index('repository_readable', { synchronize: false })
export class Repository {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') id: string;
  @Column('bigint') githubId: number;
  @Column('text') name: string;
  @Column({ type: 'text', collation: 'C', generatedType: 'STORED', asExpression: 'lower(name)' }) lowerName: string;
  @Column('boolean') private: boolean;
  @Column('text') defaultBranch: string;
  @Column('timestamptz', { nullable: true }) managedAt: Date | null;
  @Column('timestamptz', { nullable: true }) removedAt: Date | null;
  @Column('timestamptz') createdAt: Date;
  @Column('timestamptz') updatedAt: Date;
}
