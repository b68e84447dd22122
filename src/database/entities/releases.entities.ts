import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn, Unique } from 'typeorm';
import type { FactKind, FactValues } from '../../domain/facts/facts.js';
import type { Scorecard } from '../../domain/quality/scorecard.js';
import type { Verdict } from '../../domain/release/evaluate.js';
import type { ShippedFacts } from '../../domain/release/release-record.js';
import type { EvidencePullRecord, MergeApproval } from '../../domain/review/evidence-pull.js';
import type { Stored, StoredInputs } from '../../domain/release/replay.js';
import type { Condition, Stage } from '../../domain/facts/condition.js';
import type { OrgId } from '../ids.js';
import { IdentityColumn } from './identity-column.js';

// Releases, the facts about them, and the decisions.

/** A release: one milestone of a repository, with the result of its last evaluation. */
@Entity('release')
@Unique(['orgId', 'repositoryId', 'milestoneGithubId'])
@ForeignKey('Repository', ['orgId', 'repositoryId'], ['orgId', 'id'])
@Check('release_stage_check', "stage in ('PLANNING', 'DEVELOPMENT', 'TESTING', 'EVIDENCING', 'DEPLOYMENT', 'DEPLOYED')")
@Index('release_active', { synchronize: false })
@Index('release_by_evidence', { synchronize: false })
@Index('release_by_milestone', ['orgId', 'repositoryId', 'milestoneNumber'])
@Index('release_by_version', ['orgId', 'repositoryId', 'version'], { unique: true, where: 'deleted_at is null' })
@Index('release_by_version_order', { synchronize: false })
@Index('release_of_many_authors', ['orgId', 'id'], {
  where:
    "stage = 'EVIDENCING' and not evidence_approved and shipped_at is null and cancelled_at is null and deleted_at is null and pull_number is not null and pull_state is distinct from 'merged' and author_count > 32",
})
@Index('release_opened', { synchronize: false })
@Index('release_to_be_read', { synchronize: false })
@Index('release_to_review', { synchronize: false })
@Index('release_versions_with_evidence', { synchronize: false })
export class Release {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') id: string;
  @Column('uuid') repositoryId: string;
  @Column('text') version: string;
  @Column('bigint') milestoneGithubId: number;
  @Column('integer') milestoneNumber: number;
  @Column('text') title: string;
  @Column('text') milestoneUrl: string;
  @Column('timestamptz', { nullable: true }) dueOn: Date | null;
  @Column('text', { default: 'PLANNING' }) stage: Stage;
  @Column('jsonb', { default: [], name: 'unmet' }) unmetConditions: readonly Condition[];
  @Column('jsonb', { default: [], name: 'blocking' }) gateReasons: readonly Condition[];
  @Column('jsonb', { default: [] }) warnings: readonly Condition[];
  @Column('text', { array: true, default: [], name: 'consulted' }) usedFacts: readonly string[];
  @Column('text', { nullable: true }) candidateSha: string | null;
  @Column('text', { array: true, default: [] }) candidateShas: readonly string[];
  @Column('boolean', { default: false }) testsPassing: boolean;
  @Column('boolean', { default: false }) evidenceApproved: boolean;
  @Column('timestamptz', { nullable: true }) openUntil: Date | null;
  @Column('timestamptz', { default: () => "'-infinity'" }) validUntil: Date;
  @Column('text', { nullable: true }) verdictDigest: string | null;
  @Column('boolean', { default: false }) hotfix: boolean;
  @Column('timestamptz', { nullable: true }) startedAt: Date | null;
  @Column('text', { nullable: true }) startedBy: string | null;
  @Column('timestamptz', { nullable: true }) cancelledAt: Date | null;
  @Column('timestamptz', { nullable: true }) deletedAt: Date | null;
  @Column('timestamptz', { nullable: true }) shippedAt: Date | null;
  @Column('jsonb', { nullable: true, name: 'shipped' }) shippedFacts: ShippedFacts | null;
  @Column('timestamptz', { nullable: true }) evaluatedAt: Date | null;
  @Column('timestamptz') createdAt: Date;
  @Column('timestamptz') updatedAt: Date;
  @Column('boolean', { default: false }) blocked: boolean;
  @Column('boolean', { default: false, name: 'unread' }) hasMissingFacts: boolean;
  @Column('jsonb', { default: [] }) blockers: readonly Condition[];
  @Column('integer', { default: 0 }) blockerCount: number;
  @Column({
    type: 'timestamptz',
    nullable: true,
    generatedType: 'STORED',
    asExpression: 'case when open_until is not null then least(open_until, valid_until) end',
  })
  readyUntil: Date | null;
  @Column({
    type: 'char',
    generatedType: 'STORED',
    asExpression: `case when blocked then 'b'::"char" when stage = 'EVIDENCING' then 'a' else 'p' end`,
    name: 'standing',
  })
  listStatus: string;
  @Column({ type: 'text', collation: 'C', generatedType: 'STORED', asExpression: 'lower(version collate "C")' })
  lowerVersion: string;
  @Column({
    type: 'text',
    collation: 'C',
    generatedType: 'STORED',
    asExpression: 'version_sort_key(version)',
    name: 'version_order',
  })
  versionSortKey: string;
  @Column('bigint', { array: true, nullable: true }) authorIds: readonly string[] | null;
  @Column('timestamptz', { nullable: true, name: 'scope_closed_until' }) scopeLockedUntil: Date | null;
  @Column('integer', { nullable: true }) pullNumber: number | null;
  @Column('text', { nullable: true }) pullState: string | null;
  @Column('timestamptz', { nullable: true, name: 'pull_seen_at' }) pullObservedAt: Date | null;
  @Column('timestamptz', { nullable: true, name: 'evidence_at' }) lastEvidenceAt: Date | null;
  @Column('jsonb', { nullable: true }) shippedScorecard: Scorecard | null;
  @Column({
    type: 'bigint',
    array: true,
    nullable: true,
    generatedType: 'STORED',
    asExpression: 'case when cardinality(author_ids) <= 32 then author_ids end',
    name: 'few_author_ids',
  })
  indexedAuthorIds: readonly string[] | null;
  @Column({ type: 'integer', nullable: true, generatedType: 'STORED', asExpression: 'cardinality(author_ids)' })
  authorCount: number | null;
  @Column('timestamptz', { nullable: true }) invalidatedAt: Date | null;
  @Column('integer', { nullable: true }) approvalsGiven: number | null;
  @Column('timestamptz', { nullable: true }) archivedAt: Date | null;
}

