import { createHash } from 'node:crypto';
import type { Clock } from '../../config/clock.js';
import type { StorageLocation } from '../../config/value-parsers.js';
import type { Database } from '../../database/database.js';
import type { UserErasure } from '../../database/erasure/user-erasure.js';
import type { ErasableWorkspace, RowCounts, WorkspaceErasure } from '../../database/erasure/workspace-erasure.js';
import { EventsRepository } from '../../events/events.repository.js';
import { MemberRemovalService } from '../../features/accounts/members/member-removal.service.js';
import { MembersRepository } from '../../features/accounts/members/members.repository.js';
import { AuditLogService } from '../../features/audit/audit-log.service.js';
import { AuditRepository } from '../../features/audit/audit.repository.js';
import type { ObjectStore } from '../../features/evidence/storage/s3-report-store.js';

/** How long a workspace can be exported, or its app installed again, before it may be erased. */
export const GRACE_DAYS = 30;
const DAY_MS = 86_400_000;

/** The proof of an erasure, without any erased data. */
export interface WorkspaceReceipt {
  readonly kind: 'workspace';
  readonly orgId: string;
  /** The numeric id of the organization on GitHub. */
  readonly githubId: number;
  readonly erasedAt: string;
  readonly uninstalledAt: string;
  /** The last entry of the audit log. Its hash identifies the whole log. */
  readonly auditHead: ErasableWorkspace['auditHead'];
  readonly rows: RowCounts;
  readonly files: number;
  /** The SHA-256 of the members above, as JSON. */
  readonly sha256: string;
}

/** Returns why the workspace may not be erased; null if it may. An erasure that has begun may always be continued. */
export function findObstacle(
  { login, uninstalledAt, begun }: ErasableWorkspace,
  now: Date,
  graceDays: number,
): string | null {
  if (begun) return null;
  if (uninstalledAt === null) return `The app is installed in ${login}. Its owners have to uninstall it first.`;
  const erasableAt = new Date(uninstalledAt.getTime() + graceDays * DAY_MS);
  if (now >= erasableAt) return null;
  return `The app was uninstalled from ${login} at ${uninstalledAt.toISOString()}. It can be erased from ${erasableAt.toISOString()} on.`;
}

/** Deletes the files, the rows and the accounts of a workspace, and verifies that nothing is left. */
export async function eraseWorkspace(
  erasure: WorkspaceErasure,
  { orgId, githubId, uninstalledAt, auditHead }: ErasableWorkspace,
  {
    objects,
    storage,
    now,
  }: { readonly objects: ObjectStore; readonly storage: StorageLocation | null; readonly now: Date },
): Promise<WorkspaceReceipt> {
  const begun = await erasure.begin(orgId);
  // Accounts are deleted before the memberships, which show whose accounts other workspaces need.
  const accounts = await erasure.deleteAccounts(orgId, await erasure.listMembers(orgId));
  let files = 0;
  for await (const location of erasure.listFiles(orgId)) {
    await objects.remove(location);
    files += 1;
  }
  if (storage !== null) {
    // Files of uploads that failed have no row.
    for await (const location of objects.list(storage, orgId)) {
      await objects.remove(location);
      files += 1;
    }
  }
  const rows = await erasure.deleteRows(orgId);
  const left = await erasure.count(orgId);
  if (Object.keys(left).length > 0)
    throw new Error(`Rows are left in ${Object.keys(left).join(', ')}. Run the command again.`);
  const content = {
    kind: 'workspace' as const,
    orgId,
    githubId,
    erasedAt: now.toISOString(),
    uninstalledAt: (uninstalledAt ?? now).toISOString(),
    auditHead,
    rows: { ...begun, ...accounts, ...rows },
    files,
  };
  return { ...content, sha256: createDigest(content) };
}

/** Proves that a user was erased, without the login. */
export interface UserReceipt {
  readonly kind: 'user';
  /** The numeric id of the user on GitHub. */
  readonly userId: number;
  readonly erasedAt: string;
  readonly rows: RowCounts;
  /** The rows that still have the login: records of releases, which an auditor needs, and facts from GitHub. */
  readonly records: RowCounts;
  /** The SHA-256 of the members above, as JSON. */
  readonly sha256: string;
}

/** Counts the rows that an erasure of the user deletes, and the records that stay. */
export async function countUser(
  erasure: UserErasure,
): Promise<{ readonly rows: RowCounts; readonly records: RowCounts }> {
  const login = await erasure.findLogin();
  let rows: RowCounts = {};
  let records: RowCounts = {};
  for (const orgId of await erasure.listWorkspaces()) {
    rows = addCounts(rows, await erasure.count(orgId));
    if (login !== null) records = addCounts(records, await erasure.countRecords(orgId, login));
  }
  return { rows: login === null ? rows : addCounts(rows, { 'public.user_account': 1 }), records };
}

/** Ends all memberships of the user with an entry in the audit log of each workspace, and deletes the account. */
export async function eraseUser(
  erasure: UserErasure,
  database: Database,
  userId: number,
  clock: Clock,
): Promise<UserReceipt> {
  const login = await erasure.findLogin();
  const members = new MemberRemovalService(
    new AuditLogService(new AuditRepository(clock), new EventsRepository(clock)),
    new MembersRepository(clock),
  );
  let rows: RowCounts = {};
  let records: RowCounts = {};
  for (const orgId of await erasure.listWorkspaces()) {
    rows = addCounts(rows, await erasure.count(orgId));
    await database.inTenant(orgId, (tx) =>
      members.remove(tx, userId, { login: `user ${userId}`, actor: { type: 'service' }, reason: 'erased' }),
    );
    await erasure.deleteRows(orgId);
    if (login !== null) records = addCounts(records, await erasure.countRecords(orgId, login));
  }
  rows = addCounts(rows, await erasure.deleteAccount());
  const content = { kind: 'user' as const, userId, erasedAt: clock.now().toISOString(), rows, records };
  return { ...content, sha256: createDigest(content) };
}

const addCounts = (one: RowCounts, other: RowCounts): RowCounts =>
  Object.fromEntries(
    [...new Set([...Object.keys(one), ...Object.keys(other)])].map((name) => [
      name,
      (one[name] ?? 0) + (other[name] ?? 0),
    ]),
  );

const createDigest = (content: object): string => createHash('sha256').update(JSON.stringify(content)).digest('hex');
