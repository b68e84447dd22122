import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { OrgId } from '../ids.js';

/** An administrator's token for the rulesets of a repository, encrypted. */
@Entity('repository_token')
export class RepositoryToken {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') repositoryId: string;
  @Column('text') encryptedToken: string;
  @Column('text') encryptedKey: string;
  @Column('timestamptz') receivedAt: Date;
}