/** A verdict about a release, with all of its inputs. It never changes. */
@Entity('decision')
@ForeignKey('Release', ['orgId', 'releaseId'], ['orgId', 'id'])
@Index('decision_by_release', { synchronize: false })
export class Decision {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') id: string;
  @IdentityColumn('bigint') sequence: number;
  @Column('uuid') releaseId: string;
  @Column('timestamptz') at: Date;
  @Column('boolean') open: boolean;
  @Column('text', { nullable: true }) candidateSha: string | null;
  @Column('text', { nullable: true }) policyDigest: string | null;
  @Column('jsonb') verdict: Stored<Verdict>;
  @Column('jsonb') inputs: StoredInputs;
}

/** A period in which the gate answered from one decision. */
@Entity('gate_confirmation')
@ForeignKey('Decision', ['orgId', 'decisionId'], ['orgId', 'id'])
@ForeignKey('Release', ['orgId', 'releaseId'], ['orgId', 'id'])
@Index('gate_confirmation_by_release', { synchronize: false })
export class GateConfirmation {
  @PrimaryColumn('uuid') orgId: OrgId;
  @IdentityColumn('bigint', { primary: true }) id: number;
  @Column('uuid') releaseId: string;
  @Column('uuid') decisionId: string;
  @Column('timestamptz') confirmedAt: Date;
  @Column('timestamptz', { nullable: true }) openUntil: Date | null;
}

/** A step of a release from one stage to another. */
@Entity('stage_transition')
@ForeignKey('Release', ['orgId', 'releaseId'], ['orgId', 'id'])
@Index('stage_transition_by_release', ['orgId', 'releaseId', 'id'])
export class StageTransition {
  @PrimaryColumn('uuid') orgId: OrgId;
  @IdentityColumn('bigint', { primary: true }) id: number;
  @Column('uuid') releaseId: string;
  @Column('text', { nullable: true }) fromStage: Stage | null;
  @Column('text') toStage: Stage;
  @Column('text') cause: string;
  @Column('text') actor: string;
  @Column('timestamptz') at: Date;
  @Column('text') inputDigest: string;
}

