import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { KeyScope, PersonalKeyScope } from '../../domain/keys/key-scope.js';
import type { OrgId } from '../ids.js';

// Keys that callers present. Only the hashes of their secrets are stored.

/** A key of a workspace for CI. */
@Entity('api_key')
@Unique(['secretHash'])
@ForeignKey('Organization', ['orgId'], ['orgId'])
@Check('api_key_scopes_check', "scopes <@ array['evidence:write', 'gate:read'] and cardinality(scopes) > 0")
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
@Unique(['secretHash'])
@ForeignKey('Organization', ['orgId'], ['orgId'])
@Check('personal_key_scope_check', "scope in ('read', 'write')")
@Index('personal_key_by_person', { synchronize: false })
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
