import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { OrgId } from '../ids.js';

/** A member of a workspace, with the member's role. */
@Entity('member')
export class Member {
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