/** A fact as it was last read from GitHub, and when. */
@Entity('observation')
@ForeignKey('Repository', ['orgId', 'repositoryId'], ['orgId', 'id'])
@Index('observation_of_freezes', ['orgId', 'repositoryId'], {
  where: "kind = 'policy' and key = '' and (value #> '{policy,freezes}') <> '[]'",
})
@Index('observation_of_reviewers', ['orgId', 'kind', 'key', 'repositoryId'], {
  where: "kind in ('policy', 'permission', 'team')",
})
export class Observation {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') repositoryId: string;
  @PrimaryColumn('text') kind: FactKind;
  @PrimaryColumn('text') key: string;
  @Column('jsonb') value: FactValues[FactKind];
  @Column('timestamptz') observedAt: Date;
  @Column('bigint', { default: 0 }) readNumber: number;
}

/**
 * A hint that a fact may have changed since it was read. Null stands for all facts, so the table has no primary key. `number` is
 * declared as the primary key because TypeORM requires one.
 */
@Entity('fact_hint')
@Unique(['orgId', 'repositoryId', 'kind', 'key'])
@ForeignKey('Repository', ['orgId', 'repositoryId'], ['orgId', 'id'])
@Index('fact_hint_by_number', ['orgId', 'number'])
export class FactHint {
  @Column('uuid') orgId: OrgId;
  @Column('uuid', { nullable: true }) repositoryId: string | null;
  @Column('text', { nullable: true }) kind: FactKind | null;
  @Column('text', { nullable: true }) key: string | null;
  @PrimaryColumn('bigint') number: number;
  @Column('timestamptz', { default: () => 'now()' }) hintedAt: Date;
}

/** A milestone without a release, and the reason. */
@Entity('ignored_milestone')
@ForeignKey('Repository', ['orgId', 'repositoryId'], ['orgId', 'id'])
export class IgnoredMilestone {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') repositoryId: string;
  @PrimaryColumn('bigint') milestoneGithubId: number;
  @Column('integer') number: number;
  @Column('text') title: string;
  @Column('text') reason: string;
  @Column('timestamptz', { name: 'seen_at' }) observedAt: Date;
}

/** An evidence pull request of a release, as the service wrote it. */
@Entity('evidence_pull_request')
@Unique(['orgId', 'repositoryId', 'number'])
@ForeignKey('Release', ['orgId', 'releaseId'], ['orgId', 'id'])
@ForeignKey('Repository', ['orgId', 'repositoryId'], ['orgId', 'id'])
@Index('evidence_pull_request_by_release', { synchronize: false })
export class EvidencePullRequest {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') id: string;
  @Column('uuid') releaseId: string;
  @Column('uuid') repositoryId: string;
  @Column('integer') number: number;
  @Column('text') url: string;
  @Column('text') branch: string;
  @Column('text') baseRef: string;
  @Column('text') headSha: string;
  @Column('text', { array: true }) commitShas: readonly string[];
  @Column('jsonb') files: EvidencePullRecord['files'];
  @Column('text') candidateSha: string;
  @Column('text') evidenceSetDigest: string;
  @Column('jsonb', { nullable: true }) mergeApproval: MergeApproval | null;
  @Column('timestamptz') openedAt: Date;
  @Column('timestamptz') updatedAt: Date;
  @Column('timestamptz', { nullable: true }) abandonedAt: Date | null;
}

/** The lock of an issue while its scope is being changed. */
@Entity('scope_lock')
@ForeignKey('Release', ['orgId', 'releaseId'], ['orgId', 'id'])
@ForeignKey('Repository', ['orgId', 'repositoryId'], ['orgId', 'id'])
@Index('scope_lock_by_release', ['orgId', 'releaseId'])
export class ScopeLock {
  @PrimaryColumn('uuid') orgId: OrgId;
  @PrimaryColumn('uuid') repositoryId: string;
  @PrimaryColumn('integer') issueNumber: number;
  @Column('uuid') releaseId: string;
  @Column('uuid') lockToken: string;
  @Column('timestamptz') expiresAt: Date;
}
