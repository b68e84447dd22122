import { Injectable } from '@nestjs/common';
import { Database, type Viewer } from '../../database/database.js';
import { pageOffset, type Page, type PageRequest } from '../../http/pagination/pagination.dto.js';
import { type AuditEntry, AuditRepository, type HiddenEntry } from './audit.repository.js';

const BATCH = 500;

/** The audit log of a workspace as its admins read it, the newest entry first. */
@Injectable()
export class AuditService {
  constructor(
    private readonly database: Database,
    private readonly audit: AuditRepository,
  ) {}

  listPage(viewer: Viewer, page: PageRequest): Promise<Page<AuditEntry | HiddenEntry>> {
    return this.database.asViewer(viewer, async (tx) => {
      const total = await this.audit.count(tx);
      return { total, items: await this.audit.listUpTo(tx, total - pageOffset(page), page.pageSize) };
    });
  }

  /** All of it, batch by batch; what is added meanwhile is left to the next reader. */
  async *listAll(viewer: Viewer): AsyncGenerator<readonly (AuditEntry | HiddenEntry)[]> {
    let last = await this.database.asViewer(viewer, (tx) => this.audit.count(tx));
    for (; last > 0; last -= BATCH) {
      const upTo = last;
      // A transaction for each batch: a reader who takes hours over the whole holds none open.
      yield await this.database.asViewer(viewer, (tx) => this.audit.listUpTo(tx, upTo, BATCH));
    }
  }
}
