import type { ProtectionStatus } from '../../../domain/repository/protection.js';
import type { SetupState } from '../../../domain/repository/setup-state.js';
import type { WorkflowUpdateStatus } from '../../../domain/repository/workflow-update.js';

/** `unwatched`: none of the service's files were seen in it yet. */
export const INTEGRITY_STATUSES = ['intact', 'tampered', 'unwatched'] as const;
export type IntegrityStatus = (typeof INTEGRITY_STATUSES)[number];

/** A managed file that is not as it was installed, on one branch. */
export interface ChangedFile {
  readonly path: string;
  readonly branch: string;
}

/** A repository as lists show it, by what is stored of it. */
export interface RepositoryCard {
  readonly id: string;
  readonly org: string;
  readonly name: string;
  readonly fullName: string;
  readonly private: boolean;
  readonly defaultBranch: string;
  readonly url: string;
  readonly managed: boolean;
  readonly setupState: SetupState;
  readonly protection: { readonly status: ProtectionStatus; readonly detail: string | null };
  readonly integrity: {
    readonly status: IntegrityStatus;
    readonly files: readonly ChangedFile[];
    readonly issueUrl: string | null;
    readonly since: Date | null;
  };
  readonly workflow: {
    /** Null where the service installed none. */
    readonly status: Extract<WorkflowUpdateStatus, 'UP_TO_DATE' | 'UPDATE_AVAILABLE' | 'PR_OPEN'> | null;
    readonly installedRevision: string | null;
    readonly targetRevision: string;
    readonly prNumber: number | null;
    readonly prUrl: string | null;
  };
  readonly lastSyncedAt: Date | null;
}
