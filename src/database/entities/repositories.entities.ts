import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import type { SetupStep } from '../../domain/repository/bootstrap.js';
import type { ProtectionStatus } from '../../domain/repository/ruleset.js';
import type { OrgId } from '../ids.js';
import { IdentityColumn } from './identity-column.js';

// The set-up of repositories: workflow files, rulesets, and the detection of tampering.

/** The progress of the set-up of a repository. */
@Entity('repository_setup')
@ForeignKey('Repository', ['orgId', 'repositoryId'], ['orgId', 'id'])
@Check(
  'repository_setup_step_check',
  "step in ('opening', 'pr_open', 'closed', 'merged', 'protection_pending', 'protection_failed', 'complete')",
)
export class RepositorySetup {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') repositoryId: string;
  @Column('uuid', { name: 'attempt' }) attemptId: string;
  @Column('text') step: SetupStep;
  @Column('bigint') requestedBy: number;
  @Column('timestamptz', { name: 'begun_at' }) startedAt: Date;
  @Column('boolean', { name: 'took_place' }) reservedQuota: boolean;
  @Column('integer', { nullable: true }) pullNumber: number | null;
  @Column('text', { nullable: true }) pullUrl: string | null;
  @Column('text', { nullable: true }) detail: string | null;
  @Column('timestamptz') changedAt: Date;
}

/** The state of the rulesets of a repository. */
@Entity('repository_protection')
@ForeignKey('Repository', ['orgId', 'repositoryId'], ['orgId', 'id'])
@Check('repository_protection_status_check', "status in ('pending', 'active', 'drifted', 'failed', 'advisory')")
export class RepositoryProtection {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') repositoryId: string;
  @Column('uuid', { name: 'attempt' }) attemptId: string;
  @Column('text') status: ProtectionStatus;
  @Column('text', { nullable: true }) detail: string | null;
  @Column('timestamptz') changedAt: Date;
}

/** The protection rule of the service on the environment that a repository deploys to. */
@Entity('protection_rule')
@ForeignKey('Repository', ['orgId', 'repositoryId'], ['orgId', 'id'])
@Check('protection_rule_status_check', "status in ('active', 'missing', 'advisory')")
export class ProtectionRule {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') repositoryId: string;
  @Column('text') environment: string;
  @Column('text') status: 'active' | 'missing' | 'advisory';
  @Column('boolean', { nullable: true }) adminsMayBypass: boolean | null;
  @Column('timestamptz') changedAt: Date;
}

/** An administrator's token for the rulesets of a repository, encrypted. */
@Entity('repository_token')
@ForeignKey('Repository', ['orgId', 'repositoryId'], ['orgId', 'id'])
export class RepositoryToken {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') repositoryId: string;
  @Column('text') encryptedToken: string;
  @Column('text') encryptedKey: string;
  @Column('timestamptz') receivedAt: Date;
}

/** A workflow file as some revision of the service installs it. The same for all workspaces. */
@Entity('published_workflow')
@Check('published_workflow_blob_sha_check', "blob_sha ~ '^[0-9a-f]{40}$'")
export class PublishedWorkflow {
  @PrimaryColumn('text') path: string;
  @PrimaryColumn('text') blobSha: string;
  @Column('text') revision: string;
  @Column('timestamptz') publishedAt: Date;
}

/** Which revision of the workflow files a repository has. */
@Entity('workflow_installation')
@ForeignKey('Repository', ['orgId', 'repositoryId'], ['orgId', 'id'])
export class WorkflowInstallation {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') repositoryId: string;
  @Column('text') installedRevision: string;
  @Column('boolean') customCi: boolean;
  @Column('timestamptz') installedAt: Date;
}

/** The open pull request that updates the workflow files of a repository. */
@Entity('workflow_update')
@ForeignKey('Repository', ['orgId', 'repositoryId'], ['orgId', 'id'])
@Check('workflow_update_pull_number_check', 'pull_number > 0')
export class WorkflowUpdate {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') repositoryId: string;
  @Column('integer') pullNumber: number;
  @Column('text') pullUrl: string;
  @Column('text') branch: string;
  @Column('text') revision: string;
  @Column('timestamptz') openedAt: Date;
}

/** A branch whose workflow files are checked, with the commit that was checked last. */
@Entity('watched_branch')
@ForeignKey('Repository', ['orgId', 'repositoryId'], ['orgId', 'id'])
export class WatchedBranch {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') repositoryId: string;
  @PrimaryColumn('text') branch: string;
  @Column('boolean', { name: 'trunk' }) isTrunk: boolean;
  @Column('text') headSha: string;
  @Column('text', { array: true }) intactHeads: readonly string[];
  @Column('text', { array: true, name: 'paths' }) knownPaths: readonly string[];
  @Column('timestamptz', { name: 'looked_at' }) checkedAt: Date;
}

/** A workflow file that a repository should have. */
@Entity('watched_file')
@ForeignKey('Repository', ['orgId', 'repositoryId'], ['orgId', 'id'])
export class WatchedFile {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') repositoryId: string;
  @PrimaryColumn('text') path: string;
  @Column('timestamptz') since: Date;
}

/** A workflow file of a branch that differs from the installed file. */
@Entity('tampered_file')
@ForeignKey('WatchedBranch', ['orgId', 'repositoryId', 'branch'], ['orgId', 'repositoryId', 'branch'], {
  onDelete: 'CASCADE',
})
export class TamperedFile {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') repositoryId: string;
  @PrimaryColumn('text') branch: string;
  @PrimaryColumn('text') path: string;
  @Column('timestamptz') since: Date;
}

/** The GitHub issue that reports a changed workflow file. */
@Entity('tampering_issue')
@ForeignKey('Repository', ['orgId', 'repositoryId'], ['orgId', 'id'])
export class TamperingIssue {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') repositoryId: string;
  @PrimaryColumn('text') path: string;
  @Column('integer', { nullable: true }) number: number | null;
  @Column('text', { nullable: true }) url: string | null;
  @Column('text', { nullable: true, name: 'told' }) contentDigest: string | null;
}

/** A change of the counts that the list of repositories shows. The sum of the changes is the count. */
@Entity('repository_count_change')
@Index('repository_count_change_by_repository', { synchronize: false })
export class RepositoryCountChange {
  @PrimaryColumn('uuid') orgId: OrgId;
  @IdentityColumn('bigint', { primary: true }) id: number;
  @Column('uuid') repositoryId: string;
  @Column('integer') blocked: number;
  @Column('integer') awaiting: number;
  @Column('integer') passing: number;
  @Column('integer') evidenced: number;
  @Column('integer') recorded: number;
}
