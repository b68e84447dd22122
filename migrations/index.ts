import { CreateOrganizationsAndRepositories1790000000000 } from './1790000000000-create-organizations-and-repositories.js';
import { CreateReleases1790000000100 } from './1790000000100-create-releases.js';
import { CreateEvidence1790000000200 } from './1790000000200-create-evidence.js';
import { CreateApiKeys1790000000300 } from './1790000000300-create-api-keys.js';
import { CreateWebhookInbox1790000000400 } from './1790000000400-create-webhook-inbox.js';
import { CreateRateLimits1790000001000 } from './1790000001000-create-rate-limits.js';
import { CreatePeople1790100000000 } from './1790100000000-create-people.js';
import { CreateMembers1790100000100 } from './1790100000100-create-members.js';
import { CreateInvitesAndPersonalKeys1790100000200 } from './1790100000200-create-invites-and-personal-keys.js';
import { CreateUpgradeRequests1790100000300 } from './1790100000300-create-upgrade-requests.js';
import { CreateAuditLog1790100000400 } from './1790100000400-create-audit-log.js';
import { CreateAppConfiguration1790100000500 } from './1790100000500-create-app-configuration.js';
import { CreateEvents1790200001000 } from './1790200001000-create-events.js';
import { WatchMissedDeliveries1790200002000 } from './1790200002000-watch-missed-deliveries.js';
import { RecordSyncRuns1790200002100 } from './1790200002100-record-sync-runs.js';
import { RecordRepositorySetup1790200003000 } from './1790200003000-record-repository-setup.js';
import { PublishWorkflows1790200003100 } from './1790200003100-publish-workflows.js';
import { KeepHostTokens1790200003200 } from './1790200003200-keep-host-tokens.js';
import { RecordProtection1790200004000 } from './1790200004000-record-protection.js';
import { WatchWorkflowFiles1790200004100 } from './1790200004100-watch-workflow-files.js';
import { ListReleases1790300001000 } from './1790300001000-list-releases.js';
import { ListReviews1790300003000 } from './1790300003000-list-reviews.js';
import { ClaimIssues1790300004000 } from './1790300004000-claim-issues.js';
import { CloseScopes1790300004100 } from './1790300004100-close-scopes.js';
import { ListHistory1790300005000 } from './1790300005000-list-history.js';
import { CreateProjects1790300006000 } from './1790300006000-create-projects.js';
import { RecordOverrides1790300007000 } from './1790300007000-record-overrides.js';
import { ReopenEvidencePulls1790300008000 } from './1790300008000-reopen-evidence-pulls.js';
import { ObservePullsWithReleases1790300009000 } from './1790300009000-observe-pulls-with-releases.js';
import { StoreReportsOutside1790400001000 } from './1790400001000-store-reports-outside.js';
import { TellUploadsApartByDigest1790400001100 } from './1790400001100-tell-uploads-apart-by-digest.js';
import { ListQuality1790400002000 } from './1790400002000-list-quality.js';
import { KeepTestRolls1790400002100 } from './1790400002100-keep-test-rolls.js';
import { KeepSigningKeys1790400003000 } from './1790400003000-keep-signing-keys.js';
import { IndexReadableRepositories1790500000000 } from './1790500000000-index-readable-repositories.js';
import { KeepReportsInBlocks1790500000100 } from './1790500000100-keep-reports-in-blocks.js';
import { CoverPendingReviews1790500000200 } from './1790500000200-cover-pending-reviews.js';
import { ReceiveWebhooksTogether1790500000500 } from './1790500000500-receive-webhooks-together.js';
import { IndexPredecessors1790500003000 } from './1790500003000-index-predecessors.js';
import { TallyRepositories1790600000000 } from './1790600000000-tally-repositories.js';
import { HastenPendingReviews1790600001000 } from './1790600001000-hasten-pending-reviews.js';
import { OrderReviewsByObservation1790600001100 } from './1790600001100-order-reviews-by-observation.js';
import { IndexRepositoryNames1790600002000 } from './1790600002000-index-repository-names.js';
import { ProveJobs1790600004000 } from './1790600004000-prove-jobs.js';
import { OrderReadsAndHints1790700000000 } from './1790700000000-order-reads-and-hints.js';
import { DoubtSkippedChecks1790701000000 } from './1790701000000-doubt-skipped-checks.js';
import { DoubtEmptyEvidence1790701000100 } from './1790701000100-doubt-empty-evidence.js';
import { DoubtReleaseAuthors1790701000200 } from './1790701000200-doubt-release-authors.js';
import { ConfirmDecisions1790702000000 } from './1790702000000-confirm-decisions.js';
import { PromoteOnce1790702000100 } from './1790702000100-promote-once.js';
import { KeepWaitingDeployments1790702000200 } from './1790702000200-keep-waiting-deployments.js';
import { NoteUntrustedForwarders1790704000000 } from './1790704000000-note-untrusted-forwarders.js';
import { AttributeAuditEntries1790705000000 } from './1790705000000-attribute-audit-entries.js';
import { QueueSyncs1790705000100 } from './1790705000100-queue-syncs.js';
import { FindSignedInPeople1790705000200 } from './1790705000200-find-signed-in-people.js';
import { TallyStorage1790706000000 } from './1790706000000-tally-storage.js';
import { ProveJobsOfEvidence1790707000000 } from './1790707000000-prove-jobs-of-evidence.js';
import { TakeDeliveriesInTurn1790707000100 } from './1790707000100-take-deliveries-in-turn.js';
import { ScheduleJobsOnce1790708000000 } from './1790708000000-schedule-jobs-once.js';
import { RenameUserAccounts1790709000000 } from './1790709000000-rename-user-accounts.js';
import { RenameInbox1790709000100 } from './1790709000100-rename-inbox.js';
import { RenameKeysAndLimits1790709000200 } from './1790709000200-rename-keys-and-limits.js';
import { RenameDeploymentRecords1790709000300 } from './1790709000300-rename-deployment-records.js';
import { RenameEvidenceTables1790709000400 } from './1790709000400-rename-evidence-tables.js';
import { RenameLocksAndTokens1790709000500 } from './1790709000500-rename-locks-and-tokens.js';
import { RenameStorageUsage1790709000600 } from './1790709000600-rename-storage-usage.js';
import { CheckLeasesByPublicView1790709000700 } from './1790709000700-check-leases-by-public-view.js';
import { IndexOverridesByEnd1790710000000 } from './1790710000000-index-overrides-by-end.js';
import { CountGivenApprovals1790710002000 } from './1790710002000-count-given-approvals.js';
import { IndexDeploymentKinds1790710003000 } from './1790710003000-index-deployment-kinds.js';
import { IndexAuditFilters1790710003100 } from './1790710003100-index-audit-filters.js';
import { AnnounceWorkspaceChanges1790710003200 } from './1790710003200-announce-workspace-changes.js';
import { AddAuditors1790711000000 } from './1790711000000-add-auditors.js';
import { HoldDeployments1790712000000 } from './1790712000000-hold-deployments.js';
import { WatchProtectionRules1790712000100 } from './1790712000100-watch-protection-rules.js';
import { ProbeWrites1790714000000 } from './1790714000000-probe-writes.js';
import { JoinReportPieces1790715000000 } from './1790715000000-join-report-pieces.js';
import { ArchiveUnshippedReleases1790716000000 } from './1790716000000-archive-unshipped-releases.js';
import { NameGateReasons1790717000000 } from './1790717000000-name-gate-reasons.js';
import { MeasureWorkspaces1790717000100 } from './1790717000100-measure-workspaces.js';
import { ReplaceEncryptedSecrets1790717000200 } from './1790717000200-replace-encrypted-secrets.js';
import { ReadGatesInTwoStatements1790717000300 } from './1790717000300-read-gates-in-two-statements.js';
import { RestrictSecretListing1790718000000 } from './1790718000000-restrict-secret-listing.js';

