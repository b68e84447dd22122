import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { OrgId } from '../ids.js';

/** An entry of the audit log. It contains the hash of the entry before it. */
@Entity('audit_entry')
export class AuditEntry {
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
