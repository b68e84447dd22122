import { locationWithin, type StorageLocation } from '../../../config/storage-location.js';
import type { OrgId } from '../../../database/ids.js';
import type { ObjectStore } from './object-store.js';
import type { Placement, ReportContent, ReportStore } from './report-store.js';

/** Keeps content as objects of a bucket, a workspace's beside each other. */
export class ObjectReportStore implements ReportStore {
  constructor(
    private readonly objects: ObjectStore,
    private readonly base: StorageLocation,
  ) {}

  async place(orgId: OrgId, { sha256, blocks }: ReportContent): Promise<Placement> {
    const location = locationWithin(this.base, orgId, sha256);
    await this.objects.put(location, Buffer.concat(blocks));
    return { location };
  }
}