/** Every migration, in the order in which they run. */
export const migrations = [
  CreateOrganizationsAndRepositories1790000000000,
  CreateReleases1790000000100,
  CreateEvidence1790000000200,
  CreateApiKeys1790000000300,
  CreateWebhookInbox1790000000400,
  CreateRateLimits1790000001000,
  CreatePeople1790100000000,
  CreateMembers1790100000100,
  CreateInvitesAndPersonalKeys1790100000200,
  CreateUpgradeRequests1790100000300,
  CreateAuditLog1790100000400,
  CreateAppConfiguration1790100000500,
  CreateEvents1790200001000,
  WatchMissedDeliveries1790200002000,
  RecordSyncRuns1790200002100,
  RecordRepositorySetup1790200003000,
  PublishWorkflows1790200003100,
  KeepHostTokens1790200003200,
  RecordProtection1790200004000,
  WatchWorkflowFiles1790200004100,
  ListReleases1790300001000,
  ListReviews1790300003000,
  ClaimIssues1790300004000,
  CloseScopes1790300004100,
  ListHistory1790300005000,
  CreateProjects1790300006000,
  RecordOverrides1790300007000,
  ReopenEvidencePulls1790300008000,
  ObservePullsWithReleases1790300009000,
  StoreReportsOutside1790400001000,
  TellUploadsApartByDigest1790400001100,
  ListQuality1790400002000,
  KeepTestRolls1790400002100,
  KeepSigningKeys1790400003000,
  IndexReadableRepositories1790500000000,
  KeepReportsInBlocks1790500000100,
  CoverPendingReviews1790500000200,
  ReceiveWebhooksTogether1790500000500,
  IndexPredecessors1790500003000,
  TallyRepositories1790600000000,
  HastenPendingReviews1790600001000,
  OrderReviewsByObservation1790600001100,
  IndexRepositoryNames1790600002000,
  ProveJobs1790600004000,
  OrderReadsAndHints1790700000000,
  DoubtSkippedChecks1790701000000,
  DoubtEmptyEvidence1790701000100,
  DoubtReleaseAuthors1790701000200,
  ConfirmDecisions1790702000000,
  PromoteOnce1790702000100,
  KeepWaitingDeployments1790702000200,
  NoteUntrustedForwarders1790704000000,
  AttributeAuditEntries1790705000000,
  QueueSyncs1790705000100,
  FindSignedInPeople1790705000200,
  TallyStorage1790706000000,
  ProveJobsOfEvidence1790707000000,
  TakeDeliveriesInTurn1790707000100,
  ScheduleJobsOnce1790708000000,
  RenameUserAccounts1790709000000,
  RenameInbox1790709000100,
  RenameKeysAndLimits1790709000200,
  RenameDeploymentRecords1790709000300,
  RenameEvidenceTables1790709000400,
  RenameLocksAndTokens1790709000500,
  RenameStorageUsage1790709000600,
  CheckLeasesByPublicView1790709000700,
  IndexOverridesByEnd1790710000000,
  CountGivenApprovals1790710002000,
  IndexDeploymentKinds1790710003000,
  IndexAuditFilters1790710003100,
  AnnounceWorkspaceChanges1790710003200,
  AddAuditors1790711000000,
  HoldDeployments1790712000000,
  WatchProtectionRules1790712000100,
  ProbeWrites1790714000000,
  JoinReportPieces1790715000000,
  ArchiveUnshippedReleases1790716000000,
  NameGateReasons1790717000000,
  MeasureWorkspaces1790717000100,
  ReplaceEncryptedSecrets1790717000200,
  ReadGatesInTwoStatements1790717000300,
  RestrictSecretListing1790718000000,
];
