import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { OrgId } from '../ids.js';

// The members of a workspace, and their read access.

/** A member of a workspace, with the member's role. */
@Entity('member')
@ForeignKey('Organization', ['orgId'], ['orgId'])
@Check('member_role_check', "role in ('member', 'admin')")
export class Member {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('bigint', { name: 'person' }) userId: number;
  @Column('text') role: 'member' | 'admin';
  @Column('timestamptz') joinedAt: Date;
  @Column('timestamptz') confirmedAt: Date;
  @Column('timestamptz', { nullable: true, name: 'doubted_at' }) membershipInvalidatedAt: Date | null;
  @Column('timestamptz', { nullable: true }) accessObservedAt: Date | null;
  @Column('integer', { default: 0, name: 'access_doubts' }) accessGeneration: number;
  @Column('boolean', { default: false }) auditor: boolean;
}

/** A private repository that a member may read on GitHub. */
@Entity('repository_access')
@ForeignKey('Member', ['orgId', 'userId'], ['orgId', 'userId'], { onDelete: 'CASCADE' })
export class RepositoryAccess {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('bigint', { name: 'person' }) userId: number;
  @PrimaryColumn('bigint') repositoryGithubId: number;
}

/** An invitation into a workspace, for one user or for any user with the link. */
@Entity('invite')
@ForeignKey('Organization', ['orgId'], ['orgId'])
@Check('invite_role_check', "role in ('member', 'admin')")
@Index('invite_once_a_person', ['orgId', 'userId'], {
  unique: true,
  where: 'accepted_at is null and revoked_at is null',
})
export class Invite {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') id: string;
  @Column('bigint', { nullable: true, name: 'person' }) userId: number | null;
  @Column('text', { nullable: true }) login: string | null;
  @Column('text') role: 'member' | 'admin';
  @Column('bigint') createdBy: number;
  @Column('timestamptz') createdAt: Date;
  @Column('timestamptz') expiresAt: Date;
  @Column('bigint', { nullable: true }) acceptedBy: number | null;
  @Column('timestamptz', { nullable: true }) acceptedAt: Date | null;
  @Column('timestamptz', { nullable: true }) revokedAt: Date | null;
}
