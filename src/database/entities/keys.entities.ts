import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { KeyScope, PersonalKeyScope } from '../../domain/keys/key-scope.js';
import type { OrgId } from '../ids.js';

// Keys that callers present. Only the hashes of their secrets are stored.

/** A key of a workspace for CI. */
@Entity('api_key')
export class ApiKey {
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

/** A member's own key for the remote tools. */
@Entity('personal_key')
export class PersonalKey {
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
