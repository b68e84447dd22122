import { Injectable } from '@nestjs/common';
import type { TenantTx } from '../../database/database.js';
import { offsetOf, type PageRequest } from '../../http/pagination/page-request.js';

/** Finds the releases of a repository by their versions. */
@Injectable()
export class ReleaseVersions {
  /** The newest version first, by precedence; every id without a page. */
  async find(
    tx: TenantTx,
    repositoryId: string,
    search: string | null,
    page: PageRequest | null,
  ): Promise<{ readonly ids: readonly string[]; readonly total: number }> {
    const matches = `repository_id = $1 and ($2::text is null or strpos(lower_version, $2) > 0)`;
    const [row] = await tx.query<{ readonly ids: readonly string[]; readonly total: string }>(
      `select array(
         select id from release where ${matches}
         order by version_order desc, id limit $3::bigint offset $4::bigint) as ids,
         (select count(*) from release where ${matches}) as total`,
      [repositoryId, search?.toLowerCase() ?? null, page?.pageSize ?? null, page ? offsetOf(page) : 0],
    );
    return { ids: row?.ids ?? [], total: Number(row?.total ?? 0) };
  }
}
