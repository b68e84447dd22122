import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { toErrorResponse } from '../../../http/errors/error.filter.js';
import { Metrics } from '../../../observability/metrics.js';
import { traced } from '../../../observability/tracing.js';

/** Counts uploads by their outcome, and traces them. Uploads without a valid credential are requests only. */
@Injectable()
export class UploadMetrics {
  private readonly uploads: Counter<'outcome' | 'status'>;

  constructor(metrics: Metrics) {
    this.uploads = metrics.counter({
      name: 'shipgate_uploads_total',
      help: 'Uploads of evidence by outcome.',
      labels: ['outcome', 'status'],
    });
  }

  async observe<T extends { readonly repeated: boolean }>(upload: () => Promise<T>): Promise<T> {
    return traced({ name: 'receive upload', kind: 'server' }, async () => {
      try {
        const stored = await upload();
        this.uploads.inc(stored.repeated ? REPEATED : STORED);
        return stored;
      } catch (error) {
        const { status } = toErrorResponse(error);
        this.uploads.inc({ outcome: status < 500 ? 'rejected' : 'failed', status: String(status) });
        throw error;
      }
    });
  }
}

const STORED = { outcome: 'stored', status: '201' } as const;
const REPEATED = { outcome: 'repeated', status: '200' } as const;
