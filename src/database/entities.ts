import { Column, Entity, PrimaryColumn, DefaultNamingStrategy } from 'typeorm';
import type { Plan, UpgradeRequestStatus } from '../domain/billing/plan.js';
import type { OrgId } from './ids.js';
import type { KeyScope, PersonalKeyScope } from '../domain/keys/key-scope.js';
import type { Subject } from '../domain/facts/condition.js';
import type { ConditionCode } from '../domain/facts/condition-catalogue.js';

/** A workspace: one GitHub organization, which is one tenant. */
@Entity('organization')
export class OrganizationEntity {
  @PrimaryColumn('uuid') orgId: OrgId;
  @Column('bigint') githubId: number;
  @Column('text') login: string;
  @Column('bigint', { nullable: true }) installationId: number | null;
  @Column('timestamptz', { nullable: true }) suspendedAt: Date | null;
  @Column('text') plan: Plan;
  @Column('timestamptz') createdAt: Date;
  @Column('jsonb', { nullable: true }) grantedPermissions: Readonly<Record<string, string>> | null;
}

/** A member of a workspace, with the member's role. */
@Entity('member')
export class MemberEntity {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('bigint', { name: 'person' }) userId: number;
  @Column('text') role: 'member' | 'admin';
  @Column('timestamptz') joinedAt: Date;
  @Column('timestamptz') confirmedAt: Date;
  @Column('timestamptz', { nullable: true, name: 'doubted_at' }) membershipInvalidatedAt: Date | null;
  @Column('timestamptz', { nullable: true }) accessObservedAt: Date | null;
  @Column('integer', { name: 'access_doubts' }) accessGeneration: number;
  @Column('boolean') auditor: boolean;
}

/** An invitation into a workspace, for one user or for any user with the link. */
@Entity('invite')
export class InviteEntity {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') id: string;
  @Column('bigint', { nullable: true, name: 'person' }) userId: number | null;
  @Column('text', { nullable: true }) login: string | null;
  @Column('text') role: 'member' | 'admin';
  @Column('boolean') auditor: boolean;
  @Column('bigint') createdBy: number;
  @Column('timestamptz') createdAt: Date;
  @Column('timestamptz') expiresAt: Date;
  @Column('bigint', { nullable: true }) acceptedBy: number | null;
  @Column('timestamptz', { nullable: true }) acceptedAt: Date | null;
  @Column('timestamptz', { nullable: true }) revokedAt: Date | null;
}

/** An administrator's token for the rulesets of a repository, encrypted. */
@Entity('repository_token')
export class RepositoryTokenEntity {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') repositoryId: string;
  @Column('text') encryptedToken: string;
  @Column('text') encryptedKey: string;
  @Column('timestamptz') receivedAt: Date;
}

/** A synchronization of a workspace with GitHub. */
@Entity('sync_run')
export class SyncRunEntity {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') id: string;
  @Column('timestamptz', { name: 'begun_at' }) startedAt: Date;
  @Column('timestamptz', { nullable: true, name: 'listed_at' }) repositoriesListedAt: Date | null;
  @Column('timestamptz', { nullable: true }) finishedAt: Date | null;
  @Column('text', { nullable: true }) failure: string | null;
  /** Postgres numbers the runs. */
  @Column({ type: 'bigint', insert: false, update: false }) number: number;
}

/** A key of a workspace for CI. Only the hash of its secret is stored. */
@Entity('api_key')
export class ApiKeyEntity {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') id: string;
  @Column('text') name: string;
  @Column('text') prefix: string;
  @Column('bytea') secretHash: Buffer;
  @Column('text', { array: true }) scopes: readonly KeyScope[];
  @Column('uuid', { array: true, nullable: true }) repositoryIds: readonly string[] | null;
  @Column('text') createdBy: string;
  @Column('timestamptz') createdAt: Date;
  @Column('timestamptz', { nullable: true }) expiresAt: Date | null;
  @Column('timestamptz', { nullable: true }) revokedAt: Date | null;
  @Column('timestamptz', { nullable: true }) lastUsedAt: Date | null;
}

/** A member's own key for the remote tools. Only the hash of its secret is stored. */
@Entity('personal_key')
export class PersonalKeyEntity {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') id: string;
  @Column('bigint', { name: 'person' }) userId: number;
  @Column('text') name: string;
  @Column('text') prefix: string;
  @Column('bytea') secretHash: Buffer;
  @Column('text') scope: PersonalKeyScope;
  @Column('timestamptz') createdAt: Date;
  @Column('timestamptz') expiresAt: Date;
  @Column('timestamptz', { nullable: true }) revokedAt: Date | null;
  @Column('timestamptz', { nullable: true }) lastUsedAt: Date | null;
}

/** A range of days on which nothing is deployed. */
@Entity('deployment_freeze')
export class DeploymentFreezeEntity {
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
abstract class OverrideEntity {
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
export class WaiverEntity extends OverrideEntity {
  @Column('text') condition: ConditionCode;
  @Column('text', { array: true }) details: readonly string[];
  @Column('jsonb') subjects: readonly Subject[];
  @Column('text') candidateSha: string;
}

/** A permission of two admins to deploy one commit although the gate is closed. */
@Entity('break_glass_request')
export class BreakGlassRequestEntity extends OverrideEntity {
  @Column('text', { name: 'commit_sha' }) sha: string;
}

/** A project of a workspace. */
@Entity('project')
export class ProjectEntity {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') id: string;
  @Column('text') name: string;
  @Column('text') lowerName: string;
  @Column('text', { nullable: true }) description: string | null;
  @Column('text', { nullable: true }) lowerDescription: string | null;
  @Column('date', { nullable: true }) targetDate: string | null;
  @Column('timestamptz') createdAt: Date;
  @Column('timestamptz') updatedAt: Date;
}

/** A repository of a project, and its release that the project waits for. */
@Entity('project_repository')
export class ProjectRepositoryEntity {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') projectId: string;
  @PrimaryColumn('uuid') repositoryId: string;
  @Column('uuid', { nullable: true }) releaseId: string | null;
}

/** An entry of the audit log. It contains the hash of the entry before it. */
@Entity('audit_entry')
export class AuditEntryEntity {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('bigint') sequence: number;
  @Column('uuid') id: string;
  @Column('timestamptz') at: Date;
  @Column('jsonb') actor: object;
  @Column('text') action: string;
  @Column('text') subject: string;
  @Column('jsonb') data: object;
  @Column('text') previousHash: string;
  @Column('text') hash: string;
  @Column('uuid', { array: true }) repositoryIds: readonly string[];
}

/** A request of a workspace for another plan, and its result. */
@Entity('upgrade_request')
export class UpgradeRequestEntity {
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

/** The rows that repositories read and write through the entity manager. A test compares their columns with the schema. */
export const ENTITIES = [
  OrganizationEntity,
  MemberEntity,
  InviteEntity,
  RepositoryTokenEntity,
  SyncRunEntity,
  ApiKeyEntity,
  PersonalKeyEntity,
  DeploymentFreezeEntity,
  WaiverEntity,
  BreakGlassRequestEntity,
  ProjectEntity,
  ProjectRepositoryEntity,
  AuditEntryEntity,
  UpgradeRequestEntity,
];

/** A column has the name of its property in snake case, unless the entity states another name. */
export class ColumnNames extends DefaultNamingStrategy {
  override columnName(property: string, stated?: string): string {
    if (stated) return stated;
    return property.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  }
}
