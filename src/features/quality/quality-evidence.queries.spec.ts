import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { parseEvidence, type PackedUpload } from './quality-evidence.queries.js';

const uploadOf = (changes: Partial<PackedUpload> = {}): PackedUpload => ({
  sequence: '1',
  id: 'u',
  pipeline: 'build',
  environment: 'ci',
  job: 'test',
  runId: '7',
  proven: true,
  attempt: 2,
  checkRunId: null,
  jobGroup: null,
  jobTotal: null,
  commitSha: 'c',
  items:
    '[{"kind": "coverage", "metrics": {"coverage": {"line_percent": 81.5, "branch_percent": null}}, "failures": [], "content": 0}]',
  sha256: 'f',
  receivedAt: 0,
  ...changes,
});

describe('the evidence of a release', () => {
  it('equals the upload', () => {
    const items =
      '[{"kind": "sbom", "metrics": {}, "failures": ["torn"], "content": 3}, {"kind": "manual", "metrics": {}, "failures": [], "content": 2}]';
    const newer = '[{"kind": "sbom", "metrics": {}, "failures": [], "content": 5}]';
    const { evidence } = parseEvidence({
      uploads: [
        uploadOf(),
        uploadOf({ sequence: '2', id: 'v', items }),
        uploadOf({ sequence: '3', id: 'w', items: newer }),
      ],
      olderItems: 0,
    });
    const received = {
      pipeline: 'build',
      environment: 'ci',
      job: 'test',
      run: { id: '7', proven: true },
      attempt: 2,
      checkRunId: null,
      jobGroup: null,
      commitSha: 'c',
      sha256: 'f',
      receivedAt: new Date(0),
    };
    expect(evidence).toEqual([
      {
        ...received,
        id: 'u/coverage',
        kind: 'coverage',
        metrics: { coverage: { line_percent: 81.5, branch_percent: null } },
        failures: [],
        content: 0,
      },
      { ...received, id: 'v/sbom', kind: 'sbom', metrics: {}, failures: ['torn'], content: 3 },
      { ...received, id: 'v/manual', kind: 'manual', metrics: {}, failures: [], content: 2 },
      { ...received, id: 'w/sbom', kind: 'sbom', metrics: {}, failures: [], content: 5 },
    ]);
  });

  it('is in the order of receipt, also beyond nine uploads', () => {
    const uploads = ['10', '9', '100', '8'].map((sequence) => uploadOf({ sequence, id: sequence }));
    const { evidence } = parseEvidence({ uploads, olderItems: 0 });
    expect(evidence.map(({ id }) => id)).toEqual(['8', '9', '10', '100'].map((id) => `${id}/coverage`));
  });

  it('counts the rest that was not read', () => {
    expect(parseEvidence({ uploads: [uploadOf()], olderItems: 4 }).itemCount).toBe(5);
  });

  it('has the time of its receipt to the millisecond, for any fraction of a second', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: Date.UTC(2100) }), fc.integer({ min: 0, max: 999 }), (at, micros) => {
        // As Postgres writes it: the number of microseconds, divided.
        const received = (at * 1_000 + micros) / 1_000_000;
        const { evidence } = parseEvidence({ uploads: [uploadOf({ receivedAt: received })], olderItems: 0 });
        expect(evidence[0]?.receivedAt.getTime()).toBe(at);
      }),
    );
  });
});
