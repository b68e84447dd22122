import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import type { OrgId } from '../../database/ids.js';
import type { UpgradeRequestStatus } from '../../domain/billing/plan.js';
import { pageOffset, type Page, type PageRequest } from '../../http/pagination/pagination.dto.js';
import { UsersRepository } from '../accounts/users/users.repository.js';
import { REQUEST_COLUMNS, type UpgradeRequest } from './billing.repository.js';

/** A request with its workspace, for platform admins. */
export interface PlatformRequest extends UpgradeRequest {
  /** The login of the workspace's organization. */
  readonly org: string;
}

const LOGIN_CONTAINS = '($1::text is null or strpos(lower(login), lower($1)) > 0)';

const one = ([row, another]: readonly { readonly org_id: OrgId }[]): OrgId | null =>
  row && another === undefined ? row.org_id : null;

/** A request with the login that its requester last signed in with. */
export type NamedRequest<R extends UpgradeRequest = UpgradeRequest> = Omit<R, 'requestedBy'> & {
  readonly requestedBy: string | null;
};

/** Reads requests and workspaces across tenants. */
@Injectable()
export class PlatformBillingQueries {
  constructor(
    private readonly database: Database,
    private readonly users: UsersRepository,
  ) {}

  /** Counts the requests with a status; null means every status. */
  async count(status: UpgradeRequestStatus | null): Promise<number> {
    const [row] = await this.database.queryWithoutTenant<{ readonly requests: string }>(
      'count_upgrade_requests',
      'select count_upgrade_requests($1) as requests',
      [status],
    );
    return Number(row?.requests);
  }

  /** Lists a page of the requests, newest first. */
  listPage(status: UpgradeRequestStatus | null, limit: number, offset: number): Promise<readonly PlatformRequest[]> {
    return this.list(status, null, limit, offset);
  }

  /** Lists the requests that follow `after`, newest first; null starts with the newest. */
  listAfter(
    status: UpgradeRequestStatus | null,
    after: Pick<PlatformRequest, 'id' | 'requestedAt'> | null,
    limit: number,
  ): Promise<readonly PlatformRequest[]> {
    return this.list(status, after, limit, 0);
  }

  /** Finds the workspace of a request. */
  async findWorkspaceByRequest(requestId: string): Promise<OrgId | null> {
    return one(
      await this.database.queryWithoutTenant<{ readonly org_id: OrgId }>(
        'find_workspace_by_upgrade_request',
        'select org_id from find_workspace_by_upgrade_request($1)',
        [requestId],
      ),
    );
  }

  /** Finds a workspace by the login of its organization, ignoring case; null if none or more than one has it. */
  async findWorkspaceByLogin(login: string): Promise<OrgId | null> {
    return one(
      await this.database.queryWithoutTenant<{ readonly org_id: OrgId }>(
        'find_organizations_by_login',
        'select org_id from find_organizations_by_login($1)',
        [login],
      ),
    );
  }

  /** Lists a page of the workspaces whose organization has the text in its login, by login; null means every workspace. */
  async listWorkspaces(
    search: string | null,
    page: PageRequest,
  ): Promise<Page<{ readonly orgId: OrgId; readonly org: string }>> {
    const [row] = await this.database.queryWithoutTenant<{ readonly workspaces: string }>(
      'count_organizations',
      `select count(*) as workspaces from list_organizations() where ${LOGIN_CONTAINS}`,
      [search],
    );
    const items = await this.database.queryWithoutTenant<{ readonly orgId: OrgId; readonly org: string }>(
      'list_organizations_page',
      `select org_id as "orgId", login as org from list_organizations() where ${LOGIN_CONTAINS}
       order by lower(login), org_id limit $2 offset $3`,
      [search, page.pageSize, pageOffset(page)],
    );
    return { items, total: Number(row?.workspaces) };
  }

  private async list(
    status: UpgradeRequestStatus | null,
    after: Pick<PlatformRequest, 'id' | 'requestedAt'> | null,
    limit: number,
    offset: number,
  ): Promise<readonly PlatformRequest[]> {
    const requests = await this.database.queryWithoutTenant<
      Omit<PlatformRequest, 'requestedBy'> & { readonly requestedBy: string }
    >(
      'list_upgrade_requests',
      `select login as org, ${REQUEST_COLUMNS}
       from list_upgrade_requests($1, $2, $3, $4, $5)`,
      [status, after?.requestedAt ?? null, after?.id ?? null, limit, offset],
    );
    return requests.map((request) => ({ ...request, requestedBy: Number(request.requestedBy) }));
  }

  async addRequesterLogin<R extends UpgradeRequest>(request: R): Promise<NamedRequest<R>> {
    return named(request, await this.users.list([request.requestedBy]));
  }

  async addRequesterLogins<R extends UpgradeRequest>(requests: readonly R[]): Promise<readonly NamedRequest<R>[]> {
    const users = await this.users.list([...new Set(requests.map(({ requestedBy }) => requestedBy))]);
    return requests.map((request) => named(request, users));
  }
}

const named = <R extends UpgradeRequest>(
  request: R,
  users: ReadonlyMap<number, { readonly login: string }>,
): NamedRequest<R> => ({ ...request, requestedBy: users.get(request.requestedBy)?.login ?? null });
