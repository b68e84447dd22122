import { Injectable } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { Metrics } from '../../observability/metrics.js';

/** Counts searches for attestations at GitHub, and verifications of bundles. */
@Injectable()
export class ArtifactsMetrics {
  readonly searches: Counter<'outcome'>;
  readonly verifications: Counter<'outcome'>;

  constructor(metrics: Metrics) {
    this.searches = metrics.counter({
      name: 'shipgate_attestation_searches_total',
      help: 'Searches at GitHub for the attestations of a digest by their outcome.',
      labels: ['outcome'],
    });
    this.verifications = metrics.counter({
      name: 'shipgate_bundle_verifications_total',
      help: 'Verifications of provenance bundles by their outcome.',
      labels: ['outcome'],
    });
  }
}
