import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { JsonObject } from '../../domain/audit/canonical-json.js';
import type { OrgId } from '../ids.js';
import { IdentityColumn } from './identity-column.js';

// The event log, the audit log, and the service's own state.

/** An event of a workspace, for its event stream. */
@Entity('event')
@Unique(['orgId', 'id'])
@ForeignKey('Organization', ['orgId'], ['orgId'])
@ForeignKey('Release', ['orgId', 'releaseId'], ['orgId', 'id'])
@ForeignKey('Repository', ['orgId', 'repositoryId'], ['orgId', 'id'])
@Check(
  'event_type_check',
  "type in ('sync.started', 'sync.progress', 'sync.completed', 'sync.failed', 'release.updated', 'review.updated', 'repo.updated', 'evidence.received', 'workspace.updated')",
)
@Check('event_what_check', "what in ('members', 'keys', 'plan', 'freezes', 'projects')")
@Check('event_workspace_check', "(type = 'workspace.updated') = (what is not null)")
@Index('event_by_time', ['orgId', 'at'])
export class Event {
  @PrimaryColumn('uuid') orgId: OrgId;
  @IdentityColumn('bigint', { primary: true, name: 'entry' }) rowId: number;
  @Column('bigint', { nullable: true }) id: number | null;
  @Column('text') type:
    | 'sync.started'
    | 'sync.progress'
    | 'sync.completed'
    | 'sync.failed'
    | 'release.updated'
    | 'review.updated'
    | 'repo.updated'
    | 'evidence.received'
    | 'workspace.updated';
  @Column('uuid', { nullable: true }) repositoryId: string | null;
  @Column('uuid', { nullable: true }) releaseId: string | null;
  @Column('timestamptz') at: Date;
  @Column('text', { nullable: true }) what: 'members' | 'keys' | 'plan' | 'freezes' | 'projects' | null;
}

/** The number of the last event of a workspace. */
@Entity('event_sequence')
@ForeignKey('Organization', ['orgId'], ['orgId'])
export class EventSequence {
  @PrimaryColumn('uuid') orgId: OrgId;
  @Column('bigint') lastId: number;
}

/** An entry of the audit log. It contains the hash of the entry before it. */
@Entity('audit_entry')
@Unique(['orgId', 'id'])
@ForeignKey('Organization', ['orgId'], ['orgId'])
@Check('audit_entry_sequence_check', 'sequence > 0')
@Index('audit_entry_by_action', ['orgId', 'action', 'sequence'])
@Index('audit_entry_by_time', ['orgId', 'at'])
export class AuditEntry {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('bigint') sequence: number;
  @Column('uuid') id: string;
  @Column('timestamptz') at: Date;
  @Column('jsonb') actor: JsonObject;
  @Column('text') action: string;
  @Column('text') subject: string;
  @Column('jsonb') data: JsonObject;
  @Column('text') previousHash: string;
  @Column('text') hash: string;
  @Column('uuid', { array: true }) repositoryIds: readonly string[];
}

/** The encrypted credentials of the GitHub App. The table has one row. */
@Entity('app_configuration')
@Check('app_configuration_only_one_check', 'only_one')
export class AppConfiguration {
  @PrimaryColumn('boolean', { default: true }) onlyOne: boolean;
  @Column('text') encryptedCredentials: string;
  @Column('timestamptz') configuredAt: Date;
}

/** The hash of a code that authorizes the first set-up. */
@Entity('setup_code')
export class SetupCode {
  @PrimaryColumn('bytea') codeHash: Buffer;
  @Column('timestamptz') createdAt: Date;
}

/** A signing key of the service. One key is in use. Of the other keys only the public part is stored. */
@Entity('signing_key')
@Check('signing_key_check', '(retired_at is null) = (encrypted_private_key is not null)')
@Index('signing_key_in_use', { synchronize: false })
export class SigningKey {
  @PrimaryColumn('text') keyId: string;
  @Column('text') publicKey: string;
  @Column('text', { nullable: true }) encryptedPrivateKey: string | null;
  @Column('timestamptz') createdAt: Date;
  @Column('timestamptz', { nullable: true }) retiredAt: Date | null;
}

/** The number of requests of one caller that were accepted in the current window. */
@Entity('rate_limit_window')
@Check('rate_limit_window_granted_check', 'granted >= 0')
@Check('rate_limit_window_key_check', 'length(key) <= 400')
@Check('rate_limit_window_used_check', 'used >= 0')
export class RateLimitWindow {
  @PrimaryColumn('text') key: string;
  @Column('timestamptz') windowStart: Date;
  @Column('integer') used: number;
  @Column('integer') granted: number;
}

/** An address that looks like a proxy but is not trusted. The table has one row. */
@Entity('untrusted_forwarder')
@Check('untrusted_forwarder_address_check', 'length(address) <= 64')
@Check('untrusted_forwarder_only_row_check', 'only_row')
export class UntrustedForwarder {
  @PrimaryColumn('boolean', { default: true }) onlyRow: boolean;
  @Column('text') address: string;
  @Column('timestamptz') seenAt: Date;
}

/** The row that each process updates to find out whether the database accepts writes. */
@Entity('write_probe')
@Check('write_probe_only_row_check', 'only_row')
export class WriteProbe {
  @PrimaryColumn('boolean', { default: true }) onlyRow: boolean;
  @Column('timestamptz') probedAt: Date;
  @Column('text', { nullable: true }) filler: string | null;
}

/** The start of the last interval in which a scheduled job was enqueued. */
@Entity('scheduled_job')
export class ScheduledJob {
  @PrimaryColumn('text') name: string;
  @Column('timestamptz') dueAt: Date;
}

/** A migration that ran. TypeORM writes its name, and the service writes the other columns when it starts. */
@Entity('schema_migration')
@Unique(['name'])
export class SchemaMigration {
  @IdentityColumn('integer', { primary: true }) id: number;
  @Column('bigint') timestamp: number;
  @Column('text') name: string;
  /** The SHA-256 of the migration's statements. */
  @Column('text', { nullable: true }) digest: string | null;
  /** The migration that a process must have to work with the schema after this migration. */
  @Column('text', { nullable: true }) requires: string | null;
}
